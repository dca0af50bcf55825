import { join } from 'node:path';
import { namespaces, secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { namespaceManifest, secretManifest } from '../../../environment/manifests.ts';
import { tool } from '../../../environment/tool.ts';
import { type Step, until } from '../../e2e-context.ts';
import { hold } from '../../hold.ts';
import { bundleSimulator } from '../../simulator/bundle-simulator.ts';
import { applyManifests } from '../apply-manifests.ts';
import { applyObjects, folderObjects, waitForObjects } from '../folder-objects.ts';
import { addFunctions, functionsOf } from '../functions.ts';
import { podsContext } from '../pods-context.ts';
import { type PodsOptions, ROOT } from '../pods-options.ts';
import { recordObjects } from '../record-objects.ts';
import { circuitBreakerEvents, countedEvents } from './circuit-breaker.ts';
import { externalState, holdContracts } from './external-systems.ts';
import { startModule } from './module-btp.ts';
import { providerWrites } from './provider-writes.ts';
import { TEAM } from './team.ts';

const IMAGE = 'sap-btp-simulators:e2e';
const FOLDER = 'composition/hana-database';

/** What the provider writes to when a HanaDatabase is composed. */
const COMPOSED = [
  'serviceinstances.services.cloud.sap.com',
  'servicebindings.services.cloud.sap.com',
  'kymainstancemappings.inventory.hana.m.orchestrate.cloud.sap',
];

/** What Crossplane alone writes to. */
const COMPOSING = ['usages.protection.crossplane.io', 'hanadatabases.platform.example.org'];

/** Each write counts twice at Crossplane's circuit breaker, which admits a hundred at once. */
const MOST_WRITES = 10;

const kubectl = (...args: string[]) => tool('kubectl', args);
const wait = (...args: string[]) => kubectl('wait', '--timeout=5m', ...args);
const inTeam = `--namespace=${TEAM}`;

/** The steps of the chain: `begin` leaves a HanaDatabase, and `end` deletes it. */
export interface ChainSteps {
  readonly begin: readonly Step<PodsOptions>[];
  readonly end: readonly Step<PodsOptions>[];
}

/** @returns undefined, with the reason reported, where the functions of the chain cannot be had */
export async function chainSteps(options: PodsOptions): Promise<ChainSteps | undefined> {
  if (options.crossplane.startsWith('1.')) {
    options.leaveOut(`examples/${FOLDER}: Crossplane 1 has no namespaced composite resources`);
    return undefined;
  }
  const composition = (await folderObjects(FOLDER)).find(({ kind }) => kind === 'Composition');
  const needed = composition === undefined ? [] : functionsOf(composition);
  const functions = (await folderObjects('composition')).filter(
    ({ kind, name }) => kind === 'Function' && needed.includes(name),
  );
  const unavailable = await addFunctions(options, functions);
  if (unavailable.size > 0) {
    options.leaveOut(`examples/${FOLDER}: ${[...unavailable.values()].join('; ')}`);
    return undefined;
  }
  const install: Step<PodsOptions> = {
    title: 'the functions of the chain are installed',
    run: async () => {
      await applyObjects(functions);
      await waitForObjects(functions, 'Healthy');
    },
  };
  return { begin: [install, ...begin], end };
}

/**
 * The Composition hana-database on a real core with its Usage webhook: the provider with the module btp, its webhooks behind
 * a Service, with a certificate of Crossplane; HANA Cloud and Service Manager as a pod; the rights of the example only.
 */
const begin: readonly Step<PodsOptions>[] = [
  {
    title: 'Service Manager and HANA Cloud, simulated, in one pod',
    run: async (options) => {
      const folder = join(options.directory, 'chain');
      await bundleSimulator(folder, 'chain');
      await options.cluster.addProgram(IMAGE, folder);
      await kubectl('apply', '--server-side', '--filename', join(ROOT, 'test/e2e/manifests/chain.yaml'));
      await wait('deployment/simulators', '--namespace=sap-btp', '--for=condition=Available');
    },
  },
  {
    title: 'the provider runs the module btp, with its webhooks and the rights of the example',
    run: startModule,
  },
  {
    title: `a HanaDatabase is composed and becomes Ready, with at most ${MOST_WRITES} writes of the provider`,
    run: async (options) => {
      const { management } = await podsContext(options);
      const objects = await folderObjects(FOLDER);
      const kinds = ['CompositeResourceDefinition', 'Composition'];
      await applyManifests(objects.filter(({ kind }) => kinds.includes(kind)).map(({ content }) => content));
      await wait('xrd/hanadatabases.platform.example.org', '--for=condition=Established');
      await management.objects.apply(namespaces, namespaceManifest(TEAM));
      const parameters = { parameters: JSON.stringify({ systempassword: 'not-a-real-one' }) };
      await management.objects.apply(
        secrets,
        secretManifest({ namespace: TEAM, name: 'orders-parameters' }, parameters),
      );
      const recorded = await recordObjects(TEAM, [...COMPOSED, ...COMPOSING]);
      await applyManifests(
        objects.filter(({ kind }) => kind === 'HanaDatabase').map(({ content }) => content),
      );
      await wait('hanadatabase/orders', inTeam, '--for=condition=Ready');
      const { instances, bindings, mappings } = await externalState(options);
      hold(
        instances.length === 2 && bindings.length === 1,
        'Service Manager has other instances and bindings',
      );
      hold(mappings.length === 1, 'HANA Cloud has not one mapping');
      const events = await recorded();
      const composed = ['ServiceInstance', 'ServiceBinding', 'KymaInstanceMapping'];
      const writes = providerWrites(events.filter(({ object }) => composed.includes(object.kind)));
      const counted = Object.entries(countedEvents(events)).map(([kind, count]) => `${kind} ${count}`);
      options.report(`events that count at the circuit breaker of Crossplane: ${counted.join(', ')}`);
      options.report(`writes of the provider: ${writes.length}`);
      hold(writes.length > 0 && writes.length <= MOST_WRITES, `the provider wrote ${writes.join(', ')}`);
    },
  },
  {
    title: 'its events at the circuit breaker of Crossplane are counted',
    run: async ({ report }) => {
      const { allowed, dropped } = await circuitBreakerEvents('hanadatabases.platform.example.org');
      report(`events at the circuit breaker: ${allowed} allowed, ${dropped} dropped`);
      hold(allowed > 0, 'the metrics of Crossplane name no event');
    },
  },
  {
    title: 'what is used cannot be deleted by hand',
    run: async () => {
      for (const object of ['serviceinstance/orders', 'servicebinding/orders-admin']) {
        const refused = await kubectl('delete', object, inTeam, '--wait=false').then(
          () => undefined,
          (error: Error) => error.message,
        );
        hold(refused?.includes('in-use') === true, `${object}: ${refused ?? 'it was deleted'}`);
      }
    },
  },
];

const end: readonly Step<PodsOptions>[] = [
  {
    title: 'it is deleted in order, and nothing is left in Service Manager and HANA Cloud',
    run: async (options) => {
      await kubectl('delete', 'hanadatabase/orders', inTeam, '--timeout=5m');
      await until(async () => {
        const { instances, bindings, mappings } = await externalState(options);
        hold(instances.length + bindings.length === 0, 'Service Manager has instances or bindings left');
        hold(mappings.length === 0, 'HANA Cloud has mappings left');
        const left = await kubectl(
          'get',
          'serviceinstances,servicebindings,usages.protection',
          inTeam,
          '--output=name',
        );
        hold(left.trim() === '', `there are ${left.trim()}`);
      });
      await holdContracts(options);
    },
  },
];

import { join } from 'node:path';
import { readDocuments } from '../../../hack/xpkg/kubernetes-documents.ts';
import { configMaps, namespaces, secrets } from '../../../internal/kube/object/resource-type.ts';
import { configMapManifest, namespaceManifest, secretManifest } from '../../environment/manifests.ts';
import { tool } from '../../environment/tool.ts';
import { type Step, until } from '../e2e-context.ts';
import { bundleSimulator } from '../simulator/bundle-simulator.ts';
import { source } from '../steps/sources.ts';
import { applyManifests } from './apply-manifests.ts';
import { circuitBreakerEvents } from './circuit-breaker.ts';
import { applyObjects, folderObjects, waitForObjects } from './folder-objects.ts';
import { addFunctions, functionsOf } from './functions.ts';
import { podsContext } from './pods-context.ts';
import { type PodsOptions, ROOT } from './pods-options.ts';
import { providerRuntimeConfig, trustManifest } from './provider-manifests.ts';

const IMAGE = 'sap-btp-simulators:e2e';
const FOLDER = 'composition/hana-database';
const NAMESPACE = 'team-shop';
const RELEASE = source.config.namespace;
/** As the API server sees them: the ports of the Service. */
const PROXY = '/api/v1/namespaces/sap-btp/services/https:simulators';

const kubectl = (...args: string[]) => tool('kubectl', args);
const wait = (...args: string[]) => kubectl('wait', '--timeout=5m', ...args);
const inTeam = `--namespace=${NAMESPACE}`;

/** The steps of the chain; none, with the reason, where its functions cannot be had. */
export async function chainSteps(options: PodsOptions): Promise<readonly Step<PodsOptions>[]> {
  if (options.crossplane.startsWith('1.')) {
    options.leaveOut(`examples/${FOLDER}: Crossplane 1 has no namespaced composite resources`);
    return [];
  }
  const composition = (await folderObjects(FOLDER)).find(({ kind }) => kind === 'Composition');
  const needed = composition === undefined ? [] : functionsOf(composition);
  const functions = (await folderObjects('composition')).filter(
    ({ kind, name }) => kind === 'Function' && needed.includes(name),
  );
  const unavailable = await addFunctions(options, functions);
  if (unavailable.size > 0) {
    options.leaveOut(`examples/${FOLDER}: ${[...unavailable.values()].join('; ')}`);
    return [];
  }
  const install: Step<PodsOptions> = {
    title: 'the functions of the chain are installed',
    run: async () => {
      await applyObjects(functions);
      await waitForObjects(functions, 'Healthy');
    },
  };
  return [install, ...steps];
}

/**
 * The Composition hana-database on a real core with its Usage webhook: the provider with the module btp, its webhooks behind
 * a Service, with a certificate of Crossplane; HANA Cloud and Service Manager as a pod; the rights of the example only.
 */
const steps: readonly Step<PodsOptions>[] = [
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
    run: async (options) => {
      const { management } = await podsContext(options);
      const pems = await Promise.all(
        ['sm', 'hana-cloud'].map(async (port) => ((await ask(options, port, '/ca')) as { pem: string }).pem),
      );
      await management.objects.apply(configMaps, trustManifest(pems.join('\n')));
      await management.objects.apply(namespaces, namespaceManifest(RELEASE));
      const { secret } = (await ask(options, 'sm', '/credentials/subaccount-1')) as Credentials;
      const credentials = { namespace: RELEASE, name: 'sap-btp-service-operator' };
      await management.objects.apply(secrets, secretManifest(credentials, secret));
      await management.objects.apply(
        configMaps,
        configMapManifest(source.config, { CLUSTER_ID: source.clusterID }),
      );
      await kubectl('apply', '--server-side', '--force-conflicts', '--filename', join(ROOT, CRDS));
      await kubectl('apply', '--server-side', '--filename', join(ROOT, `examples/${FOLDER}/rbac.yaml`));
      await applyManifests([
        await providerRuntimeConfig({
          args: ['--controllers=config,inventory,btp'],
          env: { CLUSTER_ID: source.clusterID, RELEASE_NAMESPACE: RELEASE },
        }),
      ]);
      await until(async () => {
        const args = await kubectl('get', 'pods', '--namespace=crossplane-system', SELECTOR, ARGS);
        if (!args.includes('btp')) throw new Error(`the pods have the arguments ${args}`);
      });
      await kubectl(
        'rollout',
        'status',
        'deployment',
        '--namespace=crossplane-system',
        SELECTOR,
        '--timeout=5m',
      );
      await applyManifests(await webhooks());
    },
  },
  {
    title: 'a HanaDatabase is composed and becomes Ready',
    run: async (options) => {
      const { management } = await podsContext(options);
      const objects = await folderObjects(FOLDER);
      const kinds = ['CompositeResourceDefinition', 'Composition'];
      await applyManifests(objects.filter(({ kind }) => kinds.includes(kind)).map(({ content }) => content));
      await wait('xrd/hanadatabases.platform.example.org', '--for=condition=Established');
      await management.objects.apply(namespaces, namespaceManifest(NAMESPACE));
      const parameters = { parameters: JSON.stringify({ systempassword: 'not-a-real-one' }) };
      await management.objects.apply(
        secrets,
        secretManifest({ namespace: NAMESPACE, name: 'orders-parameters' }, parameters),
      );
      await applyManifests(
        objects.filter(({ kind }) => kind === 'HanaDatabase').map(({ content }) => content),
      );
      await wait('hanadatabase/orders', inTeam, '--for=condition=Ready');
      const { instances, bindings } = (await ask(options, 'sm', '/state')) as ServiceManagerState;
      hold(
        instances.length === 2 && bindings.length === 1,
        'Service Manager has other instances and bindings',
      );
      hold((await mappings(options)).length === 1, 'HANA Cloud has not one mapping');
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
  {
    title: 'it is deleted in order, and nothing is left in Service Manager and HANA Cloud',
    run: async (options) => {
      await kubectl('delete', 'hanadatabase/orders', inTeam, '--timeout=5m');
      await until(async () => {
        const { instances, bindings } = (await ask(options, 'sm', '/state')) as ServiceManagerState;
        hold(instances.length + bindings.length === 0, 'Service Manager has instances or bindings left');
        hold((await mappings(options)).length === 0, 'HANA Cloud has mappings left');
        const left = await kubectl(
          'get',
          'serviceinstances,servicebindings,usages.protection',
          inTeam,
          '--output=name',
        );
        hold(left.trim() === '', `there are ${left.trim()}`);
      });
      for (const port of ['sm', 'hana-cloud']) {
        const { violations } = (await ask(options, port, '/state')) as { violations: readonly string[] };
        hold(violations.length === 0, violations.join('; '));
      }
    },
  },
];

const CRDS = 'package/btp/chart/files/crds';
const SELECTOR = '--selector=pkg.crossplane.io/provider=provider-kyma';
const ARGS = '--output=jsonpath={.items[*].spec.containers[*].args}';

interface Credentials {
  readonly secret: Readonly<Record<string, string>>;
}

interface ServiceManagerState {
  readonly instances: readonly unknown[];
  readonly bindings: readonly unknown[];
}

/** @param port of the Service */
async function ask(options: PodsOptions, port: string, path: string): Promise<unknown> {
  const { management } = await podsContext(options);
  const { status, body } = await management.request(`${PROXY}:${port}/proxy/_simulator${path}`);
  hold(status === 200, `the simulator answers ${path} with ${status}`);
  return body;
}

async function mappings(options: PodsOptions): Promise<unknown[]> {
  const { instances } = (await ask(options, 'hana-cloud', '/state')) as {
    readonly instances: Readonly<Record<string, readonly unknown[]>>;
  };
  return Object.values(instances).flat();
}

/** Those of the module, for the Service that Crossplane makes for the provider, with Crossplane's own authority. */
async function webhooks(): Promise<unknown[]> {
  const path = '--output=jsonpath={.data.ca\\.crt}';
  const place = '--namespace=crossplane-system';
  const caBundle = (await kubectl('get', 'secret', 'provider-kyma-tls-server', place, path)).trim();
  const documents = await readDocuments(ROOT, 'package/btp/webhooks.yaml');
  return documents.map(({ content }) => {
    const configuration = content as WebhookConfiguration;
    return {
      ...configuration,
      webhooks: configuration.webhooks.map((webhook) => ({
        ...webhook,
        clientConfig: {
          caBundle,
          service: {
            ...webhook.clientConfig.service,
            namespace: 'crossplane-system',
            name: 'provider-kyma',
            port: 9443,
          },
        },
      })),
    };
  });
}

interface WebhookConfiguration {
  readonly webhooks: readonly { readonly clientConfig: { readonly service: object } }[];
}

function hold(it: boolean, otherwise: string): asserts it {
  if (!it) throw new Error(otherwise);
}

/** Hosts that drop all packets, with more mappings than there are workers. */
import { expect, test } from '@jest/globals';
import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import type { KymaInstanceMapping } from '../../../internal/systems/inventory/kymainstancemapping/resource.ts';
import { eventually } from '../../environment/eventually.ts';
import { secretManifest } from '../../environment/manifests.ts';
import { sumIn } from '../../environment/metrics-page.ts';
import { type NetworkPath, openNetworkPath } from '../../environment/network-path.ts';
import { editKubeconfig } from '../harness/access/kubeconfigs.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import type { ManagedObject } from '../harness/mappings/managed-object.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { type FaultEnvironment, inFaultEnvironment } from './fault-environment.ts';

const WORKERS = 40;
/** Of the kind. The controllers of ProviderConfigs reconcile those of other tests too. */
const CONTROLLER = 'controller="managed/kymainstancemapping.';
/** More than there are workers. */
const MANY = 60;
/** Each request to the host times out after five seconds, and many are sent. */
const timeoutMs = 90_000;

interface Attack {
  readonly environment: FaultEnvironment;
  readonly provider: ProviderProcess;
  readonly hole: NetworkPath;
  /** Its cluster and its HANA Cloud host respond. */
  readonly healthy: Scenario;
}

const withBlackHole = (body: (attack: Attack) => Promise<void>) =>
  inFaultEnvironment(async (environment) => {
    const hole = await openNetworkPath();
    environment.onStop(hole.close);
    const [provider, healthy] = await Promise.all([
      environment.run({ args: [`--max-reconcile-rate=${WORKERS}`] }),
      environment.scenario(),
    ]);
    await healthy.createReady();
    await body({ environment, provider, hole, healthy });
    expect(environment.simulator.violations()).toEqual([]);
  });

type Rival = ManagedObject<KymaInstanceMapping>;

/** Mappings with the sources of one scenario, each with a namespace of its own. */
async function createMany(
  scenario: Scenario,
  forProvider: Partial<KymaInstanceMapping['spec']['forProvider']> = {},
): Promise<Rival[]> {
  const made: Rival[] = [];
  const numbers = Array.from({ length: MANY }, (_, number) => number).values();
  const work = async () => {
    for (const number of numbers) {
      const over = { ...forProvider, targetNamespace: `n-${number}` };
      made.push(await scenario.createRival({ forProvider: over }));
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return made;
}

const syncedOf = ({ status }: KymaInstanceMapping) =>
  status?.conditions?.find(({ type }) => type === 'Synced');

/** The messages of the mappings that have conditions. */
async function reported(
  { management, selector }: FaultEnvironment,
  mappings: readonly Rival[],
): Promise<string[]> {
  const names = new Set(mappings.map(({ name }) => name));
  const all = await management.list(kymaInstanceMappings, undefined, { labelSelector: selector });
  return all.flatMap((each) => (names.has(each.metadata.name) ? (syncedOf(each)?.message ?? []) : []));
}

/** Changes to mappings that do not depend on the host are reconciled promptly. */
async function expectOthersServed({ healthy }: Attack): Promise<void> {
  await healthy.reconcile();
  await healthy.patch({ spec: { forProvider: { isDefault: true } } });
  await eventually(() => expect(healthy.mappings()).toEqual([healthy.hana.mapping({ isDefault: true })]));
}

test.concurrent(
  'a Kyma cluster that swallows packets delays no other mapping, is reported once its circuit breaker is open, and is found again',
  withBlackHole(async (attack) => {
    const { environment, hole } = attack;
    const { planes, management } = environment;
    const name = uniqueName('hole');
    const server = `https://${hole.address}`;
    const { hostname } = new URL(planes.kyma.server);
    const kubeconfig = editKubeconfig(planes.kyma.kubeconfig, {
      cluster: { server, 'tls-server-name': hostname },
    });
    await management.apply(secrets, secretManifest({ namespace: 'default', name }, { kubeconfig }));
    const swallowed = await environment.scenario();
    await swallowed.applySources();
    const kymaConnectionRef = { secretRef: { namespace: 'default', name } };
    const mappings = await createMany(swallowed, { kymaConnectionRef });

    const newcomer = await environment.scenario();
    await newcomer.createReady();
    await expectOthersServed(attack);

    const isLeftAlone = `cluster ${hole.address} is unreachable: it has not answered for a while and is left alone for now (circuit open)`;
    await eventually(
      async () => {
        const messages = await reported(environment, mappings);
        expect(messages).toHaveLength(MANY);
        expect(messages.filter((message) => message === isLeftAlone).length).toBeGreaterThan(MANY / 2);
      },
      { timeoutMs },
    );
    for (const mapping of mappings.slice(0, 3)) {
      expect(syncedOf(await mapping.get())).toMatchObject({ status: 'False', reason: 'Waiting' });
    }
    await expectOthersServed(attack);
    expect(swallowed.hana.calls()).toEqual([]);

    hole.leadTo(planes.kyma.server);
    const [first] = mappings;
    await first?.untilReady(90_000);
    await management.delete(secrets, { namespace: 'default', name });
  }),
  240_000,
);

test.concurrent(
  'a Kyma cluster that swallows packets occupies at most a quarter of the workers; its other mappings wait without one',
  withBlackHole(async ({ environment, provider, hole }) => {
    const metrics = async () => (await provider.get('/metrics')).body;
    const { planes, management } = environment;
    const name = uniqueName('hole');
    const swallowed = await environment.scenario();
    const kymaConnectionRef = { secretRef: { namespace: 'default', name } };
    const mappings = await createMany(swallowed, { kymaConnectionRef });
    await eventually(async () => expect(await reported(environment, mappings)).toHaveLength(MANY));
    // Requests wait for a slot only until the first requests time out, since the circuit breaker opens then. So all mappings get
    // the cluster at once, and the metrics are read from before.
    const samples: { readonly waiting: number; readonly active: number }[] = [];
    const measured = eventually(
      async () => {
        const page = await metrics();
        samples.push({
          waiting: sumIn(page, 'controller_requests_waiting_for_slot', CONTROLLER) ?? 0,
          active: sumIn(page, 'controller_runtime_active_workers', CONTROLLER) ?? 0,
        });
        // At first they read their objects, which needs a worker each.
        const settled = samples.filter(({ active }) => active <= WORKERS / 4);
        expect(Math.max(...settled.map(({ waiting }) => waiting))).toBeGreaterThan(WORKERS / 2);
      },
      { intervalMs: 20 },
    ).catch((cause: unknown) => {
      const most = samples.toSorted((one, other) => other.waiting - one.waiting).slice(0, 10);
      throw new Error(`the samples with most requests that wait for a slot: ${JSON.stringify(most)}`, {
        cause,
      });
    });
    const kubeconfig = editKubeconfig(planes.kyma.kubeconfig, {
      cluster: { server: `https://${hole.address}` },
    });
    const applied = management.apply(secrets, secretManifest({ namespace: 'default', name }, { kubeconfig }));
    await Promise.all([measured, applied]);
    await management.delete(secrets, { namespace: 'default', name });
  }),
  120_000,
);

test.concurrent(
  'a HANA Cloud host that swallows packets delays no mapping of other hosts, and is reported once its circuit breaker is open',
  withBlackHole(async (attack) => {
    const { environment, hole } = attack;
    const swallowed = await environment.scenario();
    const { fields } = environment.simulator.secrets(swallowed.instanceID);
    await swallowed.applySources();
    await swallowed.apply('secret', { data: { ...fields, baseurl: hole.address } });
    const mappings = await createMany(swallowed);

    await expectOthersServed(attack);

    await eventually(
      async () => {
        const messages = await reported(environment, mappings);
        expect(messages).toHaveLength(MANY);
        const open = messages.filter((message) => message.includes('(circuit open)'));
        expect(open.length).toBeGreaterThan(MANY / 2);
      },
      { timeoutMs },
    );
    const newcomer = await environment.scenario();
    await newcomer.createReady();
    await expectOthersServed(attack);
  }),
  240_000,
);

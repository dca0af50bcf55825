/**
 * CRDs appear one by one, as with activation policies, and are deleted; they and the permissions, or the right to follow them alone, come
 * after the provider: a control plane of this file's own.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { apiVersionOf } from '../../../internal/framework/kube/object/resource-type.ts';
import type { ProviderConfig } from '../../../internal/framework/managed/providerconfig/model/provider-config.ts';
import { hanaConfigKinds } from '../../../internal/systems/inventory/config/provider-configs.ts';
import { eventually } from '../../environment/eventually.ts';
import { type Crd, installCrds, packageCrds, removeCrds } from '../../environment/install-crds.ts';
import { type FaultEnvironment, startFaultEnvironment } from '../faults/fault-environment.ts';
import { addProviderAccount } from '../harness/provider/provider-account.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { controllerMetric, controllerOf, type KindStates, untilKinds } from './kind-states.ts';

let management: ControlPlane;
let environment: FaultEnvironment;
let crds: Crd[];
let provider: ProviderProcess;
beforeAll(async () => {
  crds = await packageCrds();
  management = await startControlPlane({ name: 'safe-start' });
  environment = await startFaultEnvironment({ management });
}, 120_000);
afterAll(async () => {
  // The environment checks at its end that an installed account was never refused a request.
  await environment?.stop();
  await management?.stop();
}, 120_000);

const MINUTES = 60_000;

const legacy = ({ spec: { group } }: Crd) => !group.includes('.m.');
const find = (kind: string): Crd => {
  const crd = crds.find((each) => legacy(each) && each.spec.names.kind === kind);
  if (crd === undefined) throw new Error(`no CRD of ${kind}`);
  return crd;
};
const states = (of: readonly Crd[], state: (crd: Crd) => string): KindStates =>
  Object.fromEntries(of.filter(isReconciled).map((crd) => [controllerOf(crd), state(crd)]));
const isReconciled = ({ spec: { names } }: Crd) => !names.kind.endsWith('Usage');
const waiting = ({ metadata }: Crd) => `waits for ${metadata.name}`;

/** Watches of a kind's collection that the provider has open, as the API server recorded it. */
async function openWatches({ spec: { group, names } }: Crd): Promise<number> {
  const events = (await management.auditEvents(names.plural)).filter(
    ({ user, verb, objectRef, responseStatus }) =>
      user.username === environment.account.user &&
      verb === 'watch' &&
      responseStatus?.code === 200 &&
      objectRef?.apiGroup === group &&
      objectRef.resource === names.plural,
  );
  const opened = events.filter(({ stage }) => stage === 'ResponseStarted').length;
  return 2 * opened - events.length;
}

test(
  'a provider without permissions and CRDs continues once both exist',
  async () => {
    const account = await addProviderAccount(management);
    const early = await environment.run({
      kubeconfig: account.kubeconfig,
      args: ['--leader-election', '--leader-election-namespace=default'],
    });
    const readyz = async () => (await early.get('/readyz')).body;
    await eventually(async () =>
      expect(await readyz()).toMatch(/managed\/kymainstancemapping.* failed: .*forbidden/),
    );
    expect((await early.get('/healthz')).status).toBe(200);
    // Then the wait for the next attempt is the longest, 5 s.
    await eventually(async () => {
      const events = await management.auditEvents(account.user);
      const refused = events.filter(({ objectRef }) => objectRef?.resource === 'kymainstancemappings');
      const groups = Map.groupBy(refused, ({ objectRef }) => objectRef?.apiGroup);
      for (const attempts of groups.values()) expect(attempts.length).toBeGreaterThanOrEqual(4);
      expect(groups.size).toBe(2);
    });
    await expectAlive(early);

    await account.grantCrossplaneRole();
    await eventually(async () =>
      expect(await readyz()).toMatch(/managed\/kymainstancemapping.* ok: waits for kymainstancemappings\./),
    );
    await expectAlive(early);

    await installCrds(management, crds);
    const fleet = await environment.fleet(1);
    await fleet.applyClusterIDs();
    await fleet.create();
    await fleet.untilReady();
    expect(fleet.mappings()).toEqual(fleet.wanted());
    await eventually(async () => expect(await readyz()).toContain('readyz check passed'));
    await expectAlive(early);

    await fleet.delete();
    await fleet.untilGone();
    await environment.killProviders();
    await removeCrds(management, crds, MINUTES);
  },
  2 * MINUTES,
);

test('without a CRD it is ready, waits for each, and names it', async () => {
  provider = await environment.run();
  await untilKinds(
    provider,
    states(
      crds.filter(({ spec: { names } }) => names.kind.endsWith('Mapping')),
      waiting,
    ),
  );
  expect((await provider.get('/healthz')).status).toBe(200);
  const names = crds.map(({ metadata }) => metadata.name).sort();
  await eventually(() => {
    const reported = provider.logged('the controller waits').flatMap(({ missing }) => missing);
    expect([...new Set(reported)].sort()).toEqual(names);
  });
});

test(
  'installed kinds work, and missing ones are waited for',
  async () => {
    const installed = ['KymaInstanceMapping', 'ProviderConfig', 'ProviderConfigUsage'].map(find);
    await installCrds(management, installed);
    const missing = find('InstanceMapping');
    await untilKinds(provider, { ...states(installed, () => 'works'), ...states([missing], waiting) });

    const mapping = await environment.scenario();
    await mapping.createReady();
    expect(mapping.mappings()).toEqual([mapping.hana.mapping()]);
    expect(await controllerMetric(provider, 'controller_kind_available', controllerOf(missing))).toBe(0);
    expect(
      await controllerMetric(provider, 'controller_kind_available', controllerOf(find('ProviderConfig'))),
    ).toBe(1);

    await installCrds(management, crds);
    await untilKinds(
      provider,
      states(crds, () => 'works'),
    );
    const raw = environment.instanceMapping();
    await raw.createReady();
  },
  2 * MINUTES,
);

test(
  'one CRD is deleted with its resources and restored, repeatedly, while the others go on',
  async () => {
    const crd = find('InstanceMapping');
    const controller = controllerOf(crd);
    const other = await environment.scenario();
    await other.createReady();
    for (let round = 0; round < 2; round++) {
      const raw = environment.instanceMapping();
      await raw.createReady();
      expect(await openWatches(crd)).toBe(1);

      await removeCrds(management, [crd], MINUTES);
      // It was finalized: its external resource is gone as well.
      expect(raw.mappings()).toEqual([]);
      await untilKinds(provider, { [controller]: waiting(crd) });
      await eventually(async () => expect(await openWatches(crd)).toBe(0));
      for (const metric of ['workqueue_depth', 'controller_runtime_max_concurrent_reconciles']) {
        expect(await controllerMetric(provider, metric, controller)).toBeUndefined();
      }
      expect(await controllerMetric(provider, 'controller_kind_available', controller)).toBe(0);
      await other.reconcile();
      await other.untilReady();

      await installCrds(management, [crd]);
      await untilKinds(provider, { [controller]: 'works' });
    }
    const last = environment.instanceMapping();
    await last.createReady();
    expect(last.mappings()).toEqual([last.hana.mapping()]);
  },
  5 * MINUTES,
);

test(
  'all CRDs may be deleted together: configurations and mappings go in order, in HANA Cloud as well',
  async () => {
    const scenarios = await Promise.all([
      environment.scenario(),
      environment.scenario({ sources: 'remote', scope: 'namespaced' }),
    ]);
    for (const scenario of scenarios) await scenario.createReady();
    const { config } = hanaConfigKinds.cluster;
    await environment.management.apply<ProviderConfig>(config, {
      apiVersion: apiVersionOf(config),
      kind: config.kind,
      metadata: { name: 'default' },
      spec: { credentials: { source: 'None' } },
    });
    await eventually(async () => {
      const { metadata } = await environment.management.get(config, { name: 'default' });
      expect(metadata.finalizers).toEqual(['in-use.crossplane.io']);
    });

    await removeCrds(management, crds, 2 * MINUTES);
    for (const scenario of scenarios) expect(scenario.mappings()).toEqual([]);
    await untilKinds(
      provider,
      states(
        crds.filter(({ spec: { names } }) => names.kind.endsWith('Mapping')),
        waiting,
      ),
    );
    expect(provider.isRunning()).toBe(true);
  },
  5 * MINUTES,
);

/** Crossplane v1 and packages without safe-start grant no right to follow CRDs; it may come later. The one before is a provider with that right. */
test(
  'denied, all kinds run and a missing one is waited for; granted, kinds follow their CRDs without a restart',
  async () => {
    await environment.killProviders();
    const isMissing = ({ metadata }: Crd) => metadata.name.startsWith('instancemappings.');
    const missing = crds.filter(isMissing);
    await installCrds(
      management,
      crds.filter((crd) => !isMissing(crd)),
    );
    const account = await addProviderAccount(management);
    await account.grantCrossplaneRole({ safeStart: false });
    const restricted = await environment.run({ kubeconfig: account.kubeconfig });
    await untilKinds(
      restricted,
      Object.fromEntries(missing.map((crd) => [controllerOf(crd), 'its kind is not installed'])),
    );
    const { body } = await restricted.get('/readyz');
    expect(body).toContain('[+]customresourcedefinitions ok: they may not be followed');
    const [reported] = restricted.logged(
      'cannot watch CRDs: all kinds run, installed or not, until the right is granted',
    );
    expect(reported).toMatchObject({
      missing: 'get, list, watch customresourcedefinitions.apiextensions.k8s.io',
    });
    const before = await environment.scenario();
    await before.createReady();

    await account.grantCrossplaneRole({ safeStart: true });
    await untilKinds(
      restricted,
      Object.fromEntries(missing.map((crd) => [controllerOf(crd), `waits for ${crd.metadata.name}`])),
    );
    await before.reconcile();
    await installCrds(management, crds);
    const raw = environment.instanceMapping();
    await raw.createReady();
    await eventually(async () =>
      expect((await restricted.get('/readyz')).body).toContain('readyz check passed'),
    );
    expect(await account.refusals()).toEqual([]);
  },
  5 * MINUTES,
);

async function expectAlive(provider: ProviderProcess): Promise<void> {
  expect(provider.isRunning()).toBe(true);
  expect((await provider.get('/healthz')).status).toBe(200);
}

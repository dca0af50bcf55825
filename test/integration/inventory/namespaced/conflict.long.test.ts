import { describe, expect, test } from '@jest/globals';
import { configMaps } from '../../../../internal/framework/kube/object/resource-type.ts';
import { configMapManifest } from '../../../environment/manifests.ts';
import { forFile, withoutViolations } from '../../harness/for-file.ts';
import { nextSecond } from '../../harness/mappings/next-second.ts';
import { tenantNamespace } from '../../harness/tenants.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

interface Scopes {
  readonly older: 'cluster' | 'namespaced';
  readonly younger: 'cluster' | 'namespaced';
}

async function contested({ older, younger }: Scopes) {
  const scenario = await environment.scenario({ scope: older });
  await scenario.createReady();
  await nextSecond();
  const home = younger === 'cluster' ? null : await tenantNamespace(environment);
  return { scenario, rival: await scenario.createRival({}, home) };
}

test.concurrent.each<Scopes>([
  { older: 'cluster', younger: 'namespaced' },
  { older: 'namespaced', younger: 'cluster' },
  { older: 'namespaced', younger: 'namespaced' },
])(
  'a younger $younger mapping names the older $older one for the same, writes nothing, and takes the mapping once it is gone',
  async (scopes) => {
    const { scenario, rival } = await contested(scopes);
    const { message } = await rival.untilReason('Synced', 'Conflict');
    const holder = scenario.home === undefined ? scenario.name : `${scenario.home}/${scenario.name}`;
    expect(message).toContain(`is owned by KymaInstanceMapping ${holder}`);
    expect(await rival.untilEvent('Conflict')).toHaveLength(1);
    await rival.reconcile();
    await scenario.reconcile();
    expect((await rival.get()).metadata.finalizers).toBeUndefined();
    expect(scenario.hana.writes()).toEqual(['create']);

    await scenario.delete();

    await scenario.untilGone();
    await rival.untilReady();
    expect(scenario.hana.writes()).toEqual(['create', 'delete', 'create']);
    await rival.delete();
    await rival.untilGone();
    expect(scenario.mappings()).toEqual([]);
  },
);

test('a restart forgets neither', async () => {
  const scenario = await environment.scenario({ scope: 'namespaced' });
  await scenario.createReady();
  await nextSecond();
  const rival = await scenario.createRival({ forProvider: { isDefault: true } }, null);
  await rival.untilReason('Synced', 'Conflict');
  await environment.restartProvider();
  await rival.reconcile();
  await rival.untilReason('Synced', 'Conflict');
  await scenario.reconcile();
  expect(scenario.hana.writes()).toEqual(['create']);
});

test('a younger one that once had the mapping deletes nothing after a restart, before the older proves its claim', async () => {
  const scenario = await environment.scenario({ scope: 'namespaced' });
  await scenario.applySources(['instance', 'binding', 'secret']);
  await scenario.create();
  await scenario.untilReason('Synced', 'Waiting');
  await nextSecond();
  const late = { namespace: scenario.namespace, name: 'late-id' };
  const manifest = configMapManifest(late, { CLUSTER_ID: scenario.clusterID });
  await scenario.sourcePlane.apply(configMaps, manifest);
  const rival = await scenario.createRival({ forProvider: { clusterIdConfigMapRef: late } }, null);
  await rival.untilReady();
  await scenario.apply('config');
  await scenario.untilReady();
  await rival.untilReason('Synced', 'Conflict');
  await rival.annotate({ 'crossplane.io/paused': 'true' });
  await rival.untilReason('Synced', 'ReconcilePaused');
  await rival.delete();
  await environment.restartProvider();

  await rival.annotate({ 'crossplane.io/paused': null });

  await rival.untilGone();
  expect(scenario.hana.writes()).toEqual(['create']);
  expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
});

test.concurrent('an InstanceMapping and a KymaInstanceMapping contend across scopes as well', async () => {
  const scenario = await environment.scenario({ scope: 'namespaced' });
  await scenario.applySources();
  const { instanceID, clusterID, namespace } = scenario;
  const place = { instanceID, primaryID: clusterID, secondaryID: namespace };
  const raw = environment.instanceMapping({ ...place, home: await tenantNamespace(environment) });
  await raw.createReady();
  await nextSecond();
  await scenario.create();
  const { message } = await scenario.untilReason('Synced', 'Conflict');
  expect(message).toContain(`is owned by InstanceMapping ${raw.home}/${raw.name}`);
  await raw.delete();
  await raw.untilGone();
  await scenario.untilReady();
});

describe('a tenant who describes the mapping of another one', () => {
  test.concurrent('neither stops nor delays it, older or not: their credentials do not show the instance', async () => {
    const victim = await environment.scenario({ scope: 'namespaced' });
    await victim.applySources();
    const stranger = await environment.scenario({ sources: 'local', scope: 'namespaced' });
    await stranger.applySources();
    // The sources describe the victim's mapping; the credentials are the attacker's own.
    await stranger.apply('instance', {
      status: { instanceID: victim.instanceID, conditions: [{ type: 'Ready', status: 'True' }] },
    });
    await stranger.apply('config', { data: { CLUSTER_ID: victim.clusterID } });
    await stranger.create({ forProvider: { targetNamespace: victim.namespace } });
    await stranger.untilReason('Synced', 'ReconcileError');
    await nextSecond();

    await victim.create();

    await victim.untilReady();
    await stranger.reconcile();
    await victim.reconcile();
    await victim.untilReady();
    expect(victim.mappings()).toEqual([victim.hana.mapping()]);
    expect((await stranger.condition('Synced'))?.message).toContain(
      `is owned by KymaInstanceMapping ${victim.home}/${victim.name}`,
    );
    await stranger.delete();
    await stranger.untilGone();
    expect(victim.mappings()).toEqual([victim.hana.mapping()]);
  });
});

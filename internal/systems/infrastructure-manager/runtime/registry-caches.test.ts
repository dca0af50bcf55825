/** Credentials of registry caches: from the runtime to Gardener before a patch, and away when nothing needs them. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { valueAt } from '../../../framework/base/index.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { type Secret, secrets } from '../../../framework/kube/index.ts';
import { previewPatches } from '../diagnosis/preview-patches.ts';
import { registryCacheConfigs } from '../registry-cache-config.ts';
import { cacheConfig, installKyma } from '../registrycache/fixtures/registry-module.fixture.ts';
import { NAMESPACE, renderingOf, runtimeOf } from './fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from './fixtures/runtime-harness.fixture.ts';

let h: RuntimeHarness<SimulatedGardener>;
afterEach(() => h?.stop());

const HOUR = 3_600_000;
const users = () => h.runtime.otherProgram();
const data = { '.dockerconfigjson': 'e30=' };
const credentials = (name: string, content: Record<string, string> = data): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'default', name },
  data: content,
});
const wanting = (upstream: string, secretReferenceName?: string) => ({
  upstream,
  ...(secretReferenceName === undefined ? {} : { secretReferenceName }),
});

/** A Ready Runtime whose users want these caches, each with credentials of its name. */
async function started(names: readonly string[] = ['one'], hasRegistryCaches = true): Promise<void> {
  h = await startRuntimeHarness(startSimulatedGardener, { hasRegistryCaches });
  await installKyma(users());
  for (const name of names) {
    await users().create(secrets, credentials(name));
    await users().create(registryCacheConfigs, cacheConfig(name, wanting(`${name}.example.org`, name)));
  }
  await h.create(runtimeOf());
  await h.wait(120_000);
  expect(h.stored()?.status?.state).toBe('Ready');
}

const ofCaches = () =>
  h.gardener.client.peekAll(secrets).filter(({ metadata }) => metadata.name.startsWith('reg-cache-'));
const dirty = ({ metadata }: Secret) => metadata.labels?.['kyma-project.io/dirty'];
const named = () => {
  const config = h.shoot()?.spec?.extensions?.find(({ type }) => type === 'registry-cache')?.providerConfig;
  const { caches = [] } = (config ?? {}) as { caches?: { secretReferenceName?: string }[] };
  return caches.map(({ secretReferenceName }) => secretReferenceName);
};
const references = () => h.shoot()?.spec?.resources?.map(({ name }) => name);
const stateOf = (name = 'one') => {
  const found = h.runtime.peek(registryCacheConfigs, { namespace: 'default', name });
  const { state, conditions = [] } = (found?.status ?? {}) as {
    state?: string;
    conditions?: { status: string; reason: string }[];
  };
  return `${state} ${conditions[0]?.status} ${conditions[0]?.reason}`;
};
const force = () =>
  h.patch({
    metadata: { annotations: { 'operator.kyma-project.io/force-patch-reconciliation': 'true' } },
  });
const requestsForSecrets = () =>
  h.gardener.client.requests.filter(({ type }) => type.kind === 'Secret').length;

test('[N93] [N98] [N130] credentials are copied, the Shoot refers to the copy, and users see that it is ready', async () => {
  await started();
  const uid = h.stored()?.spec?.imageRegistryCache?.[0]?.uid;
  const [copy, ...others] = ofCaches();
  expect(others).toEqual([]);
  expect(copy).toMatchObject({
    immutable: true,
    data,
    metadata: {
      labels: {
        'kyma-project.io/runtime-id': 'runtime-1',
        'kyma-project.io/registry-cache-id': uid,
        'app.kubernetes.io/managed-by': 'infrastructure-manager',
      },
      annotations: {
        'kyma-project.io/registry-cache-name': 'one',
        'kyma-project.io/registry-cache-namespace': 'default',
      },
    },
  });
  expect(named()).toEqual([copy?.metadata.name]);
  expect(references()).toEqual(['auditlog-credentials', copy?.metadata.name]);
  expect(stateOf()).toBe('Ready True RegistryCacheConfigured');
  expect(h.shown('RegistryCacheConfigured')).toBe(
    'Ready True RegistryCacheConfigured Registry cache configured successfully',
  );
});

test('[N16] [N95] equal credentials cost no Secret, and none is requested at rest', async () => {
  await started();
  const [copy] = ofCaches();
  await force();
  await h.wait(60_000);
  expect(ofCaches().map(({ metadata }) => metadata.uid)).toEqual([copy?.metadata.uid]);
  const before = requestsForSecrets();
  await h.wait(HOUR / 2);
  expect(requestsForSecrets()).toBe(before);
});

test('[N94] [N96] [N97] changed credentials are another Secret; the one before goes when the Shoot does not need it', async () => {
  await started(['one', 'two']);
  const before = ofCaches();
  expect(before).toHaveLength(2);
  const foreign: Secret = {
    ...credentials('reg-cache-foreign'),
    metadata: {
      namespace: h.gardener.namespace,
      name: 'reg-cache-foreign',
      labels: {
        'kyma-project.io/runtime-id': 'other',
        'app.kubernetes.io/managed-by': 'infrastructure-manager',
      },
    },
  };
  await h.gardener.client.otherProgram().create(secrets, foreign);
  await users().mergePatch(secrets, { namespace: 'default', name: 'one' }, { data: { x: 'eA==' } });
  const during: (string | undefined)[][] = [];
  h.gardener.client.onRequest(({ verb, type }) => {
    if (verb === 'update' && type.kind === shoots.kind) during.push(ofCaches().map(dirty));
  });
  await force();
  await h.wait(60_000);
  expect(during[0]?.toSorted()).toEqual(['true', undefined, undefined, undefined]);
  const after = ofCaches().map(({ metadata }) => metadata.name);
  expect(after).toHaveLength(3);
  expect(after).toContain('reg-cache-foreign');
  expect(after).toEqual(expect.arrayContaining(named()));
  expect(references()?.filter((name) => name.startsWith('reg-cache-'))).toHaveLength(2);
});

/** References of the Shoot to Secrets that are gone. */
const broken = () => {
  const names = ofCaches().map(({ metadata }) => metadata.name);
  return references()?.filter((name) => name.startsWith('reg-cache-') && !names.includes(name));
};
const suspend = (value: 'true' | null) =>
  h.patch({ metadata: { annotations: { 'operator.kyma-project.io/suspend-patch-reconciliation': value } } });

describe('a Secret that the Shoot still refers to stays', () => {
  test('while patches are suspended', async () => {
    await started(['one', 'two']);
    await suspend('true');
    for (const name of ['one', 'two']) {
      await users().delete(registryCacheConfigs, { namespace: 'default', name });
      await h.wait(2 * HOUR);
    }
    expect(h.stored()?.spec?.imageRegistryCache ?? []).toEqual([]);
    expect([references()?.length, broken(), h.stored()?.status?.state]).toEqual([3, [], 'Ready']);
    await suspend(null);
    await h.wait(120_000);
    expect([references(), ofCaches()]).toEqual([['auditlog-credentials'], []]);
    expect(h.shown('RegistryCacheConfigured')).toBeUndefined();
  });

  test('after a patch that failed', async () => {
    await started();
    await users().mergePatch(secrets, { namespace: 'default', name: 'one' }, { data: { x: 'eA==' } });
    let fails = 1;
    const seen: unknown[] = [];
    h.gardener.client.onRequest(({ verb, type }) => {
      if (verb === 'delete' && type.kind === 'Secret') seen.push(references());
      if (verb === 'update' && type.kind === shoots.kind && fails-- > 0)
        throw apiError(503, 'ServiceUnavailable', 'down');
    });
    const shoot = { namespace: h.gardener.namespace, name: h.shoot()?.metadata.name ?? '' };
    await h.gardener.client.otherProgram().mergePatch(shoots, shoot, { spec: { purpose: 'evaluation' } });
    await h.wait(30_000);
    expect([fails, broken()]).toEqual([0, []]);
    await h.wait(2 * HOUR);
    expect([h.shoot()?.spec?.purpose, broken(), ofCaches().length]).toEqual(['development', [], 1]);
  });
});

test('a Secret of a user that is no credential is not copied to Gardener, and the condition says so', async () => {
  await started();
  const before = ofCaches().map(({ metadata }) => metadata.uid);
  const blob = { blob: Buffer.alloc(20_000).toString('base64') };
  await users().mergePatch(secrets, { namespace: 'default', name: 'one' }, { data: blob });
  await force();
  await h.wait(60_000);
  expect(ofCaches().map(({ metadata }) => metadata.uid)).toEqual(before);
  expect(h.shown('RegistryCacheConfigured')).toMatch(
    /^Pending False RegistryCacheGardenClusterConfigurationFailed .*Secret default\/one of a registry cache has more than 16384 bytes/,
  );
});

test.each(['this program', 'a version that records no Runtime'])(
  '[N130] without caches their Secrets of %s go',
  async (whose) => {
    await started();
    if (whose !== 'this program')
      for (const { metadata } of ofCaches())
        await h.gardener.client
          .otherProgram()
          .mergePatch(secrets, metadata, { metadata: { annotations: null } });
    await users().delete(registryCacheConfigs, { namespace: 'default', name: 'one' });
    await h.wait(HOUR);
    await h.wait(60_000);
    expect([named(), references(), ofCaches()]).toEqual([[], ['auditlog-credentials'], []]);
    expect(h.shown('RegistryCacheConfigured')).toBeUndefined();
  },
);

const one = { namespace: 'default', name: 'one' };

test('a cache whose users take its credentials away has no copy of them any more', async () => {
  await started();
  await users().mergePatch(registryCacheConfigs, one, { spec: { secretReferenceName: null } });
  await h.wait(HOUR + 120_000);
  expect([named(), references(), ofCaches()]).toEqual([[undefined], ['auditlog-credentials'], []]);
});

test('the Runtime says that there may be Secrets before there is one', async () => {
  await started([]);
  const shown: unknown[] = [];
  h.gardener.client.onRequest(({ verb, type }) => {
    if (verb === 'create' && type.kind === 'Secret') shown.push(h.shown('RegistryCacheConfigured'));
  });
  await users().create(secrets, credentials('one'));
  await users().create(registryCacheConfigs, cacheConfig('one', wanting('one.example.org', 'one')));
  await h.wait(HOUR + 120_000);
  expect(shown).toEqual([expect.stringContaining('The registry cache is being configured')]);
});

test('credentials that come back are in a Secret that stays', async () => {
  await started();
  let fails = true;
  h.gardener.client.onRequest(({ verb, type }) => {
    if (fails && verb === 'update' && type.kind === shoots.kind)
      throw apiError(503, 'ServiceUnavailable', 'down');
  });
  await users().mergePatch(secrets, one, { data: { x: 'eA==' } });
  await force();
  await h.wait(30_000);
  expect(ofCaches().map(dirty).toSorted()).toEqual(['true', undefined]);
  await users().mergePatch(secrets, one, { data: { x: null } });
  await h.wait(600_000);
  fails = false;
  await h.wait(2 * HOUR);
  expect(ofCaches().map((each) => [each.data, dirty(each)])).toEqual([[data, undefined]]);
  expect(broken()).toEqual([]);
});

test('what users see of a cache has the time at which its status changed last', async () => {
  await started();
  const changedAt = () => {
    const found = h.runtime.peek(registryCacheConfigs, one);
    return valueAt(found?.status, ['conditions', '0', 'lastTransitionTime']);
  };
  const before = changedAt();
  await h.wait(60_000);
  expect(changedAt()).toBe(before);
  // It is configured meanwhile.
  await force();
  await h.wait(60_000);
  expect(stateOf()).toBe('Ready True RegistryCacheConfigured');
  expect(changedAt()).not.toBe(before);
});

test('an object that users create anew under the name of a cache does not show the state of the former', async () => {
  await started();
  // The Runtime has the former.
  h.runtime.onRequest(({ verb, type }) => {
    if (verb === 'list' && type.kind === registryCacheConfigs.kind)
      throw apiError(503, 'ServiceUnavailable', 'away');
  });
  await users().delete(registryCacheConfigs, one);
  await users().create(registryCacheConfigs, cacheConfig('one', wanting('one.example.org', 'one')));
  await force();
  await h.wait(60_000);
  expect(stateOf()).toBe('undefined undefined undefined');
});

test('[N127] without caches, or without the flag, nothing is read and written in Gardener', async () => {
  await started([]);
  expect(requestsForSecrets()).toBe(0);
  await h.stop();
  await started(['one'], false);
  expect(requestsForSecrets()).toBe(0);
});

test('[N129] a cache without a Secret costs none', async () => {
  await started([]);
  await users().create(registryCacheConfigs, cacheConfig('one', wanting('one.example.org')));
  await h.wait(HOUR);
  await h.wait(60_000);
  expect([named(), ofCaches()]).toEqual([[undefined], []]);
  expect(stateOf()).toBe('Ready True RegistryCacheConfigured');
});

test('[N128] a cluster that is away delays the patch, and the Runtime says why', async () => {
  await started();
  const end = h.runtime.onRequest(({ type }) => {
    if (type.kind === registryCacheConfigs.kind) throw apiError(503, 'ServiceUnavailable', 'away');
  });
  await force();
  await h.wait(10_000);
  expect(h.shown('RegistryCacheConfigured')).toMatch(
    // The controller that reads the caches fails too.
    /^Pending (False RegistryCacheGardenClusterConfigurationFailed|Unknown RegistryCacheError) .*away$/,
  );
  end();
  await h.wait(600_000);
  expect(h.shown('RegistryCacheConfigured')).toMatch(/^Ready True /);
});

test('a change of the Shoot does not wait for a cluster that is away, since it may be what helps, unless there is a new cache', async () => {
  await started();
  const before = named();
  let isAway = true;
  h.runtime.onRequest(() => {
    if (isAway) throw apiError(503, 'ServiceUnavailable', 'away');
  });
  await h.patch({ spec: { shoot: { purpose: 'testing' } } });
  await h.wait(60_000);
  expect([h.shoot()?.spec?.purpose, named(), broken()]).toEqual(['testing', before, []]);
  expect(h.shown('RegistryCacheConfigured')).toMatch(
    /^Pending (False RegistryCacheGardenClusterConfigurationFailed|Unknown RegistryCacheError) .*away$/,
  );
  const [cache] = h.stored()?.spec?.imageRegistryCache ?? [];
  const config = wanting('new.example.org', 'new');
  await h.patch({
    spec: {
      imageRegistryCache: [cache, { ...cache, uid: 'new', name: 'new', config }],
      shoot: { purpose: 'evaluation' },
    },
  });
  await h.wait(60_000);
  expect([h.shoot()?.spec?.purpose, named()]).toEqual(['testing', before]);
  isAway = false;
  await h.wait(2 * HOUR);
  expect(h.shown('RegistryCacheConfigured')).toMatch(/^Ready True /);
  expect([h.shoot()?.spec?.purpose, named()]).toEqual(['evaluation', before]);
});

test('a change of the Shoot does not wait for a cluster without a kubeconfig', async () => {
  await started();
  const before = named();
  h.gardener.client.onRequest(({ subresource }) => {
    if (subresource === 'adminkubeconfig') throw apiError(503, 'ServiceUnavailable', 'down');
  });
  await h.client.otherProgram().delete(secrets, { namespace: NAMESPACE, name: 'kubeconfig-runtime-1' });
  await h.patch({ spec: { shoot: { purpose: 'testing' } } });
  await h.wait(60_000);
  expect([h.shoot()?.spec?.purpose, named(), broken()]).toEqual(['testing', before, []]);
});

test('a change of the Shoot waits until Gardener has the credentials of its caches', async () => {
  await started();
  let isDown = true;
  h.gardener.client.onRequest(({ type }) => {
    if (isDown && type.kind === 'Secret') throw apiError(503, 'ServiceUnavailable', 'down');
  });
  await users().mergePatch(secrets, one, { data: { x: 'eA==' } });
  await h.patch({ spec: { shoot: { purpose: 'testing' } } });
  await h.wait(60_000);
  expect(h.shoot()?.spec?.purpose).toBe('development');
  isDown = false;
  await h.wait(600_000);
  expect([h.shoot()?.spec?.purpose, broken(), ofCaches().length]).toEqual(['testing', [], 1]);
});

test.each(['the cache', 'the Runtime'])(
  'a Secret that no Shoot came to refer to goes with %s',
  async (what) => {
    await started([]);
    h.gardener.client.onRequest(({ verb, type, body }) => {
      if (verb !== 'update' || type.kind !== shoots.kind) return;
      const { extensions = [] } = (body as Shoot).spec ?? {};
      if (extensions.some((each) => each.type === 'registry-cache'))
        throw apiError(422, 'Invalid', 'no caches');
    });
    await users().create(secrets, credentials('one'));
    await users().create(registryCacheConfigs, cacheConfig('one', wanting('one.example.org', 'one')));
    await h.wait(2 * HOUR);
    expect([ofCaches().length, named(), h.stored()?.status?.state]).toEqual([1, [], 'Ready']);
    if (what === 'the Runtime') await h.delete();
    else await users().delete(registryCacheConfigs, { namespace: 'default', name: 'one' });
    await h.wait(2 * HOUR);
    expect(h.stored()?.spec?.imageRegistryCache ?? []).toEqual([]);
    expect([ofCaches(), h.shown('RegistryCacheConfigured')]).toEqual([[], undefined]);
  },
);

test('a dry run knows the Secrets that the Shoot has', async () => {
  await started();
  const { checks } = await previewPatches({
    ...{ client: h.client, gardener: h.gardener.client, project: h.gardener.project },
    ...{ namespace: NAMESPACE, rendering: renderingOf(), accessControlEnabled: false },
    auditLogsEnabled: false,
    signal: AbortSignal.timeout(10_000),
  });
  expect(checks).toMatchObject([{ status: 'ok', detail: 'no patch would change its Shoot' }]);
});

test.each([
  ['[N33]', 'list', 'Pending False RegistryCacheGardenClusterConfigurationFailed .*why$'],
  ['[N130]', 'delete', 'Ready False RegistryCacheGardenClusterCleanupFailed .*why$'],
] as const)('%s Secrets of Gardener that this program may not %s', async (_, verb, shown) => {
  await started();
  await users().mergePatch(secrets, { namespace: 'default', name: 'one' }, { data: { x: 'eA==' } });
  const end = h.gardener.client.onRequest((request) => {
    if (request.type.kind === 'Secret' && request.verb === verb) throw apiError(403, 'Forbidden', 'why');
  });
  await force();
  await h.wait(30_000);
  if (verb === 'delete')
    expect(h.shown('RegistryCacheConfigured')).toMatch(
      /False RegistryCacheGardenClusterCleanupFailed .*why$/,
    );
  else expect(h.shown('RegistryCacheConfigured')).toMatch(new RegExp(`^${shown}`));
  end();
  await h.wait(600_000);
  expect(h.shown('RegistryCacheConfigured')).toMatch(/^Ready True /);
  expect(ofCaches()).toHaveLength(1);
});

describe('caches that Gardener refuses', () => {
  const sizeOf = (shoot?: Shoot) =>
    shoot?.spec?.extensions
      ?.filter(({ type }) => type === 'registry-cache')
      .map(({ providerConfig }) => valueAt(valueAt(providerConfig, ['caches']), ['0', 'volume', 'size']));
  const immutable = 'caches[0].volume.size: Invalid value: field is immutable';
  const resize = (name: string, size: string) =>
    users().mergePatch(registryCacheConfigs, { namespace: 'default', name }, { spec: { volume: { size } } });
  /** A Runtime with two caches, and the admission of the extension. */
  async function startedWithVolumes(code: number): Promise<void> {
    await started(['one', 'two']);
    await resize('one', '5Gi');
    await h.wait(HOUR + 120_000);
    expect([sizeOf(h.shoot()), stateOf()]).toEqual([['5Gi'], 'Ready True RegistryCacheConfigured']);
    h.gardener.client.onRequest((request) => {
      if (
        request.verb === 'update' &&
        request.type.kind === shoots.kind &&
        !sizeOf(request.body as Shoot)?.includes('5Gi')
      )
        throw apiError(code, code === 403 ? 'Forbidden' : 'Invalid', immutable);
    });
  }

  test.each([422, 403])('are left as the Shoot has them, and hold no other change: %i', async (code) => {
    await startedWithVolumes(code);
    await resize('one', '7Gi');
    await h.wait(HOUR + 120_000);
    expect([sizeOf(h.shoot()), stateOf(), stateOf('two')]).toEqual([
      ['5Gi'],
      'Failed False RegistryCacheExtensionConfigurationFailed',
      'Ready True RegistryCacheConfigured',
    ]);
    expect(h.shown('RegistryCacheConfigured')).toContain(immutable);
    expect(h.shown('RegistryCacheConfigured')).toMatch(
      /^Ready False RegistryCacheExtensionConfigurationFailed /,
    );
    await h.patch({ spec: { shoot: { purpose: 'testing' } } });
    await h.wait(120_000);
    expect([h.shoot()?.spec?.purpose, sizeOf(h.shoot()), broken(), h.stored()?.status?.state]).toEqual([
      'testing',
      ['5Gi'],
      [],
      'Ready',
    ]);
    expect(stateOf()).toBe('Failed False RegistryCacheExtensionConfigurationFailed');
    const puts = () => h.gardener.client.requests.filter(({ verb }) => verb === 'update').length;
    const before = puts();
    await h.wait(HOUR / 4);
    expect(puts()).toBe(before);
    await resize('one', '5Gi');
    await h.wait(HOUR + 120_000);
    expect([h.shown('RegistryCacheConfigured'), stateOf()]).toEqual([
      'Ready True RegistryCacheConfigured Registry cache configured successfully',
      'Ready True RegistryCacheConfigured',
    ]);
  });

  test('do not hide what else is refused', async () => {
    await started();
    h.gardener.client.onRequest(({ verb, type }) => {
      if (verb === 'update' && type.kind === shoots.kind) throw apiError(422, 'Invalid', 'no such purpose');
    });
    await resize('one', '7Gi');
    await h.patch({ spec: { shoot: { purpose: 'testing' } } });
    await h.wait(HOUR + 120_000);
    expect(h.shown()).toMatch(/^Failed False ProcessingErr .*no such purpose/);
  });
});

test('[N34] [N35] a Runtime that cannot be rendered shows that to the users of its caches', async () => {
  await started();
  await h.patch({
    metadata: { labels: { 'kyma-project.io/instance-id': null } },
    spec: { shoot: { purpose: 'testing' } },
  });
  await h.wait(10_000);
  expect(h.shown()).toMatch(/^Failed False ConversionErr /);
  expect(stateOf()).toBe('Failed False RegistryCacheExtensionConfigurationFailed');
  h.runtime.onRequest(() => {
    throw apiError(503, 'ServiceUnavailable', 'away');
  });
  await h.patch({ spec: { shoot: { purpose: 'evaluation' } } });
  await h.wait(10_000);
  expect(h.shown()).toMatch(/^Failed False ConversionErr /);
});

test('[N36] without the flag the cluster is not asked when a Runtime cannot be rendered', async () => {
  await started([], false);
  const before = h.runtime.requests.length;
  await h.patch({
    metadata: { labels: { 'kyma-project.io/instance-id': null } },
    spec: { shoot: { purpose: 'testing' } },
  });
  await h.wait(10_000);
  expect(h.shown()).toMatch(/^Failed False ConversionErr /);
  expect(h.runtime.requests.length).toBe(before);
});

test('[N14] [N15] with the Runtime its Secrets go, as soon as Gardener lets them go', async () => {
  await started();
  const end = h.gardener.client.onRequest(({ type, verb }) => {
    if (type.kind === 'Secret' && verb === 'list') throw apiError(403, 'Forbidden', 'no rights');
  });
  await h.delete();
  await h.wait(300_000);
  expect(h.shoot()).toBeUndefined();
  expect(h.shown('Deprovisioned')).toMatch(
    /^Terminating False GardenerErr Cannot delete the Secrets of registry caches in Gardener: .*no rights$/,
  );
  const before = requestsForSecrets();
  await h.wait(300_000);
  expect(requestsForSecrets() - before).toBeLessThan(10);
  end();
  await h.wait(600_000);
  expect([h.stored(), ofCaches()]).toEqual([undefined, []]);
});

/** Caches of image registries, from RegistryCacheConfigs of a runtime to its Shoot, by their numbers (test/scenarios.test.ts). */
import { afterEach, expect, test } from '@jest/globals';
import {
  type Runtime,
  runtimes,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { kymas, registryCacheConfigs, wantedCaches } from '../registry-cache-config.ts';
import { runtimeOf } from '../runtime/fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from '../runtime/fixtures/runtime-harness.fixture.ts';
import { cacheConfig, installKyma, KYMA } from './fixtures/registry-module.fixture.ts';

let h: RuntimeHarness<SimulatedGardener>;
const started = async (modules?: readonly string[]) => {
  h = await startRuntimeHarness(startSimulatedGardener, { hasRegistryCaches: true });
  await installKyma(users(), modules);
};
afterEach(async () => {
  await h?.stop();
});

const docker = { upstream: 'docker.io', volume: { size: '20Gi' } };
const users = () => h.runtime.otherProgram();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const known = () => h.stored()?.spec?.imageRegistryCache;
const upstreams = () => known()?.map(({ config }) => config.upstream);
const extension = () => h.shoot()?.spec?.extensions?.find(({ type }) => type === 'registry-cache');
const shown = () => h.shown('RegistryCacheConfigured');
const patches = () =>
  h.gardener.client.requests.filter(({ verb, type }) => verb === 'update' && type.kind === 'Shoot').length;
/** A Runtime that has caches already, of either shape. */
const withCaches = (imageRegistryCache: unknown): Runtime => {
  const runtime = runtimeOf();
  const { spec } = runtime;
  if (spec === undefined) throw new Error('a Runtime has a spec');
  return { ...runtime, spec: { ...spec, imageRegistryCache: imageRegistryCache as [] } };
};
const cache = { name: 'old', namespace: 'default', uid: 'u', config: { upstream: 'quay.io' } };

test('[I70] [N87] a runtime with a cache has it in its Shoot, also if the first request fails', async () => {
  await started();
  let failures = 1;
  h.runtime.onRequest(({ type, verb }) => {
    if (type.kind !== registryCacheConfigs.kind || verb !== 'list' || failures === 0) return;
    failures -= 1;
    throw apiError(500, 'InternalError', 'down');
  });
  const { metadata } = await users().create(registryCacheConfigs, cacheConfig('one', docker));
  await h.create(runtimeOf());
  await h.wait(MINUTE);
  expect(failures).toBe(0);
  expect(known()).toEqual([{ name: 'one', namespace: 'default', uid: metadata.uid, config: docker }]);
  expect(extension()).toMatchObject({ disabled: false, providerConfig: { caches: [docker] } });
  expect(h.stored()?.status?.state).toBe('Ready');
});

test('a Runtime that is restored without its status, beside its kubeconfig, gets its caches without a poll', async () => {
  await started();
  await h.create(runtimeOf());
  await h.wait(MINUTE);
  const { metadata } = runtimeOf();
  const others = h.client.otherProgram();
  await users().create(registryCacheConfigs, cacheConfig('one', docker));
  await others.mergePatch(runtimes, metadata, { metadata: { finalizers: null } });
  await others.delete(runtimes, metadata);
  await h.create(runtimeOf());
  await h.wait(MINUTE);
  expect(upstreams()).toEqual(['docker.io']);
});

test.each([
  ['[I71] [N88] without the module loses its caches', [], [cache], undefined],
  ['[N89] without the module and without caches is not written', [], undefined, undefined],
  [
    '[N11] of the shape before 1.41 is not written without caches',
    ['registry-cache'],
    { enabled: true },
    { enabled: true },
  ],
])('a runtime %s', async (_, modules, before, after) => {
  await started(modules);
  await h.create(before === undefined ? runtimeOf() : withCaches(before));
  const generation = h.stored()?.metadata.generation;
  await h.wait(MINUTE);
  expect(known()).toEqual(after);
  expect(extension()).toBeUndefined();
  if (JSON.stringify(before) === JSON.stringify(after))
    expect(h.stored()?.metadata.generation).toBe(generation);
});

test('[N11] of the shape before 1.41 the caches of a runtime replace the field', async () => {
  await started();
  await users().create(registryCacheConfigs, cacheConfig('one', docker));
  await h.create(withCaches({ enabled: true }));
  await h.wait(MINUTE);
  expect(upstreams()).toEqual(['docker.io']);
});

test('[N90] a runtime without the kind of modules has no caches, and no error', async () => {
  h = await startRuntimeHarness(startSimulatedGardener, { hasRegistryCaches: true });
  await h.create(runtimeOf());
  await h.wait(MINUTE);
  expect(known()).toBeUndefined();
  expect(shown()).toBeUndefined();
  expect(h.runtime.requests.some(({ type }) => type.kind === registryCacheConfigs.kind)).toBe(false);
});

test('[I10.5] [I72] [N91] a runtime that does not respond keeps the caches of its Shoot, and the condition says why', async () => {
  await started();
  await users().create(registryCacheConfigs, cacheConfig('one', docker));
  await h.create(runtimeOf());
  await h.wait(MINUTE);
  const end = h.runtime.onRequest(({ type }) => {
    if (type.kind === kymas.kind) throw apiError(503, 'ServiceUnavailable', 'down');
  });
  await h.wait(HOUR);
  expect(shown()).toMatch(/^Ready Unknown RegistryCacheError Failed to configure registry cache: .*down/);
  expect(upstreams()).toEqual(['docker.io']);
  expect(extension()).toMatchObject({ disabled: false });
  end();
  await h.wait(2 * HOUR);
  expect(shown()).toMatch(/^Ready True /);
  expect(h.stored()?.status?.state).toBe('Ready');
});

test('[N92] a Runtime that is deleted is not changed', async () => {
  await started();
  await h.create(runtimeOf());
  await h.wait(MINUTE);
  await h.delete();
  await users().create(registryCacheConfigs, cacheConfig('one', docker));
  const before = h.runtime.requests.length;
  await h.restart();
  await h.wait(MINUTE);
  expect(h.runtime.requests.slice(before).filter(({ type }) => type.kind === kymas.kind)).toEqual([]);
  expect(known()).toBeUndefined();
});

test('[I10.8] [N27] [N28] changed caches reach the Shoot, equal ones cost no patch, and without caches they are removed', async () => {
  await started();
  await users().create(registryCacheConfigs, cacheConfig('one', docker));
  await h.create(runtimeOf());
  await h.wait(2 * MINUTE);
  const before = patches();
  const ghcr = { upstream: 'ghcr.io', remoteURL: 'https://ghcr.io' };
  await users().create(registryCacheConfigs, cacheConfig('two', ghcr));
  await h.wait(HOUR);
  expect(extension()).toMatchObject({ providerConfig: { caches: [docker, ghcr] } });
  expect(patches()).toBe(before + 1);
  await h.wait(2 * HOUR);
  expect(patches()).toBe(before + 1);
  await users().mergePatch(kymas, KYMA, { spec: { modules: [] } });
  await h.wait(HOUR);
  expect(known()).toBeUndefined();
  expect(extension()).toBeUndefined();
});

test('a Runtime with the ID of another one does not get its caches, and its condition says why', async () => {
  await started();
  await users().create(registryCacheConfigs, cacheConfig('one', docker));
  await h.create(runtimeOf());
  await h.wait(2 * MINUTE);
  const copy = runtimeOf({ name: 'two' }, { name: 'runtime-2' });
  await h.client.otherProgram().create(runtimes, copy);
  await h.wait(2 * MINUTE);
  const { spec, status } = h.client.peek(runtimes, copy.metadata) ?? {};
  expect(spec?.imageRegistryCache).toBeUndefined();
  expect(status?.conditions?.find((each) => each.type === 'RegistryCacheConfigured')).toMatchObject({
    status: 'False',
    reason: 'RegistryCacheError',
    message: expect.stringContaining('GardenerCluster kcp-system/runtime-1 is of another Shoot'),
  });
});

test('after a restart the caches of the Shoot stay until they have been read', async () => {
  await started();
  await users().create(registryCacheConfigs, cacheConfig('one', docker));
  await h.create(runtimeOf());
  await h.wait(2 * MINUTE);
  const before = patches();
  await h.restart();
  await h.wait(2 * MINUTE);
  expect(extension()).toMatchObject({ disabled: false, providerConfig: { caches: [docker] } });
  expect(patches()).toBe(before);
});

test('more caches than a Shoot can have are refused, and the condition says so', async () => {
  await started();
  for (let index = 0; index < 20; index++)
    await users().create(
      registryCacheConfigs,
      cacheConfig(`c${index}`, { upstream: `${'x'.repeat(1000)}${index}` }),
    );
  await h.create(runtimeOf());
  await h.wait(MINUTE);
  expect(shown()).toMatch(/^Ready False RegistryCacheError .*more than 16384 bytes$/);
  expect(known()).toBeUndefined();
});

test.each([
  ['without a spec', undefined, []],
  ['that is a text', 'docker.io', []],
  ['without an upstream', { remoteURL: 'https://example.org' }, []],
  ['with an empty upstream', { upstream: '' }, []],
  [
    'with fields of wrong types',
    { upstream: 'docker.io', volume: [], proxy: { httpProxy: 7 }, garbageCollection: 'never' },
    [{ upstream: 'docker.io', volume: {}, proxy: {} }],
  ],
  ['with a long text', { upstream: 'x'.repeat(2000) }, []],
  [
    'with a size in bytes, as its CRD permits,',
    { upstream: 'docker.io', volume: { size: 10_737_418_240 } },
    [{ upstream: 'docker.io', volume: { size: 10_737_418_240 } }],
  ],
  [
    'with a size that is no whole number',
    { upstream: 'docker.io', volume: { size: 0.5 } },
    [{ upstream: 'docker.io', volume: {} }],
  ],
])('a RegistryCacheConfig %s is read', (_, spec, configs) => {
  expect(wantedCaches([cacheConfig('one', spec)]).map(({ config }) => config)).toEqual(configs);
});

test('of two RegistryCacheConfigs with one upstream the first counts', () => {
  const [first, second] = [cacheConfig('a', docker), cacheConfig('b', { upstream: 'docker.io' })];
  expect(wantedCaches([second, first]).map(({ name }) => name)).toEqual(['a']);
});

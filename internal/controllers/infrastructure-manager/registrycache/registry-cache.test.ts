/** Caches of image registries, from CustomConfigs of a runtime to its Shoot, by the numbers of test/scenarios.yaml. */
import { afterEach, expect, test } from '@jest/globals';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { apiError } from '../../../kube/fakes/memory-client.ts';
import { runtimeOf } from '../runtime/fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from '../runtime/fixtures/runtime-harness.fixture.ts';
import { type CustomConfig, cachesOf, customConfigs } from './custom-config.ts';

let h: RuntimeHarness<SimulatedGardener>;
const started = async () => {
  h = await startRuntimeHarness(startSimulatedGardener, { hasRegistryCaches: true });
};
afterEach(async () => {
  await h?.stop();
});

const config = (caches: unknown, name = 'caches'): CustomConfig => ({
  apiVersion: customConfigs.apiVersion,
  kind: customConfigs.kind,
  metadata: { namespace: 'default', name },
  spec: { caches },
});
const docker = { upstream: 'docker.io', volume: { size: '20Gi' } };
const users = () => h.runtime.otherProgram();
const MINUTE = 60_000;

const isEnabled = () => h.stored()?.spec?.imageRegistryCache?.enabled;
const extension = () => h.shoot()?.spec?.extensions?.find(({ type }) => type === 'registry-cache');
const shown = () => h.shown('RegistryCacheConfigured');
const patches = () =>
  h.gardener.client.requests.filter(({ verb, type }) => verb === 'update' && type.kind === 'Shoot').length;

test('[I70] a runtime with caches has them in its Shoot, also if the first request fails', async () => {
  await started();
  let failures = 1;
  h.runtime.onRequest(({ type, verb }) => {
    if (type.kind !== customConfigs.kind || verb !== 'list' || failures === 0) return;
    failures -= 1;
    throw apiError(500, 'InternalError', 'down');
  });
  await users().create(customConfigs, config([docker]));
  await h.create(runtimeOf());
  await h.wait(MINUTE);
  expect(failures).toBe(0);
  expect(isEnabled()).toBe(true);
  expect(extension()).toMatchObject({ disabled: false, providerConfig: { caches: [docker] } });
  expect(h.stored()?.status?.state).toBe('Ready');
  expect(shown()).toBeUndefined();
});

test('[I71] a runtime without caches has none in its Shoot, also if it was enabled before', async () => {
  await started();
  const runtime = runtimeOf();
  const { spec } = runtime;
  if (spec === undefined) throw new Error('a Runtime has a spec');
  await h.create({ ...runtime, spec: { ...spec, imageRegistryCache: { enabled: true } } });
  await h.wait(MINUTE);
  expect(isEnabled()).toBe(false);
  expect(extension()).toBeUndefined();
});

test('[I72] a runtime that does not respond keeps the caches of its Shoot, and the condition says why', async () => {
  await started();
  await users().create(customConfigs, config([docker]));
  await h.create(runtimeOf());
  await h.wait(MINUTE);
  const end = h.runtime.onRequest(({ type }) => {
    if (type.kind === customConfigs.kind) throw apiError(503, 'ServiceUnavailable', 'down');
  });
  await h.wait(2 * MINUTE);
  expect(shown()).toMatch(
    /^Ready Unknown RegistryCacheConfigurationErr Failed to configure registry cache: .*down/,
  );
  expect(isEnabled()).toBe(true);
  expect(extension()).toMatchObject({ disabled: false });
  end();
  await h.wait(5 * MINUTE);
  expect(shown()).toBeUndefined();
  expect(h.stored()?.status?.state).toBe('Ready');
});

test('changed caches reach the Shoot, equal ones cost no patch, and without caches they are disabled', async () => {
  await started();
  await users().create(customConfigs, config([docker]));
  await h.create(runtimeOf());
  await h.wait(2 * MINUTE);
  const before = patches();
  const ghcr = { upstream: 'ghcr.io', remoteURL: 'https://ghcr.io' };
  await users().create(customConfigs, config([ghcr, docker], 'more'));
  await h.wait(2 * MINUTE);
  expect(extension()).toMatchObject({ providerConfig: { caches: [docker, ghcr] } });
  expect(patches()).toBe(before + 1);
  await h.wait(5 * MINUTE);
  expect(patches()).toBe(before + 1);
  await users().delete(customConfigs, { namespace: 'default', name: 'caches' });
  await users().delete(customConfigs, { namespace: 'default', name: 'more' });
  await h.wait(2 * MINUTE);
  expect(isEnabled()).toBe(false);
  expect(extension()).toMatchObject({ disabled: true });
});

test('after a restart the caches of the Shoot stay until they have been read', async () => {
  await started();
  await users().create(customConfigs, config([docker]));
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
  const many = Array.from({ length: 1000 }, (_, index) => ({ upstream: `registry-${index}.example.org` }));
  await users().create(customConfigs, config(many));
  await h.create(runtimeOf());
  await h.wait(MINUTE);
  expect(shown()).toMatch(/^Ready False RegistryCacheConfigurationErr .*more than 16384 bytes$/);
  expect(isEnabled()).toBeUndefined();
});

test.each([
  ['without a spec', undefined, []],
  ['without a list', { caches: 'docker.io' }, []],
  [
    'with entries that are none',
    { caches: [null, 1, 'docker.io', {}, { upstream: 7 }, { upstream: '' }] },
    [],
  ],
  [
    'with fields of wrong types',
    { caches: [{ upstream: 'docker.io', volume: [], proxy: { httpProxy: 7 }, garbageCollection: 'never' }] },
    [{ upstream: 'docker.io' }],
  ],
  ['with a long text', { caches: [{ upstream: 'x'.repeat(2000) }] }, []],
  [
    'with one upstream twice',
    { caches: [{ upstream: 'docker.io' }, { upstream: 'docker.io', remoteURL: 'https://example.org' }] },
    [{ upstream: 'docker.io' }],
  ],
])('a CustomConfig %s is read', (_, spec, caches) => {
  expect(cachesOf([{ ...config([]), spec }])).toEqual(caches);
});

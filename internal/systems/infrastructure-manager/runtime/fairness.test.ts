/** Which Runtimes go first, and what a Gardener that throttles slows. */
import { afterEach, expect, test } from '@jest/globals';
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import { runtimes } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { createMemoryClient, type MemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import { KubeApiError } from '../../../framework/kube/index.ts';
import { labels } from '../metadata.ts';
import { requiredLabels } from '../rendering/fixtures/rendering.fixture.ts';
import { NAMESPACE, runtimeOf } from './fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from './fixtures/runtime-harness.fixture.ts';

let h: RuntimeHarness<SimulatedGardener>;
afterEach(async () => {
  await Promise.all([h.stop(), h.wait(60_000)]);
});

const SETTLED = 40;
/** Time of each answer of a runtime cluster, in ms. */
const SLOW_MS = 1000;

const key = (name: string) => ({ namespace: NAMESPACE, name });
const create = (name: string, account = 'account') => {
  const of = { [labels.runtimeId]: name, [labels.globalAccountId]: account };
  const runtime = runtimeOf({ name }, { name, labels: { ...requiredLabels, ...of } });
  return h.client.otherProgram().create(runtimes, runtime);
};
const stateOf = (name: string) => h.client.peek(runtimes, key(name))?.status?.state;
const shootOf = (name: string): Shoot | undefined =>
  h.gardener.client.peek(shoots, { namespace: h.gardener.namespace, name });
const names = Array.from({ length: SETTLED }, (_, index) => `r${index}`);

const withMaximum = (maximum: number) => ({
  spec: { shoot: { provider: { workers: [{ ...worker(), maximum }] } } },
});

async function settled(): Promise<void> {
  h = await startRuntimeHarness(startSimulatedGardener);
  await allSettled();
}

async function allSettled(): Promise<void> {
  for (const name of names) await create(name);
  await h.wait(60_000);
  expect(names.map(stateOf).filter((state) => state !== 'Ready')).toEqual([]);
}

test('new, changed and deleted Runtimes go before those that are checked after a start', async () => {
  await settled();
  let checks = 0;
  h.runtime.onRequest(async () => {
    checks += 1;
    await new Promise<void>((resolve) => h.clock.after(SLOW_MS, resolve));
  });
  await h.restart();
  await create('new');
  await h.client.otherProgram().delete(runtimes, key('r38'));
  await h.client.otherProgram().mergePatch(runtimes, key('r39'), withMaximum(7));
  await h.wait(5 * SLOW_MS);
  expect(shootOf('new')?.status?.lastOperation?.state).toBe('Succeeded');
  expect(shootOf('r38')).toBeUndefined();
  expect(shootOf('r39')?.spec?.provider.workers).toMatchObject([{ maximum: 7 }]);
  // Two requests for each Runtime.
  expect(checks).toBeLessThan(SETTLED);
  await h.wait(120_000);
  expect(checks).toBeGreaterThanOrEqual(2 * (SETTLED - 1));
  expect(stateOf('new')).toBe('Ready');
});

test('very many clusters of one account that never respond do not delay the Runtimes of another one', async () => {
  let silent: MemoryClient | undefined;
  h = await startRuntimeHarness(startSimulatedGardener, {
    clusterAt: (server) => {
      if (!server.includes('silent')) return h.runtime;
      if (silent === undefined) {
        silent = createMemoryClient({ clock: h.clock });
        silent.onRequest(() => new Promise<void>((resolve) => h.clock.after(20_000, resolve)));
      }
      return silent;
    },
  });
  for (let n = 0; n < 20; n++) await create(`silent-${n}`, 'hostile');
  await h.wait(5000);
  await create('shop');
  await h.wait(2000);
  expect(stateOf('shop')).toBe('Ready');
});

test('very many Runtimes of one account delay a new one of another by a turn', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  // Gardener takes so long for each request.
  const end = h.gardener.client.onRequest(async ({ verb }) => {
    if (verb !== 'watch') await new Promise<void>((resolve) => h.clock.after(SLOW_MS, resolve));
  });
  for (let n = 0; n < SETTLED; n++) await create(`many-${n}`, 'hostile');
  await h.wait(SLOW_MS);
  await create('shop');
  await h.wait(10 * SLOW_MS);
  expect(shootOf('shop')).toBeDefined();
  expect(names.filter((_, n) => shootOf(`many-${n}`) === undefined).length).toBeGreaterThan(SETTLED / 4);
  end();
});

test('of many changes at once each stores two statuses: none begins with its cluster before that has a slot', async () => {
  await settled();
  h.runtime.onRequest(() => new Promise<void>((resolve) => h.clock.after(SLOW_MS / 10, resolve)));
  const before = h.client.requests.length;
  for (const name of names) await h.client.otherProgram().mergePatch(runtimes, key(name), withMaximum(7));
  await h.wait(60_000);
  expect(names.map(stateOf).filter((state) => state !== 'Ready')).toEqual([]);
  const statuses = h.client.requests.slice(before).filter(({ subresource }) => subresource === 'status');
  expect(statuses.length / SETTLED).toBe(2);
});

test('a reconcile that finds no slot in its cluster forgets nothing of what that was told', async () => {
  await settled();
  h.runtime.onRequest(() => new Promise<void>((resolve) => h.clock.after(SLOW_MS / 10, resolve)));
  const before = h.runtime.requests.length;
  const moved = { metadata: { labels: { [labels.subaccountId]: 'moved' } } };
  for (const name of names) await h.client.otherProgram().mergePatch(runtimes, key(name), moved);
  await h.wait(60_000);
  const sent = h.runtime.requests.slice(before).map(({ verb, type }) => `${verb} ${type.kind}`);
  expect(sent).toEqual(names.map(() => 'patch ConfigMap'));
});

test('Runtimes that were changed while no process ran are patched first after a start', async () => {
  h = await startRuntimeHarness(startSimulatedGardener, { isStopped: true });
  const end = await h.startProcess({});
  await allSettled();
  await end();
  const changed = names.slice(-5);
  for (const name of changed) await h.client.otherProgram().mergePatch(runtimes, key(name), withMaximum(8));
  h.runtime.onRequest(() => new Promise<void>((resolve) => h.clock.after(SLOW_MS, resolve)));
  const stop = await h.startProcess({});
  // The others, one after the other, take four times as long.
  await h.wait(5 * SLOW_MS);
  expect(changed.map((name) => shootOf(name)?.spec?.provider.workers?.[0]?.maximum)).toEqual(
    changed.map(() => 8),
  );
  await Promise.all([stop(), h.wait(10 * SLOW_MS)]);
});

const worker = () => runtimeOf().spec?.shoot.provider.workers[0];

test('a Gardener that throttles is asked again when it says, and all is as before some seconds after', async () => {
  await settled();
  const retryAfterMs = 5000;
  const attempt = { verb: 'reach', object: 'shoots', clusterName: 'cluster gardener' };
  let refused = 0;
  const end = h.gardener.client.onRequest(({ verb }) => {
    if (verb === 'watch') return;
    refused += 1;
    throw new KubeApiError(attempt, { httpStatus: 429, retryAfterMs });
  });
  const changed = names.slice(0, 20);
  const others = h.client.otherProgram();
  for (const name of changed) await others.mergePatch(runtimes, key(name), withMaximum(9));
  // What needs no Gardener goes on.
  await others.mergePatch(runtimes, key('r30'), {
    metadata: { annotations: { 'operator.kyma-project.io/suspend-patch-reconciliation': 'true' } },
  });
  await others.mergePatch(runtimes, key('r30'), {
    spec: { security: { administrators: ['b@example.org'] } },
  });
  await h.wait(60_000);
  expect(JSON.stringify(h.runtime.requests.map(({ body }) => body))).toContain('b@example.org');
  const times = 60_000 / retryAfterMs;
  expect(refused).toBeGreaterThanOrEqual(changed.length * (times - 2));
  expect(refused).toBeLessThanOrEqual(changed.length * (times + 1));
  expect(changed.map(stateOf)).not.toContain('Failed');
  end();
  await h.wait(retryAfterMs + 2000);
  expect(changed.map((name) => shootOf(name)?.spec?.provider.workers?.[0]?.maximum)).toEqual(
    changed.map(() => 9),
  );
  await h.wait(5000);
  expect(changed.map(stateOf).filter((state) => state !== 'Ready')).toEqual([]);
});

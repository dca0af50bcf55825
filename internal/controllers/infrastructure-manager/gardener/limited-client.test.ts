import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../base/time/fake-clock.ts';
import { createMemoryClient } from '../../../kube/fakes/memory-client.ts';
import { configMaps } from '../../../kube/index.ts';
import { limitRequests } from './limited-client.ts';

const key = { namespace: 'ns', name: 'a' };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key };

test('requests of all kinds together have the rate, after a burst', async () => {
  const clock = createFakeClock();
  const memory = createMemoryClient({ clock });
  const client = limitRequests(memory, { timeoutMs: 1000, ratePerSecond: 2, burst: 3 }, { clock });
  let ended = 0;
  const count = () => void ended++;
  void client.create(configMaps, object).then(count);
  for (let time = 0; time < 3; time++) {
    void client.get(configMaps, key).then(count);
    void client.mergePatch(configMaps, key, {}).then(count);
  }
  await clock.advance(0);
  expect(ended).toBe(3);
  await clock.advance(1000);
  expect(ended).toBe(5);
  await clock.advance(1000);
  expect(ended).toBe(7);
});

test('without a rate none waits', async () => {
  const clock = createFakeClock();
  const memory = createMemoryClient({ clock });
  const client = limitRequests(memory, { timeoutMs: 1000, ratePerSecond: 0, burst: 0 }, { clock });
  await client.create(configMaps, object);
  for (let time = 0; time < 100; time++) await client.get(configMaps, key);
  expect(clock.pending()).toBe(0);
});

test('a request that is not answered in time is given up, though the reconcile has more time', async () => {
  const clock = createFakeClock();
  const hanging = {
    ...createMemoryClient({ clock }),
    get: (_type: unknown, _key: unknown, { signal }: { signal?: AbortSignal } = {}) =>
      new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  };
  const client = limitRequests(hanging, { timeoutMs: 3000, ratePerSecond: 0, burst: 0 }, { clock });
  const { signal } = new AbortController();
  const failure = client.get(configMaps, key, { signal }).catch((error: unknown) => error);
  await clock.advance(3000);
  expect(await failure).toMatchObject({ message: expect.stringContaining('a request to Gardener') });
});

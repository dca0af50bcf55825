import { expect, test } from '@jest/globals';
import { createFakeClock } from '../base/time/fake-clock.ts';
import { createMemoryClient } from '../kube/fakes/memory-client.ts';
import type { Secret } from '../kube/object/object.ts';
import { secrets } from '../kube/object/resource-type.ts';
import type { Check } from './diagnosis.ts';
import { readObject, reportOf } from './object-report.ts';

const key = { namespace: 'shop', name: 'orders' };
const deletionTimestamp = '2024-01-01T00:00:00Z';

/** The report on a Secret with this metadata. */
function report(metadata: Partial<Secret['metadata']>, flags: readonly string[] = []) {
  const client = createMemoryClient({ clock: createFakeClock() });
  client.seed<Secret>(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { ...key, ...metadata } });
  const { signal } = new AbortController();
  async function* follow(): AsyncGenerator<Check> {
    yield* readObject('Secret', { client, signal, flags }, secrets, key);
  }
  return reportOf({ kind: 'secret', ...key, signal }, ['Secret'], follow());
}

test('an object that exists is found', async () => {
  expect(await report({})).toMatchObject({ healthy: true, checks: [{ status: 'ok', detail: 'found' }] });
});

test('a deletion that finalizers of others hold is not healthy, whatever the conditions say', async () => {
  const finalizers = ['example.org/audit', 'foregroundDeletion'];
  const { healthy, checks } = await report({ deletionTimestamp, finalizers });
  expect(healthy).toBe(false);
  expect(checks).toEqual([
    expect.objectContaining({
      name: 'Secret',
      status: 'waiting',
      detail: `found; it is being deleted since ${deletionTimestamp}, and waits for the finalizers example.org/audit, foregroundDeletion`,
      remediation: 'kubectl -n shop get secrets orders',
    }),
  ]);
});

test('the command for an object of another cluster has the flags for that cluster', async () => {
  const { checks } = await report({ deletionTimestamp }, ['--kubeconfig=kyma.yaml']);
  expect(checks).toEqual([
    expect.objectContaining({ remediation: 'kubectl --kubeconfig=kyma.yaml -n shop get secrets orders' }),
  ]);
});

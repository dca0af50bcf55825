/** A cache that is behind the API server, e.g. because its watch is stalled: no destructive write goes out on what it shows. */
import { describe, expect, test } from '@jest/globals';
import { apiError } from '../../kube/fakes/memory-client.ts';
import {
  clusterWidgets,
  createHarness,
  type HarnessOptions,
  type Widget,
  type WidgetParts,
} from '../fakes/managed-harness.ts';
import { conditionsOf, deleted, done, drifted, existing, gone, poll, requeue, upToDate } from './scenario.ts';

const type = clusterWidgets;
const replaceable = { ...drifted, replace: 'drift', externalName: 'x' } as const;

/** A reconciler whose cache never hears of what happens after its start. */
function stalled(options: Omit<HarnessOptions, 'type'>) {
  let cached: Widget | undefined;
  const harness = createHarness({
    type,
    ...options,
    options: { ...options.options, read: () => cached },
  });
  cached = harness.stored();
  const { external } = harness;
  return {
    ...harness,
    writes: () => external.calls.filter((verb) => ['create', 'update', 'delete'].includes(verb)),
    reads: () => harness.client.requests.filter(({ verb }) => verb === 'get').length,
    catchUp: () => {
      cached = harness.stored();
    },
  };
}

const paused = { metadata: { annotations: { 'crossplane.io/paused': 'true' } } };
const changes = [
  { what: 'is paused', change: paused },
  { what: 'has another spec', change: { spec: { forProvider: { size: 7 } } } },
  { what: 'has other management policies', change: { spec: { managementPolicies: ['Observe'] } } },
  { what: 'is to be orphaned', change: { spec: { deletionPolicy: 'Orphan' } } },
  { what: 'has other labels', change: { metadata: { labels: { team: 'b' } } } },
];
const named: WidgetParts = {
  metadata: { ...existing.metadata, annotations: { 'crossplane.io/external-name': 'x' } },
};
const operations = [
  { operation: 'a replacement', resource: named, observe: replaceable },
  { operation: 'a deletion', resource: deleted, observe: upToDate },
];

describe.each(operations)('$operation that is decided on an outdated version', ({ resource, observe }) => {
  test.each(changes)('does not take place if the resource $what by now', async ({ change }) => {
    const h = stalled({ resource, external: { observe } });
    await h.patch(change);
    const before = h.stored();
    expect(await h.reconcile()).toEqual(requeue);
    expect(h.writes()).toEqual([]);
    expect(h.recorder.lines()).toEqual([]);
    expect(h.stored()).toEqual(before);
  });

  test('does not take place if the resource is gone by now', async () => {
    const h = stalled({ resource, external: { observe } });
    await h.patch({ metadata: { finalizers: [] } });
    if (resource === named) await h.delete();
    expect(h.stored()).toBeUndefined();
    expect(await h.reconcile()).toEqual(requeue);
    expect(h.writes()).toEqual([]);
    // The next reconcile knows.
    expect(await h.reconcile()).toEqual(gone);
    expect(h.external.calls.filter((verb) => verb === 'observe')).toHaveLength(1);
  });

  test('takes place on the version that was current, after one read', async () => {
    const h = stalled({ resource, external: { observe } });
    await h.reconcile();
    expect(h.writes()[0]).toBe('delete');
    expect(h.reads()).toBe(1);
  });

  test('takes place if only the status was changed by now', async () => {
    const h = stalled({ resource, external: { observe } });
    const stored = h.stored();
    if (stored) await h.client.updateStatus(type, { ...stored, status: { atProvider: { size: 3 } } });
    await h.reconcile();
    expect(h.writes()).toEqual(resource === named ? ['delete', 'create'] : ['delete']);
  });

  test('cannot take place while the API server does not say what is current', async () => {
    const h = stalled({ resource, external: { observe } });
    const { onRequest } = h.client;
    onRequest(({ verb }) => {
      if (verb === 'get') throw apiError(503, 'ServiceUnavailable');
    });
    expect(await h.reconcile()).toEqual(requeue);
    expect(h.writes()).toEqual([]);
    expect(conditionsOf(h)[0]).toMatch(/^Synced=False\/ReconcileError cannot get managed resource: /);
  });
});

test('a resource that is being deleted by now is not replaced but deleted', async () => {
  const h = stalled({ resource: named, external: { observe: replaceable } });
  await h.delete();
  expect(await h.reconcile()).toEqual(requeue);
  expect(h.writes()).toEqual([]);
  await h.reconcile();
  expect(h.writes()).toEqual(['delete']);
});

describe('after a version turned out to be outdated', () => {
  test('the resource is reconciled as the API server has it, though the cache is still behind', async () => {
    const h = stalled({ resource: named, external: { observe: replaceable } });
    await h.patch(paused);
    await h.reconcile();
    expect(await h.reconcile()).toEqual(done);
    expect(conditionsOf(h)[0]).toMatch(/^Synced=False\/ReconcilePaused/);
    expect(h.writes()).toEqual([]);
  });

  test('a deletion leaves the external resource to its user if the policy says so by now', async () => {
    const h = stalled({ resource: deleted, external: { observe: upToDate } });
    await h.patch({ spec: { deletionPolicy: 'Orphan' } });
    await h.reconcile();
    expect(await h.reconcile()).toEqual(done);
    expect(h.writes()).toEqual([]);
    expect(h.stored()).toBeUndefined();
  });

  test('each reconcile reads the resource until the cache has another version, and none after that', async () => {
    const h = stalled({ resource: named, external: { observe: [replaceable, upToDate] } });
    await h.patch({ spec: { forProvider: { size: 7 } } });
    await h.reconcile();
    for (const reads of [2, 3]) {
      expect(await h.reconcile()).toEqual(poll);
      expect(h.reads()).toBe(reads);
    }
    h.catchUp();
    expect(await h.reconcile()).toEqual(poll);
    expect(h.reads()).toBe(3);
  });

  test('a create that the API server refused for that takes place on the current version', async () => {
    const h = stalled({ resource: existing, external: { observe: [{ state: 'absent' }] } });
    await h.patch({ spec: { forProvider: { size: 7 } } });
    expect(await h.reconcile()).toEqual(requeue);
    expect(h.writes()).toEqual([]);
    expect(h.reads()).toBe(0);
    await h.reconcile();
    expect(h.writes()).toEqual(['create']);
    expect(h.reads()).toBe(1);
  });

  test('a shard does not reconcile a version whose labels may be those of another shard', async () => {
    const annotations = { ...named.metadata?.annotations, 'kyma.orchestrate.cloud.sap/shard-owner': 's=a' };
    const h = stalled({
      resource: { metadata: { ...existing.metadata, annotations, labels: { s: 'a' } } },
      external: { observe: replaceable },
      options: { labelSelector: 's=a' },
    });
    await h.patch({ metadata: { labels: { s: 'b' }, annotations: { 'crossplane.io/paused': 'true' } } });
    for (const _ of [1, 2]) expect(await h.reconcile()).toEqual(requeue);
    expect(h.writes()).toEqual([]);
    expect(conditionsOf(h)).toEqual([]);
  });
});

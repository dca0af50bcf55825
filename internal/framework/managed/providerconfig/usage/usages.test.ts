import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../base/time/fake-clock.ts';
import { createFakeCache } from '../../../kube/fakes/fake-cache.ts';
import { apiError, createMemoryClient, type MemoryRequest } from '../../../kube/fakes/memory-client.ts';
import { asController } from '../../../kube/object/ownership.ts';
import type { WidgetParts } from '../../fakes/managed-harness.ts';
import { type ConfigRef, type ProviderConfigUsage, usedConfigOf } from '../model/provider-config.ts';
import { type Scope, scopes, usageOf, user } from './usage.fixture.ts';
import { usageFinalizer, usageKeyOf } from './usage.ts';
import { createUsages } from './usages.ts';

const boom = new Error('boom');
const deleted: WidgetParts = { metadata: { deletionTimestamp: '2024-01-01T00:00:00Z' } };

interface Given {
  readonly stored?: Partial<ProviderConfigUsage['metadata']> & { readonly ref?: ConfigRef };
  /** The cache has not heard of what is stored. */
  readonly stale?: boolean;
  readonly resource?: WidgetParts;
}

function setup(scope: Scope, { stored, stale = false, resource: parts }: Given = {}) {
  const { kinds, ref } = scopes[scope];
  const client = createMemoryClient({ clock: createFakeClock() });
  const { ref: storedRef = ref, ...metadata } = stored ?? {};
  const usage = usageOf(scope, storedRef, metadata);
  const seeded = stored === undefined ? [] : [client.seed(kinds.usage, usage)];
  const cache = createFakeCache<ProviderConfigUsage>(stale ? [] : seeded);
  const usages = createUsages({ client, type: kinds.usage, cache });
  const resource = user(scope, ref, parts);
  const { signal } = new AbortController();
  const key = usageKeyOf(resource, kinds.usage);
  return {
    client,
    cache,
    resource,
    record: (hold = false) => usages.record(resource, usedConfigOf(resource, kinds).ref, { hold, signal }),
    release: () => usages.release(key, signal),
    find: () => client.peek(kinds.usage, key),
    requests: () => client.requests.map(({ verb }) => verb),
  };
}
const failing =
  (verb: MemoryRequest['verb'], error: Error, times = Number.POSITIVE_INFINITY) =>
  (request: MemoryRequest) => {
    if (request.verb === verb && times-- > 0) throw error;
  };

describe.each(['Cluster', 'Namespaced'] as const)('the usage of a %s resource', (scope) => {
  const { kinds } = scopes[scope];
  const ref: ConfigRef = scopes[scope].ref;

  test('names resource and configuration, is owned by the one and labelled with the other', async () => {
    const h = setup(scope);
    await h.record();
    expect(h.find()).toMatchObject({
      metadata: {
        name: 'uid-w',
        ...(scope === 'Namespaced' ? { namespace: 'shop' } : {}),
        labels: {
          'crossplane.io/provider-config': 'prod',
          ...(ref.kind === undefined ? {} : { 'crossplane.io/provider-config-kind': ref.kind }),
        },
        ownerReferences: [asController(h.resource)],
      },
      providerConfigRef: ref,
      resourceRef: { apiVersion: h.resource.apiVersion, kind: 'Widget', name: 'w' },
    });
    expect(h.find()?.metadata.finalizers).toBeUndefined();
    expect(h.find()?.resourceRef.uid).toBeUndefined();
    expect(h.requests()).toEqual(['create']);
  });

  test('[199] [202] is neither read nor written while it is as it should be', async () => {
    const h = setup(scope, { stored: { finalizers: [usageFinalizer] } });
    await h.record(true);
    expect(h.requests()).toEqual([]);
  });

  test('[200] [203] cannot be written: the prefix says what', async () => {
    const h = setup(scope);
    h.client.onRequest(failing('create', boom));
    await expect(h.record()).rejects.toThrow('cannot apply ProviderConfigUsage: boom');
  });

  test('follows the reference, and keeps its finalizers', async () => {
    const stored = { ref: { ...ref, name: 'old' }, finalizers: ['other.example.org/hold', usageFinalizer] };
    const h = setup(scope, { stored });
    await h.record();
    expect(h.find()).toMatchObject({
      metadata: {
        labels: { 'crossplane.io/provider-config': 'prod' },
        finalizers: ['other.example.org/hold', usageFinalizer],
      },
      providerConfigRef: ref,
    });
    expect(h.requests()).toEqual(['patch']);
  });

  test('carries its labels, since it would not be counted without', async () => {
    const h = setup(scope, { stored: { labels: {} } });
    await h.record();
    expect(h.find()?.metadata.labels).toMatchObject({ 'crossplane.io/provider-config': 'prod' });
  });

  test('is made with its finalizer in one write, or gets it later beside those of others', async () => {
    const fresh = setup(scope);
    await fresh.record(true);
    expect(fresh.find()?.metadata.finalizers).toEqual([usageFinalizer]);
    expect(fresh.requests()).toEqual(['create']);
    const older = setup(scope, { stored: { finalizers: ['other.example.org/hold'] } });
    await older.record(true);
    expect(older.find()?.metadata.finalizers).toEqual(['other.example.org/hold', usageFinalizer]);
  });

  test('takes no finalizer once it is being deleted', async () => {
    const stored = { ...deleted.metadata, finalizers: ['other.example.org/hold'] };
    const h = setup(scope, { stored });
    await h.record(true);
    expect(h.requests()).toEqual([]);
  });

  test('is not made for a resource that is being deleted', async () => {
    const h = setup(scope, { resource: deleted });
    expect(await h.record(true)).toBeUndefined();
    expect(h.requests()).toEqual([]);
  });

  test('that has lost its owner does not stop a resource whose provider may not change owners', async () => {
    // OwnerReferencesPermissionEnforcement: only who may delete usages may change their owners.
    const h = setup(scope, { stored: { ownerReferences: [] } });
    h.client.onRequest(({ verb, body }) => {
      if (verb === 'patch' && JSON.stringify(body).includes('ownerReferences'))
        throw apiError(403, 'Forbidden');
    });
    await h.record();
    await h.record(true);
    expect(h.find()?.metadata.finalizers).toEqual([usageFinalizer]);
    expect(h.find()?.metadata.ownerReferences ?? []).toEqual([]);
  });

  test('that has lost its owner by a deletion with --cascade=orphan gets none again', async () => {
    const h = setup(scope, { stored: { ownerReferences: [] }, resource: deleted });
    await h.record(true);
    expect(h.find()?.metadata.finalizers).toEqual([usageFinalizer]);
    expect(h.find()?.metadata.ownerReferences ?? []).toEqual([]);
  });

  test('of another resource is not changed, one without an owner is adopted', async () => {
    const theirs = [{ ...asController(user(scope, ref)), uid: 'uid-other' }];
    const h = setup(scope, { stored: { ownerReferences: theirs } });
    await expect(h.record()).rejects.toThrow(
      'cannot apply ProviderConfigUsage: existing object is not controlled by UID "uid-w"',
    );
    const nobodys = setup(scope, { stored: { ownerReferences: [] } });
    await nobodys.record();
    expect(nobodys.find()?.metadata.ownerReferences).toEqual([asController(nobodys.resource)]);
  });

  test('is read again if the cache is outdated', async () => {
    const unseen = setup(scope, { stored: {}, stale: true });
    await unseen.record(true);
    expect(unseen.requests()).toEqual(['create', 'get', 'patch']);
    expect(unseen.find()?.metadata.finalizers).toEqual([usageFinalizer]);
    const changed = setup(scope, { stored: {} });
    await changed.client.mergePatch(kinds.usage, usageKeyOf(changed.resource, kinds.usage), {
      metadata: { finalizers: ['other.example.org/hold'] },
    });
    await changed.record(true);
    expect(changed.requests()).toEqual(['patch', 'patch', 'get', 'patch']);
    expect(changed.find()?.metadata.finalizers).toEqual(['other.example.org/hold', usageFinalizer]);
  });

  test('does not lead to an endless quarrel', async () => {
    const h = setup(scope, { stored: {} });
    h.client.onRequest(failing('patch', apiError(409, 'Conflict')));
    await expect(h.record(true)).rejects.toMatchObject({ kind: 'conflict' });
    expect(h.requests()).toEqual(['patch', 'get', 'patch', 'get', 'patch']);
  });

  test('is read from the API server as long as the cache knows nothing', async () => {
    const h = setup(scope, { stored: {} });
    h.cache.setSynced(false);
    await h.record();
    expect(h.requests()).toEqual(['get']);
  });

  test('of a kind that is not served is an error, not a reason to try on', async () => {
    const h = setup(scope);
    h.client.onRequest(failing('create', apiError(404, 'NotFound')));
    await expect(h.record()).rejects.toMatchObject({ kind: 'not-found' });
    expect(h.requests()).toEqual(['create']);
  });

  test('is released from our finalizer alone, by one write, and once', async () => {
    const h = setup(scope, { stored: { finalizers: ['other.example.org/hold', usageFinalizer] } });
    await h.release();
    expect(h.find()?.metadata.finalizers).toEqual(['other.example.org/hold']);
    expect(h.requests()).toEqual(['patch']);
    h.cache.put(h.find() as ProviderConfigUsage);
    await h.release();
    expect(h.requests()).toEqual(['patch', 'get']);
  });

  test('is released though the cache has not heard of it', async () => {
    const h = setup(scope, {
      stored: { finalizers: ['other.example.org/hold', usageFinalizer] },
      stale: true,
    });
    await h.release();
    expect(h.find()?.metadata.finalizers).toEqual(['other.example.org/hold']);
    expect(h.requests()).toEqual(['get', 'patch']);
  });

  test('without the finalizer is read once before the cache has synced', async () => {
    const h = setup(scope, { stored: {} });
    h.cache.setSynced(false);
    await h.release();
    expect(h.requests()).toEqual(['get']);
  });

  test('is released by one write though the garbage collector has marked it meanwhile', async () => {
    const h = setup(scope, { stored: { finalizers: [usageFinalizer] } });
    await h.client.delete(kinds.usage, usageKeyOf(h.resource, kinds.usage));
    await h.release();
    expect(h.requests()).toEqual(['delete', 'patch']);
    expect(h.find()).toBeUndefined();
  });

  test('is released from our finalizer alone where others changed the list meanwhile', async () => {
    const h = setup(scope, { stored: { finalizers: ['a.example.org/hold', usageFinalizer] } });
    const changes = { metadata: { finalizers: [usageFinalizer, 'b.example.org/hold'] } };
    await h.client.mergePatch(kinds.usage, usageKeyOf(h.resource, kinds.usage), changes);
    await h.release();
    expect(h.find()?.metadata.finalizers).toEqual(['b.example.org/hold']);
    expect(h.requests()).toEqual(['patch', 'patch', 'get', 'patch']);
  });

  test('need not exist to be released, and may vanish meanwhile', async () => {
    await setup(scope).release();
    const h = setup(scope, { stored: { finalizers: [usageFinalizer] } });
    await h.client.delete(kinds.usage, usageKeyOf(h.resource, kinds.usage));
    await h.client.mergePatch(kinds.usage, usageKeyOf(h.resource, kinds.usage), {
      metadata: { finalizers: [] },
    });
    expect(h.find()).toBeUndefined();
    await h.release();
  });

  test('cannot be released: the prefix says what', async () => {
    const h = setup(scope, { stored: { finalizers: [usageFinalizer] } });
    h.client.onRequest(failing('patch', boom));
    await expect(h.release()).rejects.toThrow('cannot remove ProviderConfigUsage finalizer: boom');
  });
});

import { describe, expect, test } from '@jest/globals';
import { nopLogger } from '../../base/telemetry/telemetry.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createKeyStore } from '../../controller/key-store.ts';
import { createObjectReconcile, type ObjectReconcileOptions } from '../../controller/object-controller.ts';
import { done, gone, highPriorityRequest, requeue, requeueAfter } from '../../controller/reconcile-result.ts';
import { KubeApiError } from '../../kube/errors/errors.ts';
import { createFakeCache } from '../../kube/fakes/fake-cache.ts';
import { createFakeRecorder } from '../../kube/fakes/fake-recorder.ts';
import { apiError, createMemoryClient, type MemoryRequest } from '../../kube/fakes/memory-client.ts';
import { type KubeObject, keyOf } from '../../kube/object/object.ts';
import {
  customResourceDefinitions,
  groupResource,
  type ResourceType,
} from '../../kube/object/resource-type.ts';
import { clusterWidgets } from '../fakes/managed-harness.ts';
import { createConfigReconciler, inUseFinalizer } from './config-reconciler.ts';
import type { ProviderConfig, ProviderConfigUsage } from './model/provider-config.ts';
import { clusterKinds, configOfCluster, usageOf } from './usage/usage.fixture.ts';
import { usageFinalizer } from './usage/usage.ts';
import { createUsages } from './usage/usages.ts';

const boom = new Error('boom');
const retry = requeueAfter(30_000);
const inUse = (users: string) =>
  `Blocking deletion while usages still exist: ${users}; kubectl get ${groupResource(clusterKinds.usage)} -l crossplane.io/provider-config=${configOfCluster.metadata.name} lists the usages`;
const type = clusterKinds.config;

interface Given {
  readonly metadata?: Partial<ProviderConfig['metadata']>;
  readonly status?: ProviderConfig['status'];
  readonly usages?: readonly ProviderConfigUsage[];
  /** What the cache does not know yet. */
  readonly unseen?: readonly ProviderConfigUsage[];
  readonly read?: ObjectReconcileOptions<ProviderConfig>['read'];
  readonly fault?: (request: MemoryRequest) => void;
  readonly userTypes?: readonly ResourceType[];
}

const held = { finalizers: [inUseFinalizer] };
const deleted = { ...held, deletionTimestamp: '2024-01-01T00:00:00Z' };
const named = (name: string, metadata: Partial<ProviderConfigUsage['metadata']> = {}) =>
  usageOf('Cluster', { name: 'prod' }, { name, ...metadata });
const orphan = (metadata: Partial<ProviderConfigUsage['metadata']> = {}) =>
  named('orphan', { ownerReferences: [], ...metadata });

function setup({ metadata, status, usages = [], unseen = [], read, fault, userTypes = [] }: Given) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const recorder = createFakeRecorder();
  const config = client.seed<ProviderConfig>(type, {
    ...configOfCluster,
    metadata: { ...configOfCluster.metadata, ...metadata },
    ...(status === undefined ? {} : { status }),
  });
  const usageCache = createFakeCache(usages.map((usage) => client.seed(clusterKinds.usage, usage)));
  for (const usage of unseen) client.seed(clusterKinds.usage, usage);
  if (fault) client.onRequest(fault);
  const stored = () => client.peek(type, keyOf(config));
  const writer = createUsages({ client, type: clusterKinds.usage, cache: usageCache });
  const options = { kinds: clusterKinds, usageCache, usages: writer, userTypes: () => userTypes };
  const kind = { type, reconcile: createConfigReconciler(options) };
  const reconcile = createObjectReconcile(kind, {
    client,
    read: read ?? stored,
    recorder,
    clock,
    random: () => 0.5,
    log: nopLogger,
    keys: createKeyStore(),
  });
  return {
    client,
    recorder,
    stored,
    usage: (name: string) => client.peek(clusterKinds.usage, { name }),
    writes: () => client.requests.flatMap(({ verb }) => (/get|list/.test(verb) ? [] : [verb])),
    reconcile: () =>
      reconcile('prod', new AbortController().signal, highPriorityRequest).catch(
        (error: Error) => error.message,
      ),
  };
}
const unknownKind = new KubeApiError(
  { verb: 'list', object: 'ProviderConfigUsage', clusterName: 'test cluster' },
  { httpStatus: 404 },
);
const failing =
  (verb: MemoryRequest['verb'], part?: 'status', error: Error = boom) =>
  (request: MemoryRequest) => {
    if (request.verb === verb && request.subresource === part) throw error;
  };

describe('a provider configuration', () => {
  test.each<{ title: string; reason: string; given: Given; want: unknown; events?: string[] }>([
    {
      title: '[129] cannot be read',
      reason: 'an API server that does not answer is an error to retry',
      given: { read: () => Promise.reject(boom) },
      want: 'cannot get ProviderConfig: boom',
    },
    {
      title: '[130] is gone',
      reason: 'a key may outlive its object',
      given: { read: () => Promise.reject(apiError(404, 'NotFound')) },
      want: gone,
    },
    {
      title: '[131] is to go, and its usages cannot be listed',
      reason: 'what may be in use is kept',
      given: { metadata: deleted, fault: failing('list') },
      want: retry,
      events: ['Warning UsageAccounting: cannot list ProviderConfigUsages: boom'],
    },
    {
      title: '(ours) is to go when the kind of usages is gone already',
      reason:
        'all CRDs may be deleted at once, and what is not served has no objects; it would stay for ever',
      given: { metadata: deleted, fault: failing('list', undefined, unknownKind) },
      want: done,
    },
    {
      title: '[132] has a usage without owner that cannot be deleted',
      reason: 'a number that may be wrong is not shown',
      given: { usages: [orphan()], fault: failing('delete') },
      want: retry,
      events: ['Warning UsageAccounting: cannot delete ProviderConfigUsage: boom'],
    },
    {
      title: '[133] is to go while it is in use',
      reason: 'its users could not clean up without it',
      given: { metadata: deleted, usages: [named('a')] },
      want: done,
      events: [`Warning UsageAccounting: ${inUse('1 resource uses it')}`],
    },
    {
      title: '[134] is to go and its finalizer cannot be removed',
      reason: 'it is tried again',
      given: { metadata: deleted, fault: failing('update') },
      want: retry,
    },
    {
      title: '[136] cannot be given its finalizer',
      reason: 'it is tried again',
      given: { fault: failing('update') },
      want: retry,
    },
    {
      title: '[137] cannot be given its status',
      reason: 'an unwritten status is an error to retry',
      given: { metadata: held, fault: failing('update', 'status') },
      want: 'cannot update ProviderConfig status: boom',
    },
    {
      title: '(ours) changes while its status is written',
      reason: 'a newer version is on its way',
      given: { metadata: held, fault: failing('update', 'status', apiError(409, 'Conflict')) },
      want: requeue,
    },
  ])('$title ($reason)', async ({ given, want, events = [] }) => {
    const h = setup(given);
    expect(await h.reconcile()).toEqual(want);
    expect(h.recorder.lines()).toEqual(events);
  });

  test('[133] is to go while it is in use: it stays and says so, once', async () => {
    const h = setup({ metadata: deleted, usages: [named('a'), named('b')] });
    await h.reconcile();
    await h.reconcile();
    expect(h.stored()).toMatchObject({
      metadata: { finalizers: [inUseFinalizer] },
      status: {
        users: 2,
        conditions: [
          { type: 'Terminating', status: 'True', reason: 'InUse', message: inUse('2 resources use it') },
        ],
      },
    });
    expect(h.recorder.lines()).toHaveLength(1);
    expect(h.writes()).toEqual(['update']);
  });

  test('[135] is to go and has no users: it goes', async () => {
    const h = setup({ metadata: deleted });
    expect(await h.reconcile()).toEqual(done);
    expect(h.stored()).toBeUndefined();
  });

  test('[138] shows the number of its users and has the finalizer, and is not written again', async () => {
    const h = setup({
      usages: [named('a'), named('b'), usageOf('Cluster', { name: 'other' }, { name: 'c' })],
    });
    expect(await h.reconcile()).toEqual(done);
    expect(h.stored()).toMatchObject({ metadata: { finalizers: [inUseFinalizer] }, status: { users: 2 } });
    expect(h.stored()?.status?.conditions).toBeUndefined();
    await h.reconcile();
    expect(h.writes()).toEqual(['update', 'update']);
  });

  test('keeps finalizers of others', async () => {
    const h = setup({ metadata: { finalizers: ['other.example.org/hold'] } });
    await h.reconcile();
    expect(h.stored()?.metadata.finalizers).toEqual(['other.example.org/hold', inUseFinalizer]);
  });

  test('says of a deletion that finalizers of others hold it', async () => {
    const finalizers = [inUseFinalizer, 'other.example.org/hold'];
    const h = setup({ metadata: { ...deleted, finalizers } });
    await h.reconcile();
    await h.reconcile();
    const message =
      'the deletion waits for other controllers, which must remove the finalizer other.example.org/hold';
    expect(h.stored()).toMatchObject({
      metadata: { finalizers: ['other.example.org/hold'] },
      status: {
        conditions: [{ type: 'Terminating', status: 'True', reason: 'WaitingForFinalizers', message }],
      },
    });
    expect(h.recorder.lines()).toEqual([`Normal Waiting: ${message}`]);
  });

  test('keeps the finalizer if the cache lacks its last user', async () => {
    const h = setup({ metadata: deleted, unseen: [named('late')] });
    expect(await h.reconcile()).toEqual(done);
    expect(h.stored()?.status?.users).toBe(1);
  });
});

describe('a usage without an owner', () => {
  test('does not count, holds nothing and is removed, whatever holds it', async () => {
    const h = setup({ metadata: deleted, usages: [orphan({ finalizers: [usageFinalizer] })] });
    expect(await h.reconcile()).toEqual(done);
    expect(h.usage('orphan')).toBeUndefined();
    expect(h.stored()).toBeUndefined();
  });

  test('does not count either if it may not be deleted, which causes no event', async () => {
    const h = setup({ usages: [orphan()], fault: failing('delete', undefined, apiError(403, 'Forbidden')) });
    expect(await h.reconcile()).toEqual(done);
    expect(h.stored()?.status?.users).toBe(0);
    expect(h.recorder.lines()).toEqual([]);
  });

  test('may be gone already', async () => {
    const h = setup({ usages: [orphan()], fault: failing('delete', undefined, apiError(404, 'NotFound')) });
    expect(await h.reconcile()).toEqual(done);
  });
});

describe('a usage whose resource is of a kind that is not installed', () => {
  const notServed = ({ verb }: MemoryRequest) => {
    if (verb === 'discover') throw unknownKind;
  };
  const given: Given = {
    metadata: deleted,
    usages: [named('a', { finalizers: [usageFinalizer] })],
    userTypes: [{ ...clusterWidgets, plural: 'others', kind: 'Other' }, clusterWidgets],
    fault: notServed,
  };

  test('holds no configuration that is being deleted, and is removed, whatever holds it', async () => {
    const h = setup(given);
    expect(await h.reconcile()).toEqual(done);
    expect([h.usage('a'), h.stored()]).toEqual([undefined, undefined]);
  });

  test('counts while the kind is served, and the kind is looked for again', async () => {
    let isServed = true;
    const h = setup({ ...given, fault: (request) => isServed || notServed(request) });
    expect(await h.reconcile()).toEqual(requeueAfter(60_000));
    expect(h.stored()?.status?.users).toBe(1);
    isServed = false;
    expect(await h.reconcile()).toEqual(done);
  });

  test('counts while the CRD exists or cannot be read, though discovery does not know the kind', async () => {
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', spec: {} };
    const h = setup(given);
    h.client.seed<KubeObject>(customResourceDefinitions, {
      ...crd,
      metadata: { name: groupResource(clusterWidgets) },
    });
    expect(await h.reconcile()).toEqual(requeueAfter(60_000));
    const unread = setup({
      ...given,
      fault: (request) => {
        notServed(request);
        if (request.type === customResourceDefinitions) throw apiError(503, 'ServiceUnavailable');
      },
    });
    expect(await unread.reconcile()).toEqual(retry);
    expect(unread.usage('a')).toBeDefined();
  });

  test('counts while the configuration is not being deleted', async () => {
    const h = setup({ ...given, metadata: held });
    await h.reconcile();
    expect(h.stored()?.status?.users).toBe(1);
  });
});

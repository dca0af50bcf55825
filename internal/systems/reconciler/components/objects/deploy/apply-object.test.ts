/** The requests of one object: which refusals are tried again, what is read before, and which fields of former installers are adopted. */
import { expect, test } from '@jest/globals';
import { nopLogger } from '../../../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../../../framework/base/time/fake-clock.ts';
import { KubeApiError } from '../../../../../framework/kube/errors/errors.ts';
import { apiError } from '../../../../../framework/kube/fakes/memory-client.ts';
import { configMaps, type KubeObject, type ResourceType } from '../../../../../framework/kube/index.ts';
import { uncountedCluster } from '../../clusters/uncounted-cluster.ts';
import type { AppliedState } from '../inventory.ts';
import { applyObject } from './apply-object.ts';
import { ownedHash } from './hashes.ts';

const jobs: ResourceType = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };
const claims: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'PersistentVolumeClaim' },
  ...{ plural: 'persistentvolumeclaims', namespaced: true },
};

const entry = (manager: string, operation: string, field: string, subresource = '') => ({
  ...{ manager, operation, subresource, apiVersion: 'v1' },
  fieldsV1: { 'f:data': { [`f:${field}`]: {} } },
});
const own = entry('kyma-reconciler', 'Apply', 'a');

const objectOf = ({ kind }: ResourceType, ...managedFields: readonly unknown[]): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { namespace: 'shop', name: 'one', resourceVersion: '7', managedFields: [...managedFields] },
});

interface Given {
  readonly type?: ResourceType;
  /** What the API server answers to an apply. */
  readonly live?: KubeObject;
  /** Answers of the first applies. */
  readonly refusals?: readonly Error[];
  readonly before?: AppliedState;
  readonly find?: () => KubeObject | undefined;
  readonly read?: () => KubeObject | undefined;
}

function start({ type = configMaps, refusals = [], before, find, read, ...given }: Given) {
  const clock = createFakeClock();
  const live = given.live ?? objectOf(type, own);
  const left = [...refusals];
  const requests: string[] = [];
  const client = {
    apply: async () => {
      requests.push('apply');
      const refusal = left.shift();
      if (refusal !== undefined) throw refusal;
      return live;
    },
    jsonPatch: async () => {
      requests.push('jsonPatch');
      return live;
    },
  };
  const cluster = uncountedCluster({
    ...{ name: 'c', client: client as never, kinds: {} as never },
    ...{ capabilities: async () => undefined, close: async () => undefined },
  });
  const { metadata, ...rest } = objectOf(type);
  const object = { ...rest, metadata: { namespace: metadata.namespace ?? '', name: metadata.name } };
  const look = (name: string, found: (() => KubeObject | undefined) | undefined) => async () => {
    requests.push(name);
    return found?.();
  };
  const applied = applyObject(
    { object, type, source: 'chart' },
    { before, sent: 'hash' },
    {
      ...{ clock, log: nopLogger, signal: new AbortController().signal, cluster },
      live: { find: look('find', find), read: look('read', read) },
    },
  );
  const settled = applied.catch((error: unknown) => error);
  return { clock, applied, settled, requests };
}

const refusal = (httpStatus: number, retryAfterMs?: number) =>
  new KubeApiError(
    { verb: 'apply', object: 'ConfigMap shop/one', clusterName: 'c' },
    { httpStatus, retryAfterMs, status: { message: 'no', reason: '', code: httpStatus, details: undefined } },
  );

test.each<[what: string, refused: Error, attempts: number]>([
  ['of another one at the same time', apiError(409, 'Conflict'), 2],
  ['of a namespace that was just created', apiError(404, 'NotFound'), 2],
  ['of a webhook that does not run yet', apiError(500, 'InternalError', 'failed calling webhook'), 2],
  ['since there are too many requests', apiError(429, 'TooManyRequests'), 2],
  ['for want of a right', apiError(403, 'Forbidden'), 1],
  [
    'since the object does not fit its schema',
    apiError(500, 'InternalError', 'failed to create typed patch object (shop/one): expected list'),
    1,
  ],
])('an apply that is refused because %s', async (_, refused, attempts) => {
  const { clock, settled, requests } = start({ refusals: [refused] });
  await clock.advance(60_000);
  expect(requests).toEqual(Array(attempts).fill('apply'));
  if (attempts === 1) expect(await settled).toBe(refused);
  else expect(await settled).toMatchObject({ isChanged: true });
});

test('an apply is tried again when the server says, and not before', async () => {
  const { clock, applied, requests } = start({ refusals: [refusal(429, 20_000)] });
  await clock.advance(19_000);
  expect(requests).toEqual(['apply']);
  await clock.advance(2000);
  expect(requests).toEqual(['apply', 'apply']);
  await applied;
});

test('after a refusal the object is read, since what was listed at the begin is older', async () => {
  const current = objectOf(configMaps, own);
  const owned = (await ownedHash(current)) ?? '';
  const { clock, applied, requests } = start({
    before: { sent: 'hash', owned },
    refusals: [apiError(409, 'Conflict')],
    find: () => objectOf(configMaps, entry('kyma-reconciler', 'Apply', 'b')),
    read: () => current,
  });
  await clock.advance(1000);
  expect(requests).toEqual(['find', 'apply', 'read']);
  expect(await applied).toEqual({ isChanged: false, state: { sent: 'hash', owned } });
});

test('what is known of a Job stays though it does not say whose its fields are', async () => {
  const before = { sent: 'other', owned: 'owned' };
  const { applied, requests } = start({ type: jobs, before, find: () => objectOf(jobs) });
  expect(await applied).toEqual({ isChanged: false, state: before });
  expect(requests).toEqual(['find']);
});

test.each<[what: string, given: Given, requests: readonly string[]]>([
  [
    'what Helm has installed',
    { live: objectOf(configMaps, own, entry('helm', 'Update', 'b')) },
    ['apply', 'jsonPatch', 'apply'],
  ],
  [
    'what others have set',
    { live: objectOf(configMaps, own, entry('kubectl-edit', 'Update', 'b')) },
    ['apply'],
  ],
  [
    'what Helm has applied, whose owner goes on',
    { live: objectOf(configMaps, own, entry('helm', 'Apply', 'b')) },
    ['apply'],
  ],
  ['a subresource', { live: objectOf(configMaps, own, entry('helm', 'Update', 'b', 'scale')) }, ['apply']],
  [
    'a claim, of which nothing can be removed',
    { type: claims, live: objectOf(claims, own, entry('helm', 'Update', 'b')) },
    ['apply'],
  ],
  [
    'an object that was applied before',
    {
      before: { sent: 'other', owned: 'owned' },
      live: objectOf(configMaps, own, entry('helm', 'Update', 'b')),
    },
    ['apply'],
  ],
])('fields of former installers become own ones, or not: %s', async (_, given, requests) => {
  const started = start(given);
  await started.applied;
  expect(started.requests).toEqual(requests);
});

const services: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true },
};

/** Applies an object that the server refuses at first; `answers` are those to all other requests. */
async function applyRefused(object: KubeObject, message: string, planned: KubeObject) {
  const requests: { readonly request: string; readonly body: unknown }[] = [];
  const noted = (request: string, body: unknown) => {
    requests.push({ request, body });
    return planned;
  };
  let isRefused = false;
  const client = {
    apply: async (_type: unknown, body: unknown, { dryRun }: { readonly dryRun?: boolean }) => {
      if (isRefused) return noted(dryRun ? 'dry run' : 'apply', body);
      isRefused = true;
      throw apiError(500, 'InternalError', message);
    },
    getMetadata: async () => planned,
    update: async (_type: unknown, body: unknown) => noted('update', body),
    jsonPatch: async (_type: unknown, _key: unknown, patch: unknown) => noted('jsonPatch', patch),
  };
  const cluster = uncountedCluster({
    ...{ name: 'c', client: client as never, kinds: {} as never },
    ...{ capabilities: async () => undefined, close: async () => undefined },
  });
  await applyObject(
    { object, type: services, source: 'chart' },
    { before: { sent: 'other', owned: 'owned' }, sent: 'hash' },
    {
      ...{ clock: createFakeClock(), log: nopLogger, signal: new AbortController().signal, cluster },
      live: { find: async () => undefined, read: async () => undefined },
    },
  );
  return requests;
}
const ownersOf = (value: readonly unknown[]) => [
  { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
  { op: 'replace', path: '/metadata/managedFields', value },
];

test('items with one key are written by an update of the version of the dry run, whose owners they get', async () => {
  const ports = [
    { name: 'a', port: 80 },
    { name: 'b', port: 80 },
  ];
  const update = entry('provider-kyma', 'Update', 'a');
  const planned = { ...objectOf(services, own, update), spec: { ports: [{ ...ports[1], protocol: 'TCP' }] } };
  const wanted = { apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'shop', name: 'one' } };
  const requests = await applyRefused(
    { ...wanted, spec: { ports } } as KubeObject,
    'failed: .spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
    { ...planned, metadata: { ...planned.metadata, uid: 'u' } },
  );
  expect(requests).toEqual([
    { request: 'dry run', body: { ...wanted, spec: { ports: [ports[1]] } } },
    {
      request: 'update',
      body: { ...wanted, metadata: { ...wanted.metadata, resourceVersion: '7', uid: 'u' }, spec: { ports } },
    },
    { request: 'jsonPatch', body: ownersOf([own]) },
  ]);
});

test('fields that were applied in another version become fields of this one, and those of others do not', async () => {
  const old = { ...own, apiVersion: 'v1beta1' };
  const others = { ...entry('kubectl', 'Update', 'b'), apiVersion: 'v1beta1' };
  const wanted = { apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'shop', name: 'one' } };
  const requests = await applyRefused(
    wanted,
    'failed to compare with the last applied version of the object',
    objectOf(services, old, others),
  );
  expect(requests).toEqual([
    { request: 'jsonPatch', body: ownersOf([own, others]) },
    { request: 'apply', body: wanted },
  ]);
});

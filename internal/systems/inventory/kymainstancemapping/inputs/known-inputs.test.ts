import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { createPolledReads, createSharedReads } from '../../../../framework/kube/client/shared-reads.ts';
import { KubeApiError } from '../../../../framework/kube/errors/errors.ts';
import { createMemoryClient } from '../../../../framework/kube/fakes/memory-client.ts';
import type { KubeObject } from '../../../../framework/kube/object/object.ts';
import { apiVersionOf, configMaps, secrets } from '../../../../framework/kube/object/resource-type.ts';
import { inputCluster, objectKey } from '../../input/input-cluster.fixture.ts';
import type { InputCluster } from '../../input/read-input.ts';
import { complete, refs } from './inputs.fixture.ts';
import { readInputs, serviceBindings, serviceInstances } from './inputs.ts';
import { createKnownInputs } from './known-inputs.ts';

const { signal } = new AbortController();
const known = {
  credentialsID: 'c-1',
  viewer: 'v-1',
  baseUrl: 'https://api.example.org',
  tokenUrl: 'https://uaa.example.org/oauth/token',
  hasCertificate: false,
};
const secretName = 'Secret shop/hana-admin-secret';

function setup() {
  const failures: Record<string, Error> = {};
  const version = { uid: '', resourceVersion: '7' };
  const objects = Object.values(complete());
  const base = inputCluster(objects, failures);
  /** The object has these fields by now. */
  const change = (kind: string, fields: object) => {
    const index = objects.findIndex((object) => object.kind === kind);
    const found = objects[index];
    if (found !== undefined) objects[index] = { ...found, ...fields };
  };
  /** Kinds whose version is asked for. */
  const asked: string[] = [];
  const versionOf: InputCluster['polledReads']['versionOf'] = async ({ kind }) => {
    asked.push(kind);
    return version;
  };
  const cluster = { ...base, polledReads: { ...base.polledReads, versionOf } };
  const known = createKnownInputs();
  const poll = (isPoll = true, of = cluster) =>
    readInputs(of, refs, signal, isPoll ? { known, isPoll } : { known });
  const failAll = () => {
    for (const object of objects) failures[objectKey(object)] = new Error('the content is not needed');
  };
  return { cluster, change, failures, version, asked, poll, failAll };
}

test('a poll does not read a Secret whose version is known, and no credential is kept', async () => {
  const { failures, poll } = setup();
  const first = await poll();
  expect(first.known).toBeUndefined();
  expect(first.credentials?.clientId).toBe('sb-1');
  first.remember?.(known);
  failures[secretName] = new Error('the content is not needed');
  const inputs = await poll();
  expect(inputs).toMatchObject({ known, clusterID: 'c-1', instance: { id: 'i-1' } });
  expect(inputs.credentials).toBeUndefined();
  expect(inputs.findings.map(({ object, problems }) => [object, problems])).toContainEqual([
    'ServiceBinding shop/hana-admin: secret shop/hana-admin-secret',
    [],
  ]);
  expect(JSON.stringify(inputs)).not.toContain('s3cret-value');
});

test('a poll reads no object whose version is known, and says the same of it', async () => {
  const { asked, poll, failAll } = setup();
  const first = await poll(false);
  first.remember?.(known);
  expect(asked).toEqual([]);
  failAll();
  const { credentials: _c, remember: _r, ...others } = first;
  const plain = (inputs: object): unknown => JSON.parse(JSON.stringify(inputs));
  expect(plain(await poll())).toEqual(plain({ ...others, known }));
  expect(asked.sort()).toEqual(['ConfigMap', 'Secret', 'ServiceBinding', 'ServiceInstance']);
});

test('a poll of an object of which nothing is known asks for no version', async () => {
  const { asked, poll } = setup();
  await poll();
  expect(asked).toEqual([]);
});

test.each([
  { what: 'another version', change: { resourceVersion: '8' } },
  { what: 'objects of the same names', change: { uid: 'other' } },
])('a poll reads all of $what', async ({ change: changed }) => {
  const { change, version, poll } = setup();
  (await poll()).remember?.(known);
  Object.assign(version, changed);
  change('ServiceInstance', { status: { instanceID: 'i-2' } });
  change('ConfigMap', { data: { CLUSTER_ID: 'c-2' } });
  const inputs = await poll();
  expect(inputs).toMatchObject({ clusterID: 'c-2', instance: { id: 'i-2', ready: false } });
  expect(inputs.credentials?.clientId).toBe('sb-1');
});

test('an object with a problem is read by each poll', async () => {
  const { change, poll } = setup();
  change('ServiceInstance', { status: { instanceID: 'i-1', ready: 'False' } });
  expect((await poll()).instance).toMatchObject({ ready: false });
  change('ServiceInstance', { status: { instanceID: 'i-2', ready: 'True' } });
  expect((await poll()).instance).toEqual({ name: 'hana', id: 'i-2', ready: true });
});

test('a binding that is not ready is read by each poll', async () => {
  const { change, poll } = setup();
  const secretsOf = async () => (await poll()).findings.map(({ object }) => object);
  change('ServiceBinding', { spec: { secretName: 'old' }, status: { ready: 'False' } });
  expect(await secretsOf()).toContain('ServiceBinding shop/hana-admin: secret shop/old');
  change('ServiceBinding', { spec: { secretName: 'new' }, status: { ready: 'False' } });
  expect(await secretsOf()).toContain('ServiceBinding shop/hana-admin: secret shop/new');
});

test('a binding that is known is ready, also for the message about a missing Secret', async () => {
  const { failures, poll } = setup();
  await poll();
  const attempt = { verb: 'get', object: secretName, clusterName: 'test cluster' } as const;
  const status = { code: 404, reason: 'NotFound', message: '', details: { name: 'hana-admin-secret' } };
  failures[secretName] = new KubeApiError(attempt, { httpStatus: 404, status });
  failures['ServiceBinding shop/hana-admin'] = new Error('the content is not needed');
  expect((await poll()).findings.flatMap(({ problems }) => problems)).toEqual([
    expect.objectContaining({ kind: 'missing', text: 'not found' }),
  ]);
});

test('a text that is large enough to evict those of others is not kept', () => {
  const { cluster } = setup();
  const { clusterIDs, access } = createKnownInputs();
  const small = { namespace: 'shop', name: 'small' };
  const large = { namespace: 'shop', name: 'large' };
  const version = { uid: 'u', resourceVersion: '1' };
  const text = 'x'.repeat(300 * 1024);
  clusterIDs.note(cluster, small, version, 'c-1');
  clusterIDs.note(cluster, large, version, text);
  access.note(cluster, small, version, known);
  access.note(cluster, large, version, { ...known, viewer: text });
  const kept = [clusterIDs, access].map(({ has }) => [has(cluster, small), has(cluster, large)]);
  expect(kept).toEqual([
    [true, false],
    [true, false],
  ]);
  expect([small, large].map((key) => clusterIDs.find(cluster, key, version))).toEqual(['c-1', undefined]);
});

test('a reconcile that is no poll reads the Secret, and one of another cluster as well', async () => {
  const { cluster, poll } = setup();
  (await poll()).remember?.(known);
  expect((await poll(false)).credentials?.clientId).toBe('sb-1');
  const other = { ...cluster, objectWatcher: { ...cluster.objectWatcher } };
  expect((await poll(true, other)).credentials?.clientId).toBe('sb-1');
});

test.each([
  { mappings: 100, most: 1.5 },
  { mappings: 1000, most: 0.5 },
])(
  '$mappings mappings that share nothing and are polled each minute cost at most $most requests for each poll',
  async ({ mappings, most }) => {
    const clock = createFakeClock();
    const client = createMemoryClient({ clock });
    const reads = createSharedReads({ client, clock });
    const { objectWatcher } = inputCluster([]);
    // Lists of whole objects are larger than what is accepted of a server of a tenant.
    const list = () => Promise.reject(new Error('too large'));
    const polledReads = createPolledReads({ client: { ...client, list }, clock, reads });
    const cluster = { client, reads, polledReads, objectWatcher };
    const inputs = createKnownInputs();
    const types = {
      instance: serviceInstances,
      binding: serviceBindings,
      secret: secrets,
      config: configMaps,
    };
    const names = Array.from({ length: mappings }, (_, index) => `o-${index}`);
    for (const name of names) {
      for (const [what, type] of Object.entries(types)) {
        const object = { ...complete()[what], metadata: { namespace: 'shop', name } };
        // Its Secret has the name of the binding.
        const kind = { apiVersion: apiVersionOf(type), kind: type.kind };
        client.seed<KubeObject>(type, { ...object, ...kind, ...(what === 'binding' ? { spec: {} } : {}) });
      }
    }
    /** All of them, spread over a minute. @returns requests for each */
    const readAll = async (isPoll: boolean) => {
      const before = client.requests.length;
      for (const name of names) {
        const ref = { namespace: 'shop', name };
        const own = { serviceInstanceRef: ref, adminBindingRef: ref, clusterIdConfigMapRef: ref };
        const reading = readInputs(cluster, own, signal, { known: inputs, isPoll });
        await clock.advance(60_000 / mappings);
        const { findings, remember } = await reading;
        expect(findings.flatMap(({ problems }) => problems)).toEqual([]);
        remember?.(known);
      }
      return (client.requests.length - before) / mappings;
    };
    expect(await readAll(false)).toBe(4);
    expect(await readAll(true)).toBeLessThanOrEqual(most);
  },
);

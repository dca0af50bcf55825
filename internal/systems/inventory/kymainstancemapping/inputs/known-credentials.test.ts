import { expect, test } from '@jest/globals';
import { inputCluster } from '../../input/input-cluster.fixture.ts';
import { complete, refs } from './inputs.fixture.ts';
import { readInputs } from './inputs.ts';
import { createKnownSecrets } from './known-credentials.ts';

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
  const base = inputCluster(Object.values(complete()), failures);
  const cluster = { ...base, polledReads: { ...base.polledReads, versionOf: async () => version } };
  const knownSecrets = createKnownSecrets();
  const poll = (isPoll = true, of = cluster) => readInputs(of, refs, signal, { knownSecrets, isPoll });
  return { cluster, failures, version, poll };
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

test.each([
  { what: 'another version', change: { resourceVersion: '8' } },
  { what: 'a Secret of the same name', change: { uid: 'other' } },
])('a poll reads $what', async ({ change }) => {
  const { version, poll } = setup();
  (await poll()).remember?.(known);
  Object.assign(version, change);
  expect((await poll()).credentials?.clientId).toBe('sb-1');
});

test('a reconcile that is no poll reads the Secret, and one of another cluster as well', async () => {
  const { cluster, poll } = setup();
  (await poll()).remember?.(known);
  expect((await poll(false)).credentials?.clientId).toBe('sb-1');
  const other = { ...cluster, objectWatcher: { ...cluster.objectWatcher } };
  expect((await poll(true, other)).credentials?.clientId).toBe('sb-1');
});

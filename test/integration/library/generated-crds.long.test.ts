/** CRDs that an author generates in his own project, on a real API server. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { type Crd, installCrds, removeCrds } from '../../environment/install-crds.ts';
import { controlPlanes } from '../harness/control-planes/control-planes.ts';
import { authorApis, authorOutputs } from './author-apis.ts';
import { type AuthorFolder, createAuthorFolder } from './author-folder.ts';

let author: AuthorFolder;
let management: ControlPlaneAccess;
let crds: Crd[] = [];

beforeAll(async () => {
  ({ management } = await controlPlanes());
  author = await createAuthorFolder();
  for (const [path, text] of Object.entries(authorApis)) await author.write(path, text);
  expect(await author.generate()).toMatchObject({ code: 0 });
  const files = authorOutputs.filter((path) => path.startsWith('package/crds/'));
  crds = await Promise.all(files.map(async (path) => parse(await readFile(join(author.path, path), 'utf8'))));
}, 300_000);

afterAll(async () => {
  await removeCrds(management, crds);
  await author.remove();
}, 120_000);

/** Creates without storing: the API server defaults and validates all the same. */
const dryRun = (path: string, group: string, kind: string, spec: object) =>
  management.request(`/apis/${group}/v1/${path}?dryRun=All&fieldValidation=Strict`, {
    method: 'POST',
    body: { apiVersion: `${group}/v1`, kind, metadata: { name: 'a' }, spec },
  });

test('they are accepted as structural', async () => {
  const installed = await installCrds(management, crds);
  const conditions = (installed as { status: { conditions: { type: string; status: string }[] } }[]).flatMap(
    ({ status }) => status.conditions.filter(({ type }) => type === 'NonStructuralSchema'),
  );
  expect(conditions).toEqual([]);
});

test.each([
  {
    scope: 'Cluster',
    path: 'buckets',
    group: 'storage.example.org',
    keyRef: { name: 'key', namespace: 'shop' },
    providerConfigRef: { name: 'default' },
  },
  {
    scope: 'Namespaced',
    path: 'namespaces/default/buckets',
    group: 'storage.m.example.org',
    keyRef: { name: 'key' },
    providerConfigRef: { kind: 'ClusterProviderConfig', name: 'default' },
  },
])(
  'a managed kind is served with the scope $scope and its defaults',
  async ({ path, group, ...expected }) => {
    const { keyRef, providerConfigRef } = expected;
    const { status, body } = await dryRun(path, group, 'Bucket', { forProvider: { size: 1, keyRef } });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { spec: { providerConfigRef, managementPolicies: ['*'] } },
    });
  },
);

test('a configuration of a namespace names a Secret without namespace', async () => {
  const path = 'namespaces/default/providerconfigs';
  const credentials = { source: 'Secret', secretRef: { name: 'login', key: 'password' } };
  expect(await dryRun(path, 'storage.m.example.org', 'ProviderConfig', { credentials })).toMatchObject({
    status: 201,
  });
  expect(
    await dryRun('providerconfigs', 'storage.example.org', 'ProviderConfig', { credentials }),
  ).toMatchObject({
    status: 422,
  });
});

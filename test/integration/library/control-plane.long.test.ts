/** `provider-kyma/testing/control-plane` as provider authors use it: from the packed library, in a program of their own. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type AuthorFolder, createAuthorFolder } from './author-folder.ts';

let author: AuthorFolder;
beforeAll(async () => {
  author = await createAuthorFolder();
});
afterAll(() => author.remove());

const program = `
import { configMaps, createKubeClient, namespaces, secrets } from 'provider-kyma/kube';
import { systemClock } from 'provider-kyma/base';
import { startControlPlane } from 'provider-kyma/testing/control-plane';

const greetings = { group: 'hello.example.org', version: 'v1alpha1', kind: 'Greeting', plural: 'greetings', namespaced: true };
const signal = AbortSignal.timeout(120_000);
const plane = await startControlPlane({ crds: ['package/crds'], report: console.error });
const client = createKubeClient({ config: plane.config, clusterName: 'tests', clock: systemClock });
const refused = (object) => client.create(greetings, object, { signal }).then(() => 'accepted', ({ message }) => message);
const gone = async (type, key) => {
  while (await client.get(type, key, { signal }).then(() => true, () => false)) await new Promise((done) => setTimeout(done, 100));
  return true;
};

await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }, { signal });
const greeting = (name, spec) => ({ apiVersion: 'hello.example.org/v1alpha1', kind: 'Greeting', metadata: { namespace: 'shop', name }, spec });
const invalid = await refused(greeting('empty', {}));
const world = await client.create(greetings, greeting('world', { forProvider: { text: 'Hello', tokenSecretRef: { name: 'greeter', key: 'token' } } }), { signal });
const owner = await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', name: 'owner' } }, { signal });
const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }];
await client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'shop', name: 'owned', ownerReferences } }, { signal });
await client.delete(configMaps, { namespace: 'shop', name: 'owner' }, { signal });
const collected = await gone(secrets, { namespace: 'shop', name: 'owned' });
await client.delete(namespaces, { name: 'shop' }, { signal });
const ended = await gone(namespaces, { name: 'shop' });
await plane.stopApiServer();
await plane.startApiServer();
await client.get(namespaces, { name: 'default' }, { signal });
await client.close();
await plane.stop();
console.log(JSON.stringify({ invalid, policies: world.spec.managementPolicies, collected, ended, kubeconfig: plane.kubeconfigPath }));
`;

test('CRDs validate and default, owned objects are collected, namespaces end, and nothing is left', async () => {
  const hello = await author.copy('examples/hello-provider');
  await author.write('hello-provider/plane.mjs', program);

  const { code, output } = await author.node(['plane.mjs'], hello);

  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('"ended":true') });
  const { invalid, policies, kubeconfig } = JSON.parse(output.trim().split('\n').at(-1) ?? '');
  expect(invalid).toContain('spec.forProvider');
  expect(policies).toEqual(['*']);
  expect(existsSync(dirname(kubeconfig))).toBe(false);
}, 180_000);

test('a folder without CRDs is refused before anything starts', async () => {
  await author.write(
    'empty.mjs',
    `
    import { startControlPlane } from 'provider-kyma/testing/control-plane';
    await startControlPlane({ crds: ['.'] });`,
  );

  const { code, output } = await author.node([join(author.path, 'empty.mjs')]);

  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringContaining('cannot install CRDs: . has none'),
  });
});

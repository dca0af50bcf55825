import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import type { RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import {
  isConflict,
  isForbidden,
  isNotFound,
  isUnauthorized,
} from '../../../internal/framework/kube/errors/errors.ts';
import type { ConfigMap, KubeObject, Secret } from '../../../internal/framework/kube/object/object.ts';
import { configMaps, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { installCrds } from '../../environment/install-crds.ts';
import { serviceAccounts } from '../../environment/rights.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { connect, createNamespace, namespaces } from './connect.ts';
import { type Widget, widgetCrd, widgetType } from './widgets.ts';

/* What a fake cannot show, or does not have. test/integration/contract/kubernetes.test.ts has the verbs, on a real API server too. */
let plane: ControlPlaneAccess;
let client: RestClient;
const namespace = uniqueName('rest');
const widgets = widgetType('RestWidget');

beforeAll(async () => {
  ({ management: plane } = await controlPlanes());
  client = connect(plane.kubeconfig);
  await createNamespace(client, namespace);
  await installCrds(plane, [widgetCrd(widgets)]);
});
afterAll(async () => {
  await client.delete(namespaces, { name: namespace });
  await client.close();
});

const configMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});
const widget = (name: string, spec: Widget['spec']): Widget => ({
  apiVersion: 'tests.example.org/v1',
  kind: widgets.kind,
  metadata: { name, namespace },
  spec: spec ?? {},
});
const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

test('a POST to a subresource is answered with an object of another kind', async () => {
  const key = { namespace, name: 'with-token' };
  await client.create(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: key });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const answer = await client.createSubresource<KubeObject & { status?: { token?: string } }>(
    serviceAccounts,
    key,
    'token',
    { ...request, spec: { expirationSeconds: 600 } },
  );
  expect(answer).toMatchObject({ kind: 'TokenRequest', status: { token: expect.any(String) } });
  const absent = { namespace, name: 'absent' };
  expect(isNotFound(await failure(client.createSubresource(serviceAccounts, absent, 'token', request)))).toBe(
    true,
  );
  expect(isNotFound(await failure(client.createSubresource(serviceAccounts, key, 'unknown', request)))).toBe(
    true,
  );
});

describe('errors', () => {
  test('an invalid object is terminal and the text names the field', async () => {
    const error = await failure(client.create(widgets, widget('big', { size: 11 })));
    expect(error).toMatchObject({ kind: 'terminal', status: 422, reason: 'Invalid' });
    expect(String(error)).toContain('spec.size');
  });

  test('a user without rights, and one without valid credentials', async () => {
    const stranger = connect(await plane.addUser({ name: uniqueName('stranger') }));
    const { ca = '' } = await parseUntrustedKubeconfig(plane.kubeconfig).credentials();
    const wrong = { ca, headers: { authorization: 'Bearer wrong' } };
    const nobody = connect(plane.kubeconfig, { credentials: async () => wrong });
    expect(isForbidden(await failure(stranger.list(secrets)))).toBe(true);
    expect(isUnauthorized(await failure(nobody.list(secrets)))).toBe(true);
    await Promise.all([stranger.close(), nobody.close()]);
  });
});

describe('server-side apply', () => {
  test('creates, owns its fields only, and names the owner on a conflict', async () => {
    const parts = (colour: string) => widget('applied', { parts: [{ name: 'wheel', colour }] });
    await client.apply(widgets, parts('red'), { fieldManager: 'one' });
    const both = await client.apply<Widget>(widgets, widget('applied', { parts: [{ name: 'door' }] }), {
      fieldManager: 'two',
    });
    expect(both.spec?.parts).toEqual([{ name: 'wheel', colour: 'red' }, { name: 'door' }]);
    const taken = await failure(client.apply(widgets, parts('blue'), { fieldManager: 'two' }));
    expect(isConflict(taken)).toBe(true);
    expect(String(taken)).toContain('conflict with "one"');
    const forced = await client.apply<Widget>(widgets, parts('blue'), { fieldManager: 'two', force: true });
    expect(forced.spec?.parts).toEqual([{ name: 'wheel', colour: 'blue' }]);
  });
});

test('1,200 objects are read in pages of one resource version', async () => {
  const pagedNamespace = uniqueName('paged');
  await createNamespace(client, pagedNamespace);
  const names = Array.from({ length: 1200 }, (_, i) => `c${i}`);
  const todo = [...names];
  const write = async () => {
    for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
      const metadata = { name, namespace: pagedNamespace, labels: { paged: 'yes' } };
      await client.create(configMaps, { ...configMap(name), metadata });
    }
  };
  await Promise.all(Array.from({ length: 16 }, write));
  const selection = { namespace: pagedNamespace, labelSelector: 'paged=yes' };
  const first = await client.list<ConfigMap>(configMaps, selection);
  await client.delete(configMaps, { namespace: pagedNamespace, name: first.items[0]?.metadata.name ?? '' });
  const pages = [first];
  for (let next = first.continue; next !== undefined; next = pages.at(-1)?.continue) {
    pages.push(await client.list<ConfigMap>(configMaps, { ...selection, continue: next }));
  }
  expect(pages.map(({ items }) => items.length)).toEqual([500, 500, 200]);
  expect(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size).toBe(1);
  const found = pages.flatMap(({ items }) => items.map(({ metadata }) => metadata.name));
  expect(found.sort()).toEqual(names.sort());
  await client.delete(namespaces, { name: pagedNamespace });
}, 60_000);

test('metadata of Secrets carries no data, by get, list and watch', async () => {
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'hidden', namespace, labels: { meta: 'yes' } },
    data: { password: Buffer.from('CANARY').toString('base64') },
  };
  const { metadata } = await client.create(secrets, secret);
  const key = { namespace, name: 'hidden' };
  const selection = { namespace, labelSelector: 'meta=yes' };
  const seen: KubeObject[] = [await client.getMetadata(secrets, key)];
  seen.push(...(await client.listMetadata(secrets, selection)).items);
  for await (const { object } of client.watchMetadata(secrets, selection)) {
    seen.push(object);
    break;
  }
  const expected = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: expect.objectContaining({ uid: metadata.uid }),
  };
  expect(seen).toEqual([expected, expected, expected]);
  expect(JSON.stringify(seen)).not.toContain(secret.data?.password);
});

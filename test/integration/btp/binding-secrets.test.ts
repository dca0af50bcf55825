/**
 * The Secret of a ServiceBinding on a real API server, without a reconciler: what it refuses is refused before with a
 * message for users, and what it does not change is created again.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type ServiceBinding,
  type ServiceBindingSpec,
  serviceBinding,
  serviceBindings,
} from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { createKubeClient, type RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import { type Secret, secrets } from '../../../internal/framework/kube/index.ts';
import { boundInstance } from '../../../internal/systems/btp/servicebinding/secret/secret.fixture.ts';
import { secretContent } from '../../../internal/systems/btp/servicebinding/secret/secret-content.ts';
import {
  deleteSecret,
  secretKeyOf,
  storeSecret,
} from '../../../internal/systems/btp/servicebinding/secret/secret-store.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';

let client: RestClient;
let objects: Objects;
const { signal } = new AbortController();

beforeAll(async () => {
  const { management } = await controlPlanes();
  objects = objectsOf(management);
  client = createKubeClient({ config: parseUntrustedKubeconfig(management.kubeconfig), clock: systemClock });
});
afterAll(() => client?.close());

/** A stored binding, so that the garbage collector keeps its Secret. */
const bindingOf = (spec: Partial<ServiceBindingSpec> = {}): Promise<ServiceBinding> =>
  objects.apply(
    serviceBindings,
    serviceBinding({
      name: uniqueName('binding'),
      namespace: 'default',
      spec: { serviceInstanceName: 'orders', ...spec },
    }),
  );

const store = (binding: ServiceBinding, credentials: string, secretTemplate = '') => {
  const templated = { ...binding, spec: { ...binding.spec, secretTemplate } };
  const content = secretContent({ binding: templated, instance: boundInstance(), credentials });
  return storeSecret(binding, content, { client, signal });
};

const stored = (binding: ServiceBinding) => objects.get<Secret>(secrets, secretKeyOf(binding));

test('the largest Secret and the longest key are accepted', async () => {
  const binding = await bindingOf({ secretKey: 'x'.repeat(253) });
  // The other entries have less than 1,000 bytes.
  await store(binding, JSON.stringify('x'.repeat(2 ** 20 - 1000)));
  expect((await stored(binding)).data).toHaveProperty('x'.repeat(253));
});

test('the longest labels and all annotations that are allowed are accepted', async () => {
  const binding = await bindingOf();
  const note = 'x'.repeat(256 * 1024 - `notebinding${binding.metadata.name}`.length);
  await store(
    binding,
    JSON.stringify({ note }),
    `metadata: {labels: {"${'a.'.repeat(126)}a/${'x'.repeat(63)}": "${'V'.repeat(63)}"}, annotations: {note: {{ .credentials.note }}}}`,
  );
  expect((await stored(binding)).metadata.annotations?.note).toBe(note);
});

describe.each([
  { title: 'the type', before: 'stringData: {a: b}', after: 'type: example.com/custom\nstringData: {a: c}' },
  {
    title: 'an immutable Secret',
    before: 'immutable: true\nstringData: {a: b}',
    after: 'stringData: {a: c}',
  },
])('a change of $title', ({ before, after }) => {
  test('replaces the Secret', async () => {
    const binding = await bindingOf();
    await store(binding, '{}', before);
    const old = await stored(binding);
    expect((await store(binding, '{}', after)).outcome).toBe('replaced');
    const secret = await stored(binding);
    expect(secret.metadata.uid).not.toBe(old.metadata.uid);
    expect(secret.data).toEqual({ a: 'Yw==' });
    expect((await store(binding, '{}', after)).outcome).toBe('unchanged');
  });
});

test('a change in place keeps owners, finalizers and labels of others; deleting finds the own Secret', async () => {
  const binding = await bindingOf();
  await store(binding, '{"a":"1"}');
  const key = secretKeyOf(binding);
  const other = await bindingOf();
  const { apiVersion, kind, metadata } = other;
  const { uid = '', name } = metadata;
  const { ownerReferences = [] } = (await stored(binding)).metadata;
  await objects.patch(secrets, key, {
    metadata: {
      ownerReferences: [...ownerReferences, { apiVersion, kind, name, uid }],
      finalizers: ['example.com/keep'],
      labels: { foreign: 'x' },
    },
  });
  expect((await store(binding, '{"b":"2"}')).outcome).toBe('replaced');
  const { data, metadata: found } = await stored(binding);
  expect(data).not.toHaveProperty('a');
  expect(found).toMatchObject({ finalizers: ['example.com/keep'], labels: { foreign: 'x' } });
  expect(found.ownerReferences).toHaveLength(2);
  await objects.patch(secrets, key, { metadata: { finalizers: null } });
  expect(await deleteSecret(other, { client, signal })).toBe(false);
  expect(await deleteSecret(binding, { client, signal })).toBe(true);
  expect(await objects.find(secrets, key)).toBeUndefined();
});

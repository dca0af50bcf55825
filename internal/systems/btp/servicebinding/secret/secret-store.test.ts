import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import {
  apiError,
  createMemoryClient,
  type MemoryRequest,
} from '../../../../framework/kube/fakes/memory-client.ts';
import { type OwnerReference, type Secret, secrets } from '../../../../framework/kube/index.ts';
import type { SecretContent } from './assemble-content.ts';
import { SecretNameError } from './errors.ts';
import { sampleBinding } from './secret.fixture.ts';
import { checkSecretName, deleteSecret, secretKeyOf, storeSecret } from './secret-store.ts';

const key = { namespace: 'shop', name: 'orders-secret' };
const content: SecretContent = {
  type: 'Opaque',
  labels: { managed: 'true' },
  annotations: { binding: 'orders-db' },
  data: { user: 'bWU=' },
};

const binding = sampleBinding();
const owner = (parts: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'services.cloud.sap.com/v1',
  kind: 'ServiceBinding',
  name: 'orders-db',
  uid: 'uid-b',
  controller: true,
  blockOwnerDeletion: true,
  ...parts,
});
const foreignOwner = owner({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'cm',
  uid: 'uid-cm',
  controller: false,
});

function setup() {
  const client = createMemoryClient({ clock: createFakeClock() });
  const options = { client, signal: new AbortController().signal };
  const seed = (parts: Partial<Secret> = {}) =>
    client.seed<Secret>(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      ...parts,
      metadata: { ...key, ...parts.metadata },
    });
  /** Before the first request of that verb, the change happens. */
  const meanwhile = (verb: MemoryRequest['verb'], change: () => void) => {
    const remove = client.onRequest((request) => {
      if (request.verb !== verb) return;
      remove();
      change();
    });
  };
  const verbs = () => client.requests.map(({ verb }) => verb);
  return { client, options, seed, meanwhile, verbs, stored: () => client.peek(secrets, key) };
}

const others = [
  {
    title: '[B71] without a controller',
    ownerReferences: [foreignOwner],
    text: "the specified secret name 'orders-secret' is already taken. Choose another name and try again",
  },
  {
    title: 'controlled by another kind',
    ownerReferences: [{ ...foreignOwner, controller: true }],
    text: "the specified secret name 'orders-secret' is already taken. Choose another name and try again",
  },
  {
    title: '[B72] of another binding',
    ownerReferences: [owner({ name: 'other', uid: 'uid-o', apiVersion: 'services.cloud.sap.com/v1alpha1' })],
    text: 'secret orders-secret belongs to another binding other, choose a different name',
  },
  {
    title: 'of a deleted binding of the same name',
    ownerReferences: [owner({ uid: 'uid-before' })],
    text: 'secret orders-secret belongs to another binding orders-db, choose a different name',
  },
];

describe.each(others)("another one's Secret: $title", ({ ownerReferences, text }) => {
  const refused = (promise: Promise<unknown>) =>
    expect(promise).rejects.toThrow(new SecretNameError(text, '1'));

  test('[B71] [B72] its name is refused', async () => {
    const { options, seed } = setup();
    seed({ metadata: { ...key, ownerReferences } });
    await refused(checkSecretName(binding, options));
  });

  test('it is not overwritten', async () => {
    const { options, seed, stored } = setup();
    const before = seed({ metadata: { ...key, ownerReferences }, data: { theirs: 'eA==' } });
    await refused(storeSecret(binding, content, options));
    expect(stored()).toEqual(before);
  });

  test('it is not overwritten when it is created at the same time', async () => {
    const { options, seed, meanwhile, stored } = setup();
    meanwhile('create', () => seed({ metadata: { ...key, ownerReferences }, data: { theirs: 'eA==' } }));
    await refused(storeSecret(binding, content, options));
    expect(stored()?.data).toEqual({ theirs: 'eA==' });
  });

  test('it is not deleted', async () => {
    const { options, seed, stored } = setup();
    seed({ metadata: { ...key, ownerReferences } });
    expect(await deleteSecret(binding, options)).toBe(false);
    expect(stored()).toBeDefined();
  });
});

describe('a Secret that is probably missing', () => {
  test('is created without being read', async () => {
    const { options, verbs, stored } = setup();
    await storeSecret(binding, content, { ...options, isMissing: true });
    expect(verbs()).toEqual(['create']);
    expect(stored()?.data).toEqual(content.data);
  });

  test('is replaced if the binding has one', async () => {
    const { options, seed, stored } = setup();
    seed({ metadata: { ...key, ownerReferences: [owner()] }, data: { user: 'b2xk' } });
    await storeSecret(binding, content, { ...options, isMissing: true });
    expect(stored()?.data).toEqual(content.data);
  });

  test('stays if it belongs to another object', async () => {
    const { options, seed, stored } = setup();
    seed({ metadata: { ...key, ownerReferences: [foreignOwner] }, data: { user: 'b2xk' } });
    await expect(storeSecret(binding, content, { ...options, isMissing: true })).rejects.toThrow(
      SecretNameError,
    );
    expect(stored()?.data).toEqual({ user: 'b2xk' });
  });
});

describe('the name of a Secret', () => {
  test('a free one is accepted, and read as metadata', async () => {
    const { client, options } = setup();
    await checkSecretName(binding, options);
    expect(client.requests).toMatchObject([{ verb: 'get', key }]);
  });

  test("that of the binding's own Secret is accepted", async () => {
    const { options, seed } = setup();
    seed({ metadata: { ...key, ownerReferences: [owner()] } });
    await checkSecretName(binding, options);
  });

  test('[B87] without one, the name of the binding is used', async () => {
    const { client, options } = setup();
    const unnamed = sampleBinding({ secretName: '' });
    await storeSecret(unnamed, content, options);
    expect(secretKeyOf(unnamed)).toEqual({ namespace: 'shop', name: 'orders-db' });
    expect(client.peek(secrets, secretKeyOf(unnamed))).toBeDefined();
  });
});

describe('storing', () => {
  test('a new Secret has the content and the binding as controller', async () => {
    const { options, stored } = setup();
    expect((await storeSecret(binding, content, options)).outcome).toBe('created');
    expect(stored()).toMatchObject({
      type: 'Opaque',
      metadata: {
        ...key,
        labels: content.labels,
        annotations: content.annotations,
        ownerReferences: [owner()],
      },
      data: content.data,
    });
  });

  test('data, labels and annotations are replaced; other owners and finalizers stay', async () => {
    const { options, seed, stored } = setup();
    const ownerReferences = [foreignOwner, owner()];
    seed({
      metadata: {
        ...key,
        ownerReferences,
        labels: { old: 'x' },
        annotations: { old: 'x' },
        finalizers: ['a/b'],
      },
      data: { old: 'eA==' },
    });
    expect((await storeSecret(binding, content, options)).outcome).toBe('replaced');
    expect(stored()).toMatchObject({ metadata: { ownerReferences, finalizers: ['a/b'] } });
    expect(stored()?.data).toEqual(content.data);
    expect(stored()?.metadata.labels).toEqual(content.labels);
    expect(stored()?.metadata.annotations).toEqual(content.annotations);
  });

  test('a Secret with this content is not written', async () => {
    const { options, verbs } = setup();
    await storeSecret(binding, content, options);
    expect((await storeSecret(binding, content, options)).outcome).toBe('unchanged');
    expect(verbs()).toEqual(['get', 'create', 'get']);
  });

  test('a Secret that changes at the same time is read again', async () => {
    const { client, options, seed, meanwhile, stored } = setup();
    seed({ metadata: { ...key, ownerReferences: [owner()] } });
    meanwhile('update', () => {
      const found = stored();
      if (found) client.seed(secrets, { ...found, metadata: { ...found.metadata, finalizers: ['a/b'] } });
    });
    expect((await storeSecret(binding, content, options)).outcome).toBe('replaced');
    expect(stored()).toMatchObject({ metadata: { finalizers: ['a/b'] }, data: content.data });
  });

  test('a Secret that this binding created at the same time is replaced', async () => {
    const { options, seed, meanwhile, stored } = setup();
    meanwhile('create', () => seed({ metadata: { ...key, ownerReferences: [owner()] } }));
    expect((await storeSecret(binding, content, options)).outcome).toBe('replaced');
    expect(stored()?.data).toEqual(content.data);
  });

  test('a Secret that is deleted at the same time is created', async () => {
    const { client, options, seed, meanwhile, stored } = setup();
    seed({ metadata: { ...key, ownerReferences: [owner()] } });
    meanwhile('update', () => void client.delete(secrets, key));
    expect((await storeSecret(binding, content, options)).outcome).toBe('created');
    expect(stored()?.data).toEqual(content.data);
  });

  test('a Secret that always changes is an error after four attempts', async () => {
    const { client, options, seed, verbs } = setup();
    seed({ metadata: { ...key, ownerReferences: [owner()] } });
    client.onRequest(({ verb }) => {
      if (verb === 'update') throw apiError(409, 'Conflict');
    });
    await expect(storeSecret(binding, content, options)).rejects.toThrow('Conflict');
    expect(verbs().filter((verb) => verb === 'update')).toHaveLength(4);
  });

  test('another error is not repeated', async () => {
    const { client, options, verbs } = setup();
    client.onRequest(({ verb }) => {
      if (verb === 'create') throw apiError(403, 'Forbidden');
    });
    await expect(storeSecret(binding, content, options)).rejects.toThrow('Forbidden');
    expect(verbs()).toEqual(['get', 'create']);
  });
});

describe('what the API server refuses to change', () => {
  test.each([
    { reason: 'an immutable Secret', parts: { immutable: true } },
    { reason: 'a Secret of another type', parts: { type: 'example.com/custom' } },
  ])('$reason is deleted and created again, with its owners', async ({ parts }) => {
    const { options, seed, stored, verbs } = setup();
    const ownerReferences = [foreignOwner, owner()];
    const before = seed({ ...parts, metadata: { ...key, ownerReferences }, data: { old: 'eA==' } });
    expect((await storeSecret(binding, content, options)).outcome).toBe('replaced');
    expect(verbs()).toEqual(['get', 'delete', 'create']);
    expect(stored()?.metadata.uid).not.toBe(before.metadata.uid);
    expect(stored()).toMatchObject({ type: 'Opaque', metadata: { ownerReferences }, data: content.data });
    expect(stored()).not.toHaveProperty('immutable');
  });

  test('an immutable Secret with this content stays', async () => {
    const { options, stored } = setup();
    const immutable = { ...content, type: 'example.com/custom', immutable: true };
    await storeSecret(binding, immutable, options);
    expect(stored()).toMatchObject({ type: 'example.com/custom', immutable: true });
    expect((await storeSecret(binding, immutable, options)).outcome).toBe('unchanged');
  });

  test('a Secret that gets another owner before it is deleted stays', async () => {
    const { client, options, seed, meanwhile, stored } = setup();
    seed({ immutable: true, metadata: { ...key, ownerReferences: [owner()] } });
    meanwhile('delete', () => {
      const found = stored();
      const ownerReferences = [owner({ uid: 'uid-o', name: 'other' })];
      if (found) client.seed(secrets, { ...found, metadata: { ...found.metadata, ownerReferences } });
    });
    await expect(storeSecret(binding, content, options)).rejects.toThrow(SecretNameError);
    expect(stored()).toMatchObject({ immutable: true });
  });
});

describe('deleting', () => {
  test("the binding's own Secret is deleted", async () => {
    const { options, stored } = setup();
    await storeSecret(binding, content, options);
    expect(await deleteSecret(binding, options)).toBe(true);
    expect(stored()).toBeUndefined();
  });

  test('a Secret that was changed since the watch has shown it is read and deleted', async () => {
    const { client, options, stored } = setup();
    const { secret: known } = await storeSecret(binding, content, options);
    await client.mergePatch(secrets, key, { metadata: { labels: { team: 'shop' } } });
    expect(await deleteSecret(binding, options, known)).toBe(true);
    expect(stored()).toBeUndefined();
  });

  test('no Secret: nothing to do', async () => {
    expect(await deleteSecret(binding, setup().options)).toBe(false);
  });

  test('a Secret that gets another owner at the same time stays', async () => {
    const { client, options, meanwhile, stored } = setup();
    await storeSecret(binding, content, options);
    meanwhile('delete', () => {
      const found = stored();
      const ownerReferences = [owner({ uid: 'uid-o', name: 'other' })];
      if (found) client.seed(secrets, { ...found, metadata: { ...found.metadata, ownerReferences } });
    });
    expect(await deleteSecret(binding, options)).toBe(false);
    expect(stored()).toBeDefined();
  });
});

test('a Secret of SAP’s operator, whose description has another order, is not written', async () => {
  const { options, seed } = setup();
  const described = (...names: readonly string[]) => {
    const credentialProperties = names.map((name) => ({ name, format: 'text' }));
    return Buffer.from(JSON.stringify({ credentialProperties, metaDataProperties: [] })).toString('base64');
  };
  seed({
    metadata: {
      name: key.name,
      labels: { managed: 'true' },
      annotations: { binding: 'orders-db' },
      ownerReferences: [owner()],
    },
    data: { ...content.data, '.metadata': described('user', 'host') },
  });
  const wanted = { ...content, data: { ...content.data, '.metadata': described('host', 'user') } };
  expect((await storeSecret(binding, wanted, options)).outcome).toBe('unchanged');
});

/** What the API server refuses, and Secrets that belong to others in ways that are easily overlooked. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import {
  apiError,
  createMemoryClient,
  type MemoryClient,
} from '../../../../framework/kube/fakes/memory-client.ts';
import { asController, type OwnerReference, type Secret, secrets } from '../../../../framework/kube/index.ts';
import { sampleBinding } from './secret.fixture.ts';
import { checkSecretName, deleteSecret, type SecretStoreOptions, storeSecret } from './secret-store.ts';

const key = { namespace: 'shop', name: 'orders-secret' };
const content = { type: 'Opaque', labels: {}, annotations: {}, data: { user: 'bWU=' } };
const binding = sampleBinding();

let client: MemoryClient;
let options: SecretStoreOptions;
beforeEach(() => {
  client = createMemoryClient({ clock: createFakeClock() });
  options = { client, signal: new AbortController().signal };
});
const refuse = (verb: string, error: Error) =>
  client.onRequest((request) => {
    if (request.verb === verb) throw error;
  });
const count = (verb: string) => client.requests.filter((request) => request.verb === verb).length;

test('a Secret that cannot be read is not taken for a missing one', async () => {
  refuse('get', apiError(403, 'Forbidden'));
  await expect(storeSecret(binding, content, options)).rejects.toThrow('Forbidden');
  await expect(checkSecretName(binding, options)).rejects.toThrow('Forbidden');
  await expect(deleteSecret(binding, options)).rejects.toThrow('Forbidden');
  expect(count('create')).toBe(0);
});

describe('a reconcile that ends', () => {
  const own = { ownerReferences: [asController(binding)] };
  const seed = (parts: Partial<Secret> = {}): Secret =>
    client.seed<Secret>(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...key, ...own },
      ...parts,
    });
  const store = (): Promise<unknown> => storeSecret(binding, content, options);

  test.each([
    { at: 'create', write: store, before: () => undefined },
    { at: 'update', write: store, before: () => seed() },
    { at: 'delete', write: store, before: () => seed({ immutable: true }) },
    { at: 'create', write: store, before: () => seed({ immutable: true }) },
    { at: 'get', write: () => checkSecretName(binding, options), before: () => undefined },
    { at: 'delete', write: () => deleteSecret(binding, options), before: () => seed() },
  ])('gives up its $at', async ({ at, write, before }) => {
    before();
    const abort = new AbortController();
    options = { client, signal: abort.signal };
    client.onRequest(({ verb }) => {
      if (verb === at) abort.abort(new Error('ended'));
    });
    const found = client.peek(secrets, key);
    await expect(write()).rejects.toThrow('ended');
    if (at !== 'create') expect(client.peek(secrets, key)).toEqual(found);
  });
});

describe('the deletion of a Secret', () => {
  beforeEach(async () => {
    await storeSecret(binding, content, options);
  });

  test('that others delete at the same time is done', async () => {
    const stop = client.onRequest(async ({ verb }) => {
      if (verb !== 'delete') return;
      stop();
      await client.delete(secrets, key);
    });
    expect(await deleteSecret(binding, options)).toBe(false);
    expect(client.peek(secrets, key)).toBeUndefined();
  });

  test('that others change at the same time is repeated', async () => {
    const stop = client.onRequest(async ({ verb }) => {
      if (verb !== 'delete') return;
      stop();
      await client.mergePatch(secrets, key, { metadata: { labels: { team: 'shop' } } });
    });
    expect(await deleteSecret(binding, options)).toBe(true);
    expect(client.peek(secrets, key)).toBeUndefined();
  });

  test('that always conflicts is an error after four attempts', async () => {
    refuse('delete', apiError(409, 'Conflict'));
    await expect(deleteSecret(binding, options)).rejects.toThrow('Conflict');
    expect(count('delete')).toBe(4);
  });

  test('that is refused is not repeated', async () => {
    refuse('delete', apiError(403, 'Forbidden'));
    await expect(deleteSecret(binding, options)).rejects.toThrow('Forbidden');
    expect(count('delete')).toBe(1);
  });
});

describe('not the Secret of the binding', () => {
  const seed = (ownerReferences: OwnerReference[] = []) =>
    client.seed<Secret>(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...key, ownerReferences },
    });

  test('one without an owner, for a binding that has no uid', async () => {
    seed();
    const { uid: _, ...metadata } = binding.metadata;
    expect(await deleteSecret({ ...binding, metadata }, options)).toBe(false);
    expect(client.peek(secrets, key)).toBeDefined();
  });

  test('one of a kind of the same name in another group', async () => {
    seed([
      { apiVersion: 'servicebinding.io/v1', kind: 'ServiceBinding', name: 'x', uid: 'u', controller: true },
    ]);
    await expect(checkSecretName(binding, options)).rejects.toThrow('is already taken');
  });
});

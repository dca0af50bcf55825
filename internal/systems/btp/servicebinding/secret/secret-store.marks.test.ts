/** Labels, annotations and descriptions of others in the Secret of a binding. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { createMemoryClient, type MemoryClient } from '../../../../framework/kube/fakes/memory-client.ts';
import { secrets } from '../../../../framework/kube/index.ts';
import type { SecretContent } from './assemble-content.ts';
import { sampleBinding } from './secret.fixture.ts';
import { type StoredSecret, storeSecret } from './secret-store.ts';

const key = { namespace: 'shop', name: 'orders-secret' };
const described = (...names: readonly string[]) => {
  const credentialProperties = names.map((name) => ({ name, format: 'text' }));
  return Buffer.from(JSON.stringify({ credentialProperties, metaDataProperties: [] })).toString('base64');
};
const content: SecretContent = {
  type: 'Opaque',
  labels: { managed: 'true' },
  annotations: { binding: 'orders-db' },
  data: { user: 'bWU=', '.metadata': described('user') },
};

let client: MemoryClient;
const store = (wanted: SecretContent): Promise<StoredSecret> =>
  storeSecret(sampleBinding(), wanted, { client, signal: new AbortController().signal });
const stored = () => client.peek(secrets, key);
beforeEach(async () => {
  client = createMemoryClient({ clock: createFakeClock() });
  await store(content);
  const theirs = { ...key, labels: { team: 'shop' }, annotations: { seen: 'x' } };
  const applied = { apiVersion: 'v1', kind: 'Secret', metadata: theirs };
  await client.otherProgram().apply(secrets, applied, { fieldManager: 'replicator', force: true });
});

test('a Secret is created as one of the core API', () => {
  const created = client.requests.find(({ verb }) => verb === 'create');
  expect(created?.body).toMatchObject({ apiVersion: 'v1', kind: 'Secret' });
});

test('a Secret with the content is not written', async () => {
  expect((await store(content)).outcome).toBe('unchanged');
  // As if it were absent.
  await client.mergePatch(secrets, key, { immutable: false });
  expect((await store(content)).outcome).toBe('unchanged');
});

test('an own label that the content no longer has is removed, unless another one has it too', async () => {
  await store({ ...content, labels: { ...content.labels, old: 'x', team: 'shop' } });
  expect(stored()?.metadata.labels).toEqual({ managed: 'true', old: 'x', team: 'shop' });
  expect((await store(content)).outcome).toBe('replaced');
  expect(stored()?.metadata.labels).toEqual({ managed: 'true', team: 'shop' });
});

describe('labels and annotations of others are kept', () => {
  test.each([
    { change: 'nothing', changed: content, outcome: 'unchanged' },
    {
      change: 'an own label',
      changed: { ...content, labels: { managed: 'false' } },
      outcome: 'replaced',
    },
    {
      change: 'an own annotation',
      changed: { ...content, annotations: { binding: 'other' } },
      outcome: 'replaced',
    },
    {
      change: 'a credential',
      changed: { ...content, data: { ...content.data, user: 'eA==' } },
      outcome: 'replaced',
    },
    {
      change: 'the description',
      changed: { ...content, data: { ...content.data, '.metadata': described('user', 'host') } },
      outcome: 'replaced',
    },
    {
      change: 'the format, to one without a description',
      changed: { ...content, data: { user: 'bWU=' } },
      outcome: 'replaced',
    },
  ])('a change of $change: $outcome', async ({ changed, outcome }) => {
    expect((await store(changed)).outcome).toBe(outcome);
    expect(stored()?.data).toEqual(changed.data);
    expect(stored()?.metadata).toMatchObject({
      labels: { ...changed.labels, team: 'shop' },
      annotations: { ...changed.annotations, seen: 'x' },
    });
  });

  test('a Secret without a description gets one', async () => {
    await client.mergePatch(secrets, key, { data: { '.metadata': null } });
    expect((await store(content)).outcome).toBe('replaced');
    expect(stored()?.data).toEqual(content.data);
  });
});

describe('a Secret with the same data', () => {
  test.each([
    { difference: 'is immutable', parts: { immutable: true } },
    { difference: 'has another type', parts: { type: 'example.com/custom' } },
  ])('that $difference is created again', async ({ parts }) => {
    const { uid } = stored()?.metadata ?? {};
    const found = stored();
    if (found === undefined) throw new Error('no Secret');
    client.seed(secrets, { ...found, ...parts });
    expect((await store(content)).outcome).toBe('replaced');
    expect(stored()?.metadata.uid).not.toBe(uid);
    expect(stored()?.type).toBe('Opaque');
    expect(stored()).not.toHaveProperty('immutable');
  });
});

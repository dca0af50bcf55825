import { describe, expect, test } from '@jest/globals';
import { kindOf, messageOf, ProviderError } from '../../../base/errors/errors.ts';
import type { Secret } from '../../../kube/object/object.ts';
import { inputCluster } from '../input/input-cluster.fixture.ts';
import { readAdminCredentials } from './admin-credentials.ts';

const ref = { name: 'admin', namespace: 'shop', key: 'credentials' };
const { signal } = new AbortController();
const uaa = { url: 'https://uaa.example.org', clientid: 'sb-x', clientsecret: 'never-shown' };

function secret(data: Record<string, string>): Secret {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'admin', namespace: 'shop' },
    data: Object.fromEntries(encoded),
  };
}

async function problemIn(...objects: Secret[]): Promise<unknown> {
  return readAdminCredentials(inputCluster(objects), ref, signal).catch((error: unknown) => error);
}

test('the key has all credentials; other keys are ignored', async () => {
  const text = JSON.stringify({ baseurl: 'api.example.org', uaa });
  const { credentials, target } = await readAdminCredentials(
    inputCluster([secret({ credentials: text, uaa: 'not ours' })]),
    ref,
    signal,
  );
  expect(credentials).toMatchObject({ baseUrl: 'https://api.example.org', clientId: 'sb-x' });
  expect(target.description).toBe('Secret shop/admin');
});

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'a key called %s, which every object has by its prototype, is missing as any other',
  async (key) => {
    const read = readAdminCredentials(inputCluster([secret({ credentials: '{}' })]), { ...ref, key }, signal);
    const error = await read.catch((error: unknown) => error);
    expect(kindOf(error)).toBe('waiting');
    expect(messageOf(error)).toContain(`has no key ${key}`);
  },
);

test('a value that is not a string counts as missing', async () => {
  const hostile = { ...secret({}), data: { credentials: 7 } } as unknown as Secret;
  expect(messageOf(await problemIn(hostile))).toContain('has no key credentials');
});

describe('missing content is waited for, malformed content is an error', () => {
  test.each([
    { title: 'no Secret', objects: [], kind: 'waiting', message: 'not found' },
    { title: 'no key', objects: [secret({})], kind: 'waiting', message: 'has no key credentials' },
    {
      title: 'an empty key',
      objects: [secret({ credentials: ' ' })],
      kind: 'waiting',
      message: 'has an empty key credentials',
    },
    {
      title: 'no uaa',
      objects: [secret({ credentials: '{"baseurl":"api.example.org"}' })],
      kind: 'waiting',
      message: 'has no uaa in key credentials',
    },
    {
      title: 'no JSON',
      objects: [secret({ credentials: 'never-shown' })],
      kind: 'terminal',
      message: 'has a key credentials that is not a JSON object',
    },
  ])('$title', async ({ objects, kind, message }) => {
    const error = await problemIn(...objects);
    expect(kindOf(error)).toBe(kind);
    expect(messageOf(error)).toBe(`Secret shop/admin ${message} (on test cluster)`);
    expect(error instanceof ProviderError && error.targets.map(({ description }) => description)).toEqual([
      'Secret shop/admin',
    ]);
  });
});

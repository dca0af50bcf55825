import { describe, expect, test } from '@jest/globals';
import { instanceMapping } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { kindOf, messageOf, ProviderError } from '../../../framework/base/errors/errors.ts';
import type { Secret } from '../../../framework/kube/object/object.ts';
import { inputCluster } from '../input/input-cluster.fixture.ts';
import { adminCredentialsRef, readAdminCredentials, secretLocation } from './admin-credentials.ts';

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
  const source = 'key credentials of Secret shop/admin';
  expect(credentials).toMatchObject({ baseUrl: 'https://api.example.org', clientId: 'sb-x', source });
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

test.each([
  { title: 'line breaks', value: 'never\r\nshown' },
  { title: 'control characters', value: 'never\u0000\u001b[2Jshown' },
  { title: 'letters of any script', value: 'größe-データ-😀' },
])('a client secret with $title is used as it is', async ({ value }) => {
  const text = JSON.stringify({ baseurl: 'api.example.org', uaa: { ...uaa, clientsecret: value } });
  const { credentials } = await readAdminCredentials(
    inputCluster([secret({ credentials: text })]),
    ref,
    signal,
  );
  expect(credentials.authentication).toEqual({ method: 'client-secret', clientSecret: value });
});

test('white space at the ends of a client secret, such as a line feed of an editor, is removed', async () => {
  const text = JSON.stringify({
    baseurl: 'api.example.org',
    uaa: { ...uaa, clientsecret: ' shown\r\n' },
  });
  const { credentials } = await readAdminCredentials(
    inputCluster([secret({ credentials: text })]),
    ref,
    signal,
  );
  expect(credentials.authentication).toEqual({ method: 'client-secret', clientSecret: 'shown' });
});

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
      title: 'a field of another type',
      objects: [secret({ credentials: JSON.stringify({ baseurl: 'h', uaa: { ...uaa, clientid: [1] } }) })],
      kind: 'terminal',
      message: 'has a uaa.clientid in key credentials that is not a string',
    },
    {
      title: 'a host with a line break',
      objects: [secret({ credentials: JSON.stringify({ baseurl: 'h\r\nX-Evil: 1', uaa }) })],
      kind: 'terminal',
      message: 'has a baseurl in key credentials that is not a host name or an https URL',
    },
    {
      title: 'a URL that is too long',
      objects: [secret({ credentials: JSON.stringify({ baseurl: 'h'.repeat(2049), uaa }) })],
      kind: 'terminal',
      message: 'has a baseurl in key credentials of more than 2048 characters',
    },
    {
      title: 'a key that is too large',
      objects: [secret({ credentials: JSON.stringify({ baseurl: 'h', uaa, more: 'x'.repeat(65_536) }) })],
      kind: 'terminal',
      message: 'has a key credentials of more than 64 KiB',
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

describe('the Secret of an InstanceMapping', () => {
  const fields = { serviceInstanceID: 'i', platform: 'kubernetes', primaryID: 'c' } as const;
  const ofCluster = (over: Partial<typeof ref> = {}) =>
    instanceMapping({
      name: 'a',
      spec: { forProvider: { ...fields, adminCredentialsSecretRef: { ...ref, ...over } } },
    });
  const ofNamespace = (namespace: string, adminCredentialsSecretRef: { name: string; key: string }) =>
    instanceMapping({
      name: 'a',
      namespace,
      spec: { forProvider: { ...fields, adminCredentialsSecretRef } },
    });

  test('is where the reference says', () => {
    expect(adminCredentialsRef(ofCluster())).toEqual(ref);
  });

  test('is in the namespace of a namespaced resource, whatever the reference says', () => {
    const own = { name: 'admin', namespace: 'tenant', key: 'credentials' };
    expect(adminCredentialsRef(ofNamespace('tenant', { name: 'admin', key: 'credentials' }))).toEqual(own);
    // Not valid by the schema: a reference with a namespace.
    expect(adminCredentialsRef(ofNamespace('tenant', ref))).toEqual(own);
  });

  test('has the same location for all resources that refer to it', () => {
    expect(secretLocation(ofNamespace('shop', ref))).toBe(secretLocation(ofCluster()));
  });

  test.each([{ name: 'other' }, { namespace: 'other' }, { key: 'other' }])(
    'has another location with %j',
    (over) => {
      expect(secretLocation(ofCluster(over))).not.toBe(secretLocation(ofCluster()));
    },
  );
});

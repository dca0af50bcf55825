import { describe, expect, test } from '@jest/globals';
import { kindOf } from '../../../framework/base/errors/errors.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import type { Secret } from '../../../framework/kube/object/object.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import { extractCredentials } from '../../../framework/managed/index.ts';
import { type HanaCredentialSelectors, readHanaConnectionSecret } from './connection-secret.ts';

const login = { endpoint: 'hana.example.org', port: '443', username: 'shop', password: 'pass-of' };
const client = createMemoryClient({ clock: createFakeClock() });
function seed(namespace: string, name: string, values: Readonly<Record<string, string>>) {
  const encoded = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  const data: Record<string, string> = Object.fromEntries(encoded);
  client.seed<Secret>(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data });
}
seed('shop', 'hana', login);
seed('elsewhere', 'hana', { ...login, username: 'elsewhere' });
seed('shop', 'partial', { endpoint: login.endpoint, port: '', password: login.password });

async function read(
  connectionSecretRef: HanaCredentialSelectors['connectionSecretRef'],
  namespace?: string,
): Promise<unknown> {
  const selectors: HanaCredentialSelectors = {
    source: 'HanaConnectionSecret',
    ...(connectionSecretRef === undefined ? {} : { connectionSecretRef }),
  };
  const bytes = await extractCredentials(selectors, {
    client,
    env: {},
    readFile: async () => new Uint8Array(),
    ...(namespace === undefined ? {} : { namespace }),
    handlers: new Map([['HanaConnectionSecret', readHanaConnectionSecret]]),
    signal: new AbortController().signal,
  });
  return JSON.parse(Buffer.from(bytes).toString());
}
const failure = (work: Promise<unknown>) => work.then(String, (error: unknown) => error);

describe('the source HanaConnectionSecret', () => {
  test('gives the SQL credentials of the Secret that the configuration names', async () => {
    expect(await read({ namespace: 'shop', name: 'hana' })).toEqual(login);
  });

  test('of a namespaced configuration lies in its own namespace, whatever the reference says', async () => {
    expect(await read({ namespace: 'elsewhere', name: 'hana' }, 'shop')).toEqual(login);
    expect(await read({ name: 'hana' }, 'elsewhere')).toMatchObject({ username: 'elsewhere' });
  });

  test('waits for keys that are missing or empty, names them, and quotes no value', async () => {
    const error = await failure(read({ namespace: 'shop', name: 'partial' }));
    expect(kindOf(error)).toBe('waiting');
    expect(String(error)).toContain('Secret shop/partial has no key port, username');
    expect(String(error)).not.toContain(login.password);
  });

  test('without a reference can only be corrected', async () => {
    expect(kindOf(await failure(read(undefined)))).toBe('terminal');
    expect(kindOf(await failure(read({ name: 'hana' })))).toBe('terminal');
  });

  test('says that the Secret cannot be read', async () => {
    expect(String(await failure(read({ namespace: 'shop', name: 'none' })))).toContain(
      'cannot get credentials secret: ',
    );
  });
});

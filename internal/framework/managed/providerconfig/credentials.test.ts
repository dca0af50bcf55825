import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import type { Secret } from '../../kube/object/object.ts';
import { secrets } from '../../kube/object/resource-type.ts';
import { type CredentialAccess, type CredentialSelectors, extractCredentials } from './credentials.ts';

const client = createMemoryClient({ clock: createFakeClock() });
for (const namespace of ['shop', 'elsewhere']) {
  client.seed<Secret>(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login', namespace },
    data: { password: Buffer.from(`of ${namespace}`).toString('base64') },
  });
}
const access: CredentialAccess = {
  client,
  env: { PASSWORD: 'from env' },
  readFile: async (path) => {
    if (path !== '/run/login') throw new Error('no such file');
    return Buffer.from('from file');
  },
  signal: new AbortController().signal,
};
const secretRef = { namespace: 'shop', name: 'login', key: 'password' };
const read = async (selectors: CredentialSelectors, more: Partial<CredentialAccess> = {}) =>
  Buffer.from(await extractCredentials(selectors, { ...access, ...more })).toString();

describe('credentials', () => {
  test.each<{ title: string; reason: string; selectors: CredentialSelectors; want: string }>([
    {
      title: '[191] from the environment',
      reason: 'the pod may bring them along',
      selectors: { source: 'Environment', env: { name: 'PASSWORD' } },
      want: 'from env',
    },
    {
      title: '[193] from a file',
      reason: 'a volume may bring them along',
      selectors: { source: 'Filesystem', fs: { path: '/run/login' } },
      want: 'from file',
    },
    {
      title: '[195] from a Secret',
      reason: 'the usual place',
      selectors: { source: 'Secret', secretRef },
      want: 'of shop',
    },
    {
      title: '(ours) from nowhere',
      reason: 'some external APIs need none',
      selectors: { source: 'None' },
      want: '',
    },
    {
      title: '(ours) from a variable that is not set',
      reason: 'its meaning is defined by the external API',
      selectors: { source: 'Environment', env: { name: 'OTHER' } },
      want: '',
    },
    {
      title: '(ours) from a key that the Secret does not have',
      reason: 'its meaning is defined by the external API',
      selectors: { source: 'Secret', secretRef: { ...secretRef, key: 'other' } },
      want: '',
    },
    {
      title: '(ours) from a key that every object has by its prototype',
      reason: 'a Secret has only what was written into it',
      selectors: { source: 'Secret', secretRef: { ...secretRef, key: 'constructor' } },
      want: '',
    },
    {
      title: '(ours) from a variable that every object has by its prototype',
      reason: 'the environment has only what was set',
      selectors: { source: 'Environment', env: { name: 'constructor' } },
      want: '',
    },
  ])('$title ($reason)', async ({ selectors, want }) => {
    expect(await read(selectors)).toBe(want);
  });

  test.each<{ title: string; reason: string; selectors: CredentialSelectors; want: string }>([
    {
      title: '[192] no variable is named',
      reason: 'a guess would read something else',
      selectors: { source: 'Environment' },
      want: 'cannot extract from environment variable when none specified',
    },
    {
      title: '[194] no file is named',
      reason: 'a guess would read something else',
      selectors: { source: 'Filesystem' },
      want: 'cannot extract from filesystem when no path specified',
    },
    {
      title: '[196] no Secret is named',
      reason: 'a guess would read something else',
      selectors: { source: 'Secret' },
      want: 'cannot extract from secret key when none specified',
    },
    {
      title: '(ours) no namespace of the Secret is named',
      reason: 'a cluster-scoped configuration has none of its own',
      selectors: { source: 'Secret', secretRef: { name: 'login', key: 'password' } },
      want: 'cannot extract from secret key when none specified',
    },
    {
      title: '[197] the Secret cannot be read',
      reason: 'the prefix says what it was read for',
      selectors: { source: 'Secret', secretRef: { ...secretRef, name: 'other' } },
      want: 'cannot get credentials secret: cannot get Secret shop/other on memory cluster: Secret shop/other: not found',
    },
    {
      title: '(ours) the Secret cannot exist',
      reason: 'creating it is no way out',
      selectors: { source: 'Secret', secretRef: { ...secretRef, name: 'Orders_DB' } },
      want: `cannot get credentials secret: "Orders_DB" cannot be the name of a Secret, which has lower-case letters, digits, "-" and "." only`,
    },
    {
      title: '(ours) the file cannot be read',
      reason: 'the prefix says what it was read for',
      selectors: { source: 'Filesystem', fs: { path: '/none' } },
      want: 'cannot read credentials file: no such file',
    },
    ...['InjectedIdentity', 'HanaConnectionSecret'].map((source) => ({
      title: `(ours) the source ${source}`,
      reason: 'only the provider itself knows what it means',
      selectors: { source },
      want: `no extraction handler registered for source: ${source}`,
    })),
  ])('$title ($reason)', async ({ selectors, want }) => {
    await expect(read(selectors)).rejects.toHaveProperty('message', want);
  });

  test('(ours) from a source of the provider, by its handler', async () => {
    const handlers = new Map([
      ['Vault', async ({ source }: CredentialSelectors) => Buffer.from(`of ${source}`)],
    ]);
    expect(await read({ source: 'Vault' }, { handlers })).toBe('of Vault');
    await expect(read({ source: 'constructor' }, { handlers })).rejects.toThrow('no extraction handler');
  });

  test("a namespaced configuration reaches its own namespace's Secrets only", async () => {
    const selectors = { source: 'Secret', secretRef: { ...secretRef, namespace: 'elsewhere' } };
    expect(await read(selectors, { namespace: 'shop' })).toBe('of shop');
    const unplaced = { source: 'Secret', secretRef: { name: 'login', key: 'password' } };
    expect(await read(unplaced, { namespace: 'shop' })).toBe('of shop');
  });

  test.each([
    { source: 'Environment', env: { name: 'PASSWORD' } },
    { source: 'Filesystem', fs: { path: '/secret' } },
  ])('a namespaced configuration does not reach the $source of the provider', async (selectors) => {
    await expect(read(selectors, { namespace: 'shop' })).rejects.toThrow(
      `a namespaced ProviderConfig cannot take credentials from ${selectors.source}`,
    );
  });
});

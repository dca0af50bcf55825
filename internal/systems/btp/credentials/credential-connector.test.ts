/** When credentials of Service Manager are read, and when the client of before is used. */
import { expect, test } from '@jest/globals';
import {
  type LimitKeyOption,
  reserveFor,
  reserveNothing,
} from '../../../framework/base/concurrency/limit-key.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import type { ApiCredentials } from '../../../framework/http/index.ts';
import type { Informers } from '../../../framework/kube/cache/informers.ts';
import { createFakeCache, type FakeCache } from '../../../framework/kube/fakes/fake-cache.ts';
import type { PartialObject, Secret } from '../../../framework/kube/index.ts';
import type { ServiceManagerClient } from '../service-manager/index.ts';
import { createCredentialConnector, createSecretLocator } from './credential-connector.ts';
import { InvalidCredentialsError, MissingCredentialsError } from './errors.ts';
import type { SecretKey } from './secret-names.ts';

const settings = { releaseNamespace: 'release', managementNamespace: 'management', namespaceSecrets: true };
const user = { metadata: { namespace: 'shop' }, spec: {} };
const how = { signal: new AbortController().signal, reserve: reserveNothing };

const secret = (name: string, resourceVersion: string): PartialObject =>
  ({
    ...{ apiVersion: 'v1', kind: 'Secret' },
    metadata: { namespace: 'release', name, uid: name, resourceVersion },
  }) as PartialObject;

/** A connector to whose watch the test gives versions. @param errorOf why the credentials of a Secret cannot be used */
function setUp(errorOf: (key: SecretKey) => Error | undefined = () => undefined) {
  const shown = { credentials: secret('credentials', '1'), certificate: secret('certificate', '1') };
  const known = { isForgotten: false, usesCertificate: true };
  const marked: string[][] = [];
  const calls: string[] = [];
  const clientOf = (how: string): ServiceManagerClient => {
    calls.push(how);
    return { hosts: { credentialsID: 'c', baseUrl: 'b', tokenUrl: 't' }, viewer: how } as never;
  };
  const credentials = { authentication: { method: 'client-secret', clientSecret: 's' } } as ApiCredentials;
  const connector = createCredentialConnector({
    ...{ clock: createFakeClock(), client: {} as never, settings, workers: 4 },
    locator: {
      locate: (_, keys = []) => (keys.length === 1 ? undefined : { ...shown, absent: [] }),
      exists: () => undefined,
    },
    resolver: {
      resolve: async (_user, _signal, [key] = []) => {
        const error = key && errorOf(key);
        if (error !== undefined) throw error;
        const read = known.usesCertificate ? [shown.credentials, shown.certificate] : [shown.credentials];
        const sources = read as readonly unknown[] as readonly Secret[];
        return { credentials, secret: { namespace: 'release', name: 'credentials' }, sources };
      },
    },
    serviceManager: {
      connect: () => clientOf('read'),
      reconnect: (_access, _read, options) => {
        options?.reserve?.([{ name: 'host', slots: 1 }]);
        return known.isForgotten ? undefined : clientOf('known');
      },
    },
    markCredentials: async (sources) => void marked.push(sources.map(({ metadata }) => metadata.name)),
  });
  return { connector, shown, calls, known, marked };
}

test('credentials are read once for each version of their Secrets, that of the certificate too', async () => {
  const { connector, shown, calls } = setUp();
  await connector.connect(user, how);
  await connector.connect(user, how);
  expect(calls).toEqual(['read', 'known']);
  shown.certificate = secret('certificate', '2');
  await connector.connect(user, how);
  await connector.connect(user, how);
  expect(calls.slice(2)).toEqual(['read', 'known']);
  shown.credentials = secret('credentials', '2');
  await connector.connect(user, how);
  expect(calls.slice(4)).toEqual(['read']);
});

test('credentials are read again if their client was forgotten', async () => {
  const { connector, calls, known } = setUp();
  await connector.connect(user, how);
  known.isForgotten = true;
  await connector.connect(user, how);
  expect(calls).toEqual(['read', 'read']);
});

test.each([
  { usesCertificate: true, sources: ['credentials', 'certificate'] },
  { usesCertificate: false, sources: ['credentials'] },
])('the Secrets in use are marked with each connection: $sources', async ({ usesCertificate, sources }) => {
  const { connector, known, marked } = setUp();
  known.usesCertificate = usesCertificate;
  await connector.connect(user, how);
  await connector.connect(user, how);
  expect(marked).toEqual([sources, sources]);
});

test('a client that is known counts for the namespace of its Secret too', async () => {
  const { connector, shown } = setUp();
  const { metadata } = shown.credentials;
  shown.credentials = { ...shown.credentials, metadata: { ...metadata, namespace: 'shop' } };
  await connector.connect(user, how);
  const admitted: (readonly LimitKeyOption[])[] = [];
  const reserve = reserveFor('', (keys) => {
    admitted.push(keys);
    return () => undefined;
  });
  await connector.connect(user, { ...how, reserve });
  expect(admitted.flat().map(({ name }) => name)).toContain('credentials of namespace shop');
});

test('Secrets are located while each watch shows the present state, and not otherwise', () => {
  const caches: FakeCache<PartialObject>[] = [];
  const metadataOf = () => {
    const cache = createFakeCache<PartialObject>([]);
    caches.push(cache);
    return { ...cache, isStarted: () => true, problem: () => undefined };
  };
  const locator = createSecretLocator({ metadataOf } as unknown as Informers, settings);
  const key = { namespace: 'release', name: 'sap-btp-service-operator' };
  expect([locator.exists(key), locator.locate(user)]).toEqual([false, undefined]);
  caches[0]?.put(secret(key.name, '1'));
  expect([locator.exists(key), locator.locate(user)?.credentials.metadata.name]).toEqual([true, key.name]);
  caches.at(-1)?.setSynced(false);
  expect([locator.exists(key), locator.locate(user)]).toEqual([undefined, undefined]);
});

test('an error without a Secret is the same for readers of each namespace', () => {
  const error = new InvalidCredentialsError('has no key sm_url');
  expect(error.forReaderOf('shop')).toBe(error);
});

test('of the Secrets that may have made a resource, those without valid credentials are left out', async () => {
  const { connector } = setUp((key) => {
    if (key.namespace === 'shop') return new InvalidCredentialsError('has no key sm_url', { secret: key });
    return key.namespace === 'management' ? new MissingCredentialsError('there is none', key) : undefined;
  });
  const clients: ServiceManagerClient[] = [];
  for await (const client of connector.connectOthers(user, how)) clients.push(client);
  expect(clients).toHaveLength(1);
});

test('a Secret that cannot be read is no reason to leave it out', async () => {
  const { connector } = setUp(() => new Error('the API server is away'));
  const others = async () => {
    for await (const _ of connector.connectOthers(user, how));
  };
  await expect(others()).rejects.toThrow('the API server is away');
});

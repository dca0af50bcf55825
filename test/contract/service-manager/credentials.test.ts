/** When the Secrets with credentials of Service Manager are read, with the simulator over real TLS. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { reserveNothing } from '../../../internal/framework/base/concurrency/limit-key.ts';
import { createDeps } from '../../../internal/framework/base/deps.ts';
import { systemClock as clock, sleep } from '../../../internal/framework/base/time/clock.ts';
import { createInformers } from '../../../internal/framework/kube/cache/informers.ts';
import { createSharedReads } from '../../../internal/framework/kube/client/shared-reads.ts';
import {
  createMemoryClient,
  type MemoryClient,
} from '../../../internal/framework/kube/fakes/memory-client.ts';
import { secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { ownMarks } from '../../../internal/systems/btp/caches.ts';
import {
  type CredentialConnector,
  createCredentialConnector,
  createSecretLocator,
} from '../../../internal/systems/btp/credentials/credential-connector.ts';
import { createCredentialResolver } from '../../../internal/systems/btp/credentials/credential-resolver.ts';
import { credentialSelections } from '../../../internal/systems/btp/credentials/credential-users.ts';
import type {
  ServiceManager,
  ServiceManagerClient,
} from '../../../internal/systems/btp/service-manager/index.ts';
import { createMarkCredentials } from '../../../internal/systems/btp/watched-secrets/watched-secrets.ts';
import type { ServiceManagerSimulator } from '../../simulators/service-manager/simulator.ts';
import { openServiceManager, startSimulator } from './set-up.ts';

const settings = { releaseNamespace: 'release', managementNamespace: 'management', namespaceSecrets: true };
const names = {
  cluster: { namespace: 'release', name: 'sap-btp-service-operator' },
  certificate: { namespace: 'release', name: 'sap-btp-service-operator-tls' },
  managed: { namespace: 'management', name: 'shop-sap-btp-service-operator' },
  tenants: { namespace: 'shop', name: 'sap-btp-service-operator' },
};
const { signal } = new AbortController();
/** Until watches have shown a write, in ms. */
const WATCH_MS = 30;
const settle = () => sleep(clock, WATCH_MS);

let simulator: ServiceManagerSimulator;
let manager: ServiceManager;
let kube: MemoryClient;
let connector: CredentialConnector;
let ends: (() => void)[];

beforeEach(async () => {
  simulator = await startSimulator();
  kube = createMemoryClient({ clock });
  manager = openServiceManager({ clock });
  const informers = createInformers({ ...createDeps(), clock, client: kube });
  connector = createCredentialConnector({
    client: kube,
    clock,
    settings,
    serviceManager: manager,
    workers: 100,
    locator: createSecretLocator(informers, settings),
    resolver: createCredentialResolver({ reads: createSharedReads({ client: kube, clock }), settings }),
    markCredentials: createMarkCredentials({ ...createDeps(), client: kube, settings }),
  });
  ends = credentialSelections(settings).map((selection) =>
    informers.metadataOf(secrets, { selection, transform: ownMarks }).start(),
  );
});
afterEach(async () => {
  for (const end of ends) end();
  await manager.close();
  await simulator.stop();
});

async function put(key: { namespace: string; name: string }, fields: Record<string, string>) {
  const data = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  );
  if (kube.peek(secrets, key)) await kube.mergePatch(secrets, key, { data });
  else await kube.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: key, data });
  await settle();
}

/** Calls Service Manager once. Returns the requests to the API server that had a Secret's content, and those for tokens. */
async function call(use = async (_client: ServiceManagerClient): Promise<unknown> => undefined) {
  const requests = kube.requests.length;
  const tokens = simulator.requests({ route: 'grantToken' }).length;
  const client = await connector.connect(
    { metadata: { namespace: 'shop' }, spec: {} },
    { signal, reserve: reserveNothing },
  );
  try {
    await client.getInstance('none', { signal });
    await use(client);
  } finally {
    await client.close();
  }
  return {
    reads: kube.requests.slice(requests).filter(({ verb }) => verb === 'get').length,
    tokens: simulator.requests({ route: 'grantToken' }).length - tokens,
  };
}

test('credentials are read for a token only, as long as their Secret has the same version', async () => {
  const { secret } = await simulator.credentials();
  await put(names.cluster, secret);
  await settle();
  expect((await call()).tokens).toBe(1);
  expect(await call()).toEqual({ reads: 0, tokens: 0 });
  await put(names.cluster, (await simulator.rotateCredentials('subaccount-1', { revokeOld: true })).secret);
  expect((await call()).tokens).toBe(1);
  expect(await call()).toEqual({ reads: 0, tokens: 0 });
});

test('credentials that Service Manager quotes are masked, also if the token is that of an earlier reconcile', async () => {
  const { secret } = await simulator.credentials();
  await put(names.cluster, secret);
  await settle();
  await call();
  const { clientsecret = '' } = secret;
  for (const text of [
    clientsecret,
    Buffer.from(clientsecret).toString('base64'),
    encodeURIComponent(clientsecret),
    JSON.stringify(clientsecret).slice(1, -1),
  ]) {
    simulator.faults.clear();
    const body = { error: 'BadRequest', description: `the client ${text} is unknown` };
    simulator.faults.add({ on: { route: 'getBinding' }, do: { kind: 'status', status: 400, body } });
    let thrown: unknown;
    const { reads, tokens } = await call(async (client) => {
      thrown = await client.getBinding('b', { signal }).catch((error: unknown) => error);
    });
    expect([reads, tokens]).toEqual([0, 0]);
    expect(thrown).toMatchObject({ text: 'the client [redacted] is unknown' });
    expect(String(thrown)).not.toContain(text);
  }
});

test('a token that is refused is replaced by one for credentials that are read again', async () => {
  await put(names.cluster, (await simulator.credentials()).secret);
  await call();
  simulator.revokeTokens();
  const { reads, tokens } = await call();
  expect(reads).toBeGreaterThan(0);
  expect(tokens).toBe(1);
  expect(await call()).toEqual({ reads: 0, tokens: 0 });
});

test('nothing is done with the token of credentials that are not those of the Secret any more', async () => {
  await put(names.cluster, (await simulator.credentials()).secret);
  await call();
  const release = kube.holdWatches();
  await put(names.cluster, (await simulator.rotateCredentials('subaccount-1', { revokeOld: true })).secret);
  simulator.revokeTokens();
  await expect(call()).rejects.toThrow('the credentials were changed since the last token was requested');
  release();
  await settle();
  expect((await call()).tokens).toBe(1);
});

test('a Secret that comes first in the order is used at once', async () => {
  await put(names.cluster, (await simulator.credentials()).secret);
  await call();
  await put(names.managed, (await simulator.credentials('subaccount-2')).secret);
  expect((await call()).tokens).toBe(1);
  // It was marked, which changed its version.
  await settle();
  await call();
  expect(await call()).toEqual({ reads: 0, tokens: 0 });
});

test('before a create, a Secret is noticed that the watch does not show yet', async () => {
  await put(names.cluster, (await simulator.credentials()).secret);
  await put({ ...names.tenants, name: 'of-an-application' }, { password: 'unrelated' });
  const confirm = (client: ServiceManagerClient) => connector.confirm(client, signal);
  await call(confirm);
  expect((await call(confirm)).reads).toBe(0);
  const release = kube.holdWatches();
  await put(names.tenants, (await simulator.credentials('subaccount-2')).secret);
  await expect(call(confirm)).rejects.toMatchObject({
    kind: 'conflict',
    message: 'Secret shop/sap-btp-service-operator was created meanwhile',
  });
  release();
  await settle();
  await call(confirm);
});

test('what is confirmed is not read again for the same Secrets', async () => {
  await put(names.cluster, (await simulator.credentials()).secret);
  await call();
  let confirmed: string | undefined;
  const confirm = async (client: ServiceManagerClient) => {
    const lists = kube.requests.length;
    confirmed = await connector.confirm(client, signal, confirmed);
    return kube.requests.length - lists;
  };
  let lists: number[] = [];
  const count = async (client: ServiceManagerClient) => void lists.push(await confirm(client));
  await call(count);
  await call(count);
  expect(lists).toEqual([2, 0]);
  lists = [];
  await put(names.managed, (await simulator.credentials('subaccount-2')).secret);
  await call();
  // It was marked, which changed its version.
  await settle();
  await call();
  await call(count);
  expect(lists).toEqual([1]);
});

test('a client certificate is not read while connections with it are open', async () => {
  const {
    clientid = '',
    'tls.crt': crt = '',
    'tls.key': key = '',
    ...rest
  } = (await simulator.credentials()).x509;
  await put(names.cluster, { ...rest, clientid });
  await put(names.certificate, { 'tls.crt': crt, 'tls.key': key });
  expect((await call()).tokens).toBe(1);
  expect(await call()).toEqual({ reads: 0, tokens: 0 });
  // A Secret of its own may be rotated alone.
  await put(names.certificate, { 'tls.crt': `${crt}\n`, 'tls.key': key });
  expect((await call()).reads).toBeGreaterThan(0);
});

test('a certificate beside credentials that need none is not marked', async () => {
  const certificate = { ...names.tenants, name: names.certificate.name };
  await put(certificate, { 'tls.crt': 'certificate', 'tls.key': 'key' });
  await put(names.tenants, (await simulator.credentials()).secret);
  await call();
  await settle();
  await call();
  expect((await call()).tokens).toBe(0);
  const marks = (key: typeof certificate) => kube.peek(secrets, key)?.metadata.finalizers ?? [];
  expect([marks(names.tenants).length, marks(certificate).length]).toEqual([1, 0]);
});

test('a watch with a problem is not relied on', async () => {
  await put(names.cluster, (await simulator.credentials()).secret);
  await call();
  const end = kube.onRequest(({ verb }) => {
    if (verb === 'watch' || verb === 'list') throw new Error('no connection');
  });
  kube.expireWatches();
  await settle();
  expect((await call()).reads).toBeGreaterThan(0);
  end();
});

test('the others are all credentials but those that are in use', async () => {
  const user = { metadata: { namespace: 'shop' }, spec: {} };
  const how = { signal, reserve: reserveNothing };
  await put(names.cluster, (await simulator.credentials()).secret);
  await put(names.managed, (await simulator.rotateCredentials('subaccount-1', { revokeOld: false })).secret);
  await settle();
  const own = await connector.connect(user, how);
  const others: string[] = [];
  for await (const client of connector.connectOthers(user, how)) {
    others.push(client.credentialsID);
    await client.close();
  }
  expect([others.length, others.includes(own.credentialsID)]).toEqual([1, false]);
  await own.close();
});

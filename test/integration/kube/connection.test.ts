import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { canI } from '../../../internal/framework/kube/client/access-review.ts';
import type { RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import { isForbidden, isUnreachable } from '../../../internal/framework/kube/errors/errors.ts';
import { configMaps, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { startConnectProxy } from '../../environment/connect-proxy.ts';
import { eventually } from '../../environment/eventually.ts';
import { openNetworkPath } from '../../environment/network-path.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { connect, namespaces } from './connect.ts';
import { grant } from './grant.ts';

let plane: ControlPlaneAccess;

beforeAll(async () => {
  ({ management: plane } = await controlPlanes());
});

/** Sends a read, ignores its result, and closes the client. */
async function use(client: RestClient): Promise<unknown> {
  try {
    return await client.get(namespaces, { name: 'default' });
  } catch (error) {
    return error;
  } finally {
    await client.close();
  }
}

const isDefaultNamespace = { metadata: expect.objectContaining({ name: 'default' }) };

describe('a proxy', () => {
  test('of the kubeconfig is used, with its credentials, for calls and watches', async () => {
    const proxy = await startConnectProxy(() => Number(new URL(plane.server).port));
    const client = connect(plane.kubeconfig, { proxyUrl: proxy.url.replace('//', '//user:pa%20ss@') });
    await client.get(namespaces, { name: 'default' });
    for await (const _event of client.watchMetadata(namespaces)) break;
    await client.close();
    const tunnel = { target: new URL(plane.server).host, authorization: `Basic ${btoa('user:pa ss')}` };
    expect(proxy.tunnels).toEqual([tunnel, tunnel]);
    await proxy.stop();
  });

  test('of the environment is used for a host that NO_PROXY does not name', async () => {
    const proxy = await startConnectProxy(() => Number(new URL(plane.server).port));
    const host = { server: 'https://api.kyma.example:6443', tlsServerName: 'localhost' };
    const env = { HTTPS_PROXY: proxy.url, NO_PROXY: 'other.example' };
    expect(await use(connect(plane.kubeconfig, host, env))).toMatchObject(isDefaultNamespace);
    expect(proxy.tunnels.map(({ target }) => target)).toEqual(['api.kyma.example:6443']);
    const direct = await use(connect(plane.kubeconfig, host, { ...env, NO_PROXY: '.kyma.example' }));
    expect(isUnreachable(direct)).toBe(true);
    expect(proxy.tunnels).toHaveLength(1);
    await proxy.stop();
  });

  test('that refuses makes the cluster unreachable, and its credentials are in no message', async () => {
    const proxy = await startConnectProxy(() => undefined);
    const error = await use(
      connect(plane.kubeconfig, { proxyUrl: proxy.url.replace('//', '//user:CANARY@') }),
    );
    expect(isUnreachable(error)).toBe(true);
    expect(String(error)).toContain('403');
    expect(String(error)).not.toContain('CANARY');
    await proxy.stop();
  });
});

describe('the server’s certificate', () => {
  test('is held to tls-server-name where the kubeconfig has one', async () => {
    const proxy = await openNetworkPath(plane.server);
    const server = `https://localhost:${proxy.port}`;
    expect(await use(connect(plane.kubeconfig, { server, tlsServerName: 'localhost' }))).toMatchObject(
      isDefaultNamespace,
    );
    expect(await use(connect(plane.kubeconfig, { server, tlsServerName: '127.0.0.1' }))).toMatchObject(
      isDefaultNamespace,
    );
    const error = await use(connect(plane.kubeconfig, { server, tlsServerName: 'another.example' }));
    expect(isUnreachable(error)).toBe(false);
    expect(String(error)).toMatch(/TLS certificate or handshake is refused: .*another\.example/);
    await proxy.close();
  });

  test('must be signed by the kubeconfig’s authority', async () => {
    const { kyma } = await controlPlanes();
    const other = await parseUntrustedKubeconfig(kyma.kubeconfig).credentials();
    const error = await use(connect(plane.kubeconfig, { credentials: async () => other }));
    expect(isUnreachable(error)).toBe(false);
    expect(String(error)).toContain("the server's TLS certificate or handshake is refused");
  });
});

test('a rotated client certificate is used from the next request on', async () => {
  const [stranger, admin] = await Promise.all([
    plane.addUser({ name: uniqueName('stranger') }).then(parseUntrustedKubeconfig),
    plane.addUser({ name: uniqueName('admin'), groups: ['system:masters'] }).then(parseUntrustedKubeconfig),
  ]);
  let current = await stranger.credentials();
  const client = connect(plane.kubeconfig, { credentials: async () => current });
  const error = await client.list(secrets).catch((e: unknown) => e);
  current = await admin.credentials();
  expect(isForbidden(error)).toBe(true);
  await client.list(secrets);
  await client.close();
});

test('a burst of calls is served by a bounded number of connections', async () => {
  const proxy = await openNetworkPath(plane.server);
  const client = connect(plane.kubeconfig, { server: `https://${proxy.address}` });
  await Promise.all(Array.from({ length: 200 }, () => client.get(namespaces, { name: 'default' })));
  expect(proxy.connections()).toBeLessThanOrEqual(32);
  await client.close();
  await proxy.close();
});

describe('a user reviews its own access', () => {
  let admin: RestClient;
  let client: RestClient;
  const user = uniqueName('asking');
  const namespace = 'default';
  beforeAll(async () => {
    admin = connect(plane.kubeconfig);
    client = connect(await plane.addUser({ name: user }));
    await grant(admin, { namespace, user, type: configMaps, verbs: ['get'] });
  });
  afterAll(() => Promise.all([admin.close(), client.close()]));

  test('and gets a result for each verb, kind and namespace', async () => {
    const ask = (verb: string, type = configMaps) => canI(client, { verb, type, namespace, name: 'a' });
    await eventually(async () => expect((await ask('get')).allowed).toBe(true));
    expect((await ask('list')).allowed).toBe(false);
    expect((await ask('get', secrets)).allowed).toBe(false);
    expect((await canI(client, { verb: 'get', type: configMaps })).allowed).toBe(false);
  });
});

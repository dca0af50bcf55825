import { expect, test } from '@jest/globals';
import { createDeps } from '../../base/deps.ts';
import { UnreachableError } from '../../kube/errors/errors.ts';
import { namespaces } from '../../kube/object/resource-type.ts';
import { saysNoSuchHost } from '../runner/failure.ts';
import { openManagedCluster } from './open-managed-cluster.ts';

const kubeconfigOf = (server: string, proxy = '') => `
apiVersion: v1
kind: Config
current-context: a
contexts: [{ name: a, context: { cluster: a, user: a } }]
clusters: [{ name: a, cluster: { server: "${server}"${proxy} } }]
users: [{ name: a, user: { token: secret-token } }]
`;
const open = (kubeconfig: string, allowPrivateEndpoints = false) =>
  openManagedCluster(kubeconfig, { ...createDeps(), env: {}, allowPrivateEndpoints });

test.each([
  ['of this machine', 'https://127.0.0.1:6443', 'is a loopback address'],
  ['by its name', 'https://localhost', 'is a private name'],
  ['of the link', 'https://169.254.169.254', 'is a link-local address'],
  ['in IPv6', 'https://[::1]:6443', 'is a loopback address'],
])('a server %s is refused unless it is permitted', async (_title, server, why) => {
  expect(() => open(kubeconfigOf(server))).toThrow(why);
  expect(() => open(kubeconfigOf(server))).toThrow('--allow-private-endpoints permits it');
  await open(kubeconfigOf(server), true).close();
});

test('a private server is accepted, and names the cluster', async () => {
  const cluster = open(kubeconfigOf('https://10.1.2.3:6443'));
  expect(cluster.name).toBe('10.1.2.3:6443');
  await cluster.close();
});

test('a proxy and an unusable kubeconfig are refused, without their credentials', () => {
  const proxied = kubeconfigOf('https://api.example.org', ', proxy-url: "http://proxy.example.org"');
  expect(() => open(proxied)).toThrow('proxy');
  expect(() => open('token: secret-token')).toThrow(/^(?!.*secret-token)/);
});

test.each([
  ['of the cluster', 'api.example.org', true],
  ['of a proxy', 'proxy.example.org', false],
])('the host %s does not exist', async (_title, hostname, isOfCluster) => {
  const failure = Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), {
    code: 'ENOTFOUND',
    hostname,
  });
  const cluster = openManagedCluster(kubeconfigOf('https://api.example.org:6443'), {
    ...createDeps(),
    env: {},
    allowPrivateEndpoints: false,
    wrapTransport: (transport) => ({ ...transport, call: () => Promise.reject(failure) }),
  });
  const error = await cluster.client.list(namespaces, { limit: 1 }).catch((caught: unknown) => caught);
  await cluster.close();

  expect(error).toBeInstanceOf(UnreachableError);
  expect(saysNoSuchHost(error, cluster.name)).toBe(isOfCluster);
});

import { describe, expect, test } from '@jest/globals';
import { createDeps } from '../../../../framework/base/deps.ts';
import { UnreachableError } from '../../../../framework/kube/errors/errors.ts';
import { namespaces } from '../../../../framework/kube/object/resource-type.ts';
import { saysNoSuchHost } from '../runner/run-task.ts';
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

describe('what charts know of the cluster', () => {
  const groups = {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: 'example.org' },
        versions: [{ version: 'v1', resources: [{ resource: 'things', responseKind: { kind: 'Thing' } }] }],
      },
    ],
  };
  const known = async (version: { readonly status?: number; readonly body: string }, more: object = {}) => {
    const answers: Record<string, { readonly status?: number; readonly body: string }> = {
      '/version': version,
      '/api': { body: JSON.stringify({ kind: 'APIGroupDiscoveryList', items: [] }) },
      '/apis': { body: JSON.stringify(groups) },
    };
    const cluster = openManagedCluster(kubeconfigOf('https://api.example.org:6443'), {
      ...createDeps(),
      env: {},
      allowPrivateEndpoints: false,
      wrapTransport: (transport) => ({
        ...transport,
        call: async ({ path }) => ({ status: 200, header: () => undefined, body: '', ...answers[path] }),
      }),
      ...more,
    });
    try {
      return await cluster.capabilities({ signal: new AbortController().signal });
    } finally {
      await cluster.close();
    }
  };
  const apiVersions = ['example.org/v1', 'example.org/v1/Thing'];

  test.each([
    ['is its version', { body: '{"gitVersion":"v1.31.1-eks-ce1d5eb"}' }, 'v1.31.1-eks-ce1d5eb'],
    ['is nothing of a version that is none', { body: '{"gitVersion":"<latest>"}' }, undefined],
    ['is no version if it is forbidden', { status: 403, body: '{}' }, undefined],
  ])('%s, and what it serves', async (_what, answer, kubeVersion) => {
    expect(await known(answer)).toEqual({
      ...(kubeVersion === undefined ? {} : { kubeVersion }),
      apiVersions,
    });
  });

  test('is what helm template knows, if that is set', async () => {
    expect(await known({ body: '' }, { defaultCapabilities: true })).toBeUndefined();
  });

  test('is an error if its version cannot be read now', async () => {
    await expect(known({ body: 'not JSON' })).rejects.toMatchObject({ kind: 'transient' });
  });
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

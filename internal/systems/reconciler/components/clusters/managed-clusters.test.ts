import { expect, test } from '@jest/globals';
import { createDeps } from '../../../../framework/base/deps.ts';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { namespaces } from '../../../../framework/kube/object/resource-type.ts';
import { createManagedClusters } from './managed-clusters.ts';

const IDLE_MS = 1000;
const kubeconfigOf = (token: string) => `
apiVersion: v1
kind: Config
current-context: a
contexts: [{ name: a, context: { cluster: a, user: a } }]
clusters: [{ name: a, cluster: { server: "https://10.1.2.3" } }]
users: [{ name: a, user: { token: ${token} } }]
`;

function start() {
  const clock = createFakeClock();
  let opened = 0;
  let closed = 0;
  const clusters = createManagedClusters({
    ...createDeps({ clock }),
    env: {},
    allowPrivateEndpoints: false,
    idleMs: IDLE_MS,
    wrapTransport: (transport) => {
      opened++;
      return {
        ...transport,
        close: () => {
          closed++;
          return transport.close();
        },
      };
    },
  });
  return { clock, clusters, counts: () => [opened, closed] };
}

test('tasks of one kubeconfig share a cluster, which is closed some time after the last one', async () => {
  const { clock, clusters, counts } = start();
  const [first, second, other] = ['a', 'a', 'b'].map((token) => clusters.open(kubeconfigOf(token)));
  expect(first?.kinds).toBe(second?.kinds);
  expect(first?.kinds).not.toBe(other?.kinds);
  await first?.close();
  await first?.close();
  await clock.advance(IDLE_MS);
  expect(counts()).toEqual([2, 0]);
  await second?.close();
  await clock.advance(IDLE_MS - 1);
  const third = clusters.open(kubeconfigOf('a'));
  expect(third.kinds).toBe(second?.kinds);
  await clock.advance(IDLE_MS);
  await third.close();
  await clock.advance(IDLE_MS);
  expect(counts()).toEqual([2, 1]);
  await clusters.close();
  expect(counts()).toEqual([2, 2]);
});

test('a kubeconfig that is refused is refused each time', () => {
  const { clusters } = start();
  for (const _ of [1, 2]) expect(() => clusters.open('{}')).toThrow('kubeconfig');
});

test('a user that closed its cluster can call it no more, while others can', async () => {
  const { clusters } = start();
  const [first, second] = ['a', 'a'].map((token) => clusters.open(kubeconfigOf(token)));
  await first?.close();
  const call = (cluster: typeof first) =>
    cluster?.client.get(namespaces, { name: 'a' }, { signal: AbortSignal.abort(new Error('aborted')) });
  expect(() => call(first)).toThrow('was closed by its user');
  await expect(call(second)).rejects.toThrow('aborted');
  expect(first?.client.clusterName).toBe(second?.client.clusterName);
  await clusters.close();
});

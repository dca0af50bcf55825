import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { createDeps } from '../../../../framework/base/deps.ts';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { configMaps, namespaces } from '../../../../framework/kube/object/resource-type.ts';
import type { ClusterPart, ManagedCluster } from '../model/component.ts';
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
  const [first, second, other] = ['a', 'a', 'b'].map((token) => clusters.open(kubeconfigOf(token), 'shop'));
  expect(first?.kinds).toBe(second?.kinds);
  expect(first?.kinds).not.toBe(other?.kinds);
  await first?.close();
  await first?.close();
  await clock.advance(IDLE_MS);
  expect(counts()).toEqual([2, 0]);
  await second?.close();
  await clock.advance(IDLE_MS - 1);
  const third = clusters.open(kubeconfigOf('a'), 'shop');
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
  for (const _ of [1, 2]) expect(() => clusters.open('{}', 'shop')).toThrow('kubeconfig');
});

test('a user that closed its cluster can call it no more, while others can', async () => {
  const { clusters } = start();
  const [first, second] = ['a', 'a'].map((token) => clusters.open(kubeconfigOf(token), 'shop'));
  await first?.close();
  const call = (cluster: typeof first) =>
    cluster?.client.get(namespaces, { name: 'a' }, { signal: AbortSignal.abort(new Error('aborted')) });
  expect(() => call(first)).toThrow('was closed by its user');
  await expect(call(second)).rejects.toThrow('aborted');
  expect(first?.client.clusterName).toBe(second?.client.clusterName);
  await clusters.close();
});

describe('the server of a tenant', () => {
  const { signal } = new AbortController();
  const kindsOf = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      resource: `things${n}${'s'.repeat(200)}`,
      responseKind: { kind: `Thing${n}${'s'.repeat(200)}` },
      verbs: ['list', 'delete'],
    }));
  const aggregated = (count: number) => ({
    kind: 'APIGroupDiscoveryList',
    items: [{ metadata: { name: 'example.org' }, versions: [{ version: 'v1', resources: kindsOf(count) }] }],
  });
  const listed = (path: string, count: number) =>
    path === '/apis'
      ? {
          kind: 'APIGroupList',
          groups: [1, 2, 3].map((n) => ({ name: `g${n}`, versions: [{ version: 'v1' }] })),
        }
      : {
          kind: 'APIResourceList',
          resources: Array.from({ length: count }, (_, n) => ({ name: `things${n}`, kind: `Thing${n}` })),
        };
  const withAnswers = (answer: (path: string) => object) => {
    const clock = createFakeClock();
    const clusters = createManagedClusters({
      ...createDeps({ clock }),
      env: {},
      allowPrivateEndpoints: false,
      wrapTransport: (transport) => ({
        ...transport,
        call: async ({ path }) => ({
          status: 200,
          header: () => undefined,
          body: JSON.stringify(answer(path)),
        }),
      }),
    });
    return { ...clusters, clock };
  };

  test.each<[string, (path: string) => object]>([
    ['in one document', () => aggregated(6000)],
    ['of several groups', (path) => listed(path, 4000)],
    [
      'in very many versions',
      (path) =>
        path === '/apis'
          ? {
              kind: 'APIGroupList',
              groups: Array.from({ length: 3000 }, (_, n) => ({
                name: `g${n}`,
                versions: [{ version: 'v1' }],
              })),
            }
          : listed(path, 1),
    ],
  ])('may not serve very many kinds %s', async (_, answer) => {
    const clusters = withAnswers(answer);
    const { kinds } = clusters.open(kubeconfigOf('a'), 'shop');
    await expect(kinds.all({ signal })).rejects.toThrow('serves more than 10000 kinds');
    await clusters.close();
  });

  test('has a share of the memory for kinds, which others do not take', async () => {
    const clusters = withAnswers((path) => aggregated(path === '/apis' ? 4000 : 0));
    const known = (token: string, tenant: string) =>
      clusters.open(kubeconfigOf(token), tenant).kinds.apiVersions({ signal });
    const failures: unknown[] = [];
    for (let n = 0; n < 14; n++) await known(`t${n}`, 'hostile').catch((error) => failures.push(error));
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.length).toBeLessThan(14);
    await expect(known('other', 'hostile')).rejects.toThrow('there is no memory for');
    expect(await known('a', 'shop')).toHaveLength(4001);
    await clusters.close();
  });

  test('gives its memory back when the cluster is not used any more', async () => {
    const clusters = withAnswers((path) => aggregated(path === '/apis' ? 4000 : 0));
    for (let n = 0; n < 30; n++) {
      const cluster = clusters.open(kubeconfigOf('a'), 'shop');
      await cluster.kinds.apiVersions({ signal });
      cluster.kinds.forget();
      await cluster.close();
    }
    await clusters.close();
  });

  const key = { name: 'a', namespace: 'shop' };
  const emptyObjects = { kind: 'ConfigMap', metadata: key, data: Array.from({ length: 90_000 }, () => ({})) };
  const read = ({ client }: Pick<ManagedCluster, 'client'>) => client.get(configMaps, key, { signal });
  /** Parts with such an answer, 5.8 MiB of objects, until one is refused. */
  const fill = async (cluster: ManagedCluster) => {
    const parts: ClusterPart[] = [];
    const reading = async () => {
      const part = await cluster.part({ signal, bytes: 0 });
      parts.push(part);
      await read(part);
    };
    await expect(
      (async () => {
        while (parts.length < 20) await reading();
      })(),
    ).rejects.toThrow('there is no memory for an answer of 10.1.2.3 now');
    return parts;
  };

  test('has a share of the memory for the objects of its answers until they are used no more', async () => {
    const clusters = withAnswers(() => emptyObjects);
    const hostile = clusters.open(kubeconfigOf('a'), 'hostile');
    const parts = await fill(hostile);
    expect(parts).toHaveLength(8);
    await expect(read(clusters.open(kubeconfigOf('b'), 'hostile'))).rejects.toThrow('there is no memory');
    await expect(read(clusters.open(kubeconfigOf('a'), 'shop'))).resolves.toEqual(emptyObjects);
    for (const part of parts) part[Symbol.dispose]();
    await expect(read(hostile)).resolves.toEqual(emptyObjects);
    await clusters.close();
  });

  test('has memory for answers beside several tenants that take what they can', async () => {
    const small = { kind: 'ConfigMap', metadata: key, data: { a: 'x'.repeat(100_000) } };
    let answer: object = emptyObjects;
    const clusters = withAnswers(() => answer);
    for (const tenant of ['a', 'b', 'c', 'd']) await fill(clusters.open(kubeconfigOf(tenant), tenant));
    answer = small;
    await expect(read(clusters.open(kubeconfigOf('e'), 'shop'))).resolves.toEqual(small);
    await clusters.close();
  });

  test('takes memory for what is read without a part until its task has ended', async () => {
    const clusters = withAnswers(() => emptyObjects);
    const reads = async () => {
      const cluster = clusters.open(kubeconfigOf('a'), 'hostile');
      const ends = await Promise.allSettled(Array.from({ length: 10 }, () => read(cluster)));
      await cluster.close();
      return ends.filter(({ status }) => status === 'fulfilled').length;
    };
    expect([await reads(), await reads()]).toEqual([7, 7]);
    await clusters.close();
  });

  test('has memory for answers while many tasks of a tenant have parts, or wait for one', async () => {
    const small = { kind: 'ConfigMap', metadata: key, data: { a: 'x'.repeat(100_000) } };
    const clusters = withAnswers(() => small);
    const cluster = clusters.open(kubeconfigOf('a'), 'shop');
    const begun: ClusterPart[] = [];
    const ends = new AbortController();
    // As many as 50 tasks that apply eight objects at a time.
    const waits = Array.from({ length: 400 }, async () => {
      begun.push(await cluster.part({ signal: ends.signal }));
    });
    await setImmediate();
    expect(begun.length).toBeGreaterThan(200);
    for (const part of begun.slice(0, 20)) await expect(read(part)).resolves.toEqual(small);
    ends.abort(new Error('the test has ended'));
    await Promise.allSettled(waits);
    await clusters.close();
  });

  test('lets a part wait while its tenant has no memory for one', async () => {
    const clusters = withAnswers(() => emptyObjects);
    const cluster = clusters.open(kubeconfigOf('a'), 'hostile');
    const [first] = await fill(cluster);
    const ends: string[] = [];
    const more = Array.from({ length: 40 }, () =>
      cluster.part({ signal, bytes: 2 ** 19 }).then(
        () => ends.push('begun'),
        (error: Error) => ends.push(error.message),
      ),
    );
    await setImmediate();
    const before = ends.length;
    expect(before).toBeLessThan(12);
    first?.[Symbol.dispose]();
    await clusters.clock.advance(100);
    expect(ends).toEqual(Array(ends.length).fill('begun'));
    expect(ends.length).toBeGreaterThan(before + 5);
    await clusters.clock.advance(30_000);
    await Promise.all(more);
    expect(new Set(ends)).toEqual(new Set(['begun', 'there is no memory for an answer of 10.1.2.3 now']));
    await clusters.close();
  });
});

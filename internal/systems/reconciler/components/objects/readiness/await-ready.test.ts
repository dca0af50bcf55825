import { expect, test } from '@jest/globals';
import { nopLogger } from '../../../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../../../framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../../../../framework/kube/fakes/memory-client.ts';
import type { KubeObject } from '../../../../../framework/kube/object/object.ts';
import type { ResourceType } from '../../../../../framework/kube/object/resource-type.ts';
import { uncountedCluster } from '../../clusters/uncounted-cluster.ts';
import type { Awaited, ManagedCluster } from '../../model/component.ts';
import { replicaSets } from '../known-types.ts';
import { awaitReady, poll } from './await-ready.ts';

const awaiting = (reason: string): Awaited[] => [
  { object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop' } }, reason },
];

/** Checks with these answers, the last one again and again. */
async function polled(answers: readonly (readonly Awaited[])[], timeoutMs = 60_000) {
  const clock = createFakeClock();
  const begin = clock.monotonic();
  const at: number[] = [];
  const reported: string[] = [];
  const result = poll(
    async () => {
      at.push(clock.monotonic() - begin);
      return answers[Math.min(at.length, answers.length) - 1] ?? [];
    },
    {
      clock,
      signal: new AbortController().signal,
      onProgress: (awaited) => void reported.push(awaited.map(({ reason }) => reason).join()),
      intervalMs: 1000,
      timeoutMs,
      what: 'objects are not ready',
    },
  ).then(
    () => 'ready',
    (error: Error) => error.message,
  );
  for (let ms = 0; ms < 10_000; ms += 100) await clock.advance(100);
  return { result: await result, at, reported };
}

test('the first checks follow each other fast, later ones at the interval', async () => {
  const { at, result } = await polled([...Array(6).fill(awaiting('starts')), []]);
  expect([at, result]).toEqual([[0, 200, 600, 1400, 2400, 3400, 4400], 'ready']);
});

test('what is awaited is reported when it changes, and nothing at the end', async () => {
  const { reported } = await polled([awaiting('a'), awaiting('a'), awaiting('b'), awaiting('a'), []]);
  expect(reported).toEqual(['a', 'b', 'a', '']);
});

test('nothing is reported if nothing was awaited', async () => {
  expect(await polled([[]])).toEqual({ result: 'ready', at: [0], reported: [] });
});

test('the last check is at the time-out, which names what is awaited', async () => {
  const { at, result } = await polled([awaiting('starts')], 2500);
  expect([at.at(-1), result]).toEqual([2500, 'objects are not ready after 2.5 s: Pod shop/web (starts)']);
});

test.each([
  {
    when: 'something is awaited',
    awaited: awaiting('starts'),
    text: 'not ready, and the attempt has ended: Pod shop/web (starts)',
  },
  { when: 'nothing is known yet', awaited: undefined, text: 'stop' },
])('an attempt that is cancelled while $when says so', async ({ awaited, text }) => {
  const stop = new AbortController();
  const check = async () => {
    if (awaited !== undefined) return awaited;
    stop.abort(new Error('stop'));
    throw new Error('stop');
  };
  const options = { clock: createFakeClock(), signal: stop.signal, intervalMs: 1000, timeoutMs: 5000 };
  const result = poll(check, { ...options, what: 'not ready' });
  setImmediate(() => stop.abort(new Error('stop')));
  await expect(result).rejects.toThrow(text);
});

test('[R71] the ReplicaSet of a Deployment is found by all of its selector, on a later page too', async () => {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const deployments: ResourceType = { ...replicaSets, kind: 'Deployment', plural: 'deployments' };
  const seed = (type: ResourceType, name: string, metadata: object, rest: object) =>
    client.seed(type, {
      apiVersion: 'apps/v1',
      kind: type.kind,
      metadata: { name, namespace: 'shop', ...metadata },
      ...rest,
    } as KubeObject);
  const template = { spec: { image: 'new' } };
  const expressions = [
    { key: 'track', operator: 'In', values: ['a', 'b'] },
    { key: 'size', operator: 'NotIn', values: ['xl'] },
    { key: 'zone', operator: 'Exists' },
    { key: 'old', operator: 'DoesNotExist' },
  ];
  const selector = { matchLabels: { app: 'web' }, matchExpressions: expressions };
  const web = seed(
    deployments,
    'web',
    { generation: 1 },
    {
      spec: { replicas: 1, template, selector },
      status: { observedGeneration: 1 },
    },
  );
  const labels = { app: 'web', track: 'b', size: 's', zone: '1' };
  const seedSet = (name: string, own: object) =>
    seed(replicaSets, name, { labels, ...own }, { spec: { template }, status: { readyReplicas: 1 } });
  for (let n = 100; n < 250; n++) seedSet(`a-${n}`, {});
  seedSet('b', { ownerReferences: [{ uid: web.metadata.uid }] });
  for (const other of [{ app: 'x' }, { track: 'c' }, { size: 'xl' }, { old: '' }])
    seedSet(`c-${Object.keys(other)}`, { labels: { ...labels, ...other } });
  const sizes: number[] = [];
  const list: typeof client.list = async (...args) => {
    const page = await client.list(...args);
    sizes.push(page.items.length);
    return page;
  };
  const cluster = { name: 'a', client: { ...client, list } } as unknown as ManagedCluster;

  const ready = await awaitReady([{ object: web, type: deployments, source: 'web.yaml' }], {
    cluster: uncountedCluster(cluster),
    clock,
    log: nopLogger,
    signal: new AbortController().signal,
    intervalMs: 1000,
    timeoutMs: 0,
  });

  expect([ready.size, sizes]).toEqual([1, [100, 51]]);
});

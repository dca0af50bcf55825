import { describe, expect, test } from '@jest/globals';
import { nopLogger, nopMetrics } from '../../../../framework/base/telemetry/telemetry.ts';
import type { Worker } from '../model/component.ts';
import type { Delivery, Task } from '../model/task.ts';
import { kubeconfigFor, testTask } from '../runner/fake-parts.fixture.ts';
import { createTaskPool } from './task-pool.ts';

const ofCluster = { limit: 'cluster', tasks: 5 };

const settle = () => new Promise((resolve) => setImmediate(resolve));

function startPool(size: number, { isPatient = false } = {}) {
  const stopping = new AbortController();
  const aborting = new AbortController();
  const begun: {
    task: Task;
    stop: AbortSignal;
    worker: Worker;
    finish(delivery?: Promise<Delivery>): void;
  }[] = [];
  const pool = createTaskPool({
    log: nopLogger,
    metrics: nopMetrics,
    size,
    work: (task, stop, _abort, worker) =>
      new Promise((resolve) => {
        const finish = (delivery: Promise<Delivery> = Promise.resolve('delivered')) => resolve({ delivery });
        begun.push({ task, stop, worker, finish });
        if (!isPatient) stop.addEventListener('abort', () => finish());
      }),
  });
  const ended = pool.runnable.start(stopping.signal, aborting.signal);
  let count = 0;
  const offer = (changes: Partial<Task> = {}) =>
    pool.offer(
      testTask({
        correlationID: `c${count++}`,
        kubeconfig: kubeconfigFor(`https://c${count}.example`),
        ...changes,
      }),
    );
  return { pool, begun, stopping, aborting, ended, offer };
}

test('[R53] as many tasks as workers are accepted, and a worker that is free takes the next one', async () => {
  const { pool, offer, begun } = startPool(2);
  expect(Array.from({ length: 10 }, () => offer({ kubeconfig: 'same' }))).toEqual([
    'accepted',
    'accepted',
    ...Array.from({ length: 8 }, () => ({ limit: 'workers', tasks: 2 })),
  ]);
  await settle();
  begun[0]?.finish();
  await settle();
  expect(pool.running()).toBe(1);
  expect(offer()).toBe('accepted');
});

test('[R48] is open until it is stopped, which cancels what runs and waits for its end', async () => {
  const { pool, offer, begun, stopping, ended } = startPool(2);
  expect(pool.isOpen()).toBe(true);
  offer();
  await settle();
  stopping.abort();
  await ended;
  expect(begun[0]?.stop.reason).toMatchObject({ message: 'the component reconciler is stopping' });
  expect(pool.isOpen()).toBe(false);
  expect(offer()).toBe('closed');
});

const slow = 'https://slow.example:6443';
/** In block style, with `before` it, and entries before those of the current context. */
const yaml = (server: string, { before = '', key = 'server' } = {}) => `${before}
current-context: c
clusters:
- name: other
  cluster: {server: "https://other.example"}
- name: c
  cluster:
    ${key}: ${server}
contexts:
- name: c
  context: {cluster: c, user: u}
users:
- name: u
  user: {token: t}
`;

test.each<[what: string, kubeconfig: string]>([
  ['another user', kubeconfigFor(slow, 'another')],
  ['another port', kubeconfigFor('https://slow.example:7443')],
  ['no port', kubeconfigFor('https://slow.example')],
  ['a path', kubeconfigFor(`${slow}/clusters/7`)],
  ['capitals', kubeconfigFor('HTTPS://Slow.EXAMPLE:6443')],
  ['a dot at the end of the name', kubeconfigFor('https://slow.example.:6443')],
  ['a letter in another encoding', kubeconfigFor('https://%73low.example:6443')],
  ['escapes in JSON', kubeconfigFor(slow).replace('"server"', '"\\u0073erver"')],
  ['YAML', yaml(slow)],
  ['a comment with another server', yaml(slow, { before: '# server: https://other.example' })],
  ['a text with another server', yaml(slow, { before: 'note: |\n  server: https://other.example' })],
  ['a quoted key', yaml(slow, { key: '"server"' })],
  ['a key with an anchor', yaml(slow, { key: '&a server' })],
  ['a server that counts as the last of two', yaml(`https://other.example\n    server: ${slow}`)],
])('one API server takes at most half of the workers, by however many kubeconfigs: %s', (_, kubeconfig) => {
  const { offer } = startPool(10);
  const offers = Array.from({ length: 5 }, (_, user) =>
    offer({ kubeconfig: kubeconfigFor(slow, `u${user}`) }),
  );
  expect(offers).toEqual(['accepted', 'accepted', 'accepted', 'accepted', 'accepted']);
  expect(offer({ kubeconfig })).toEqual(ofCluster);
  expect(offer({ kubeconfig: kubeconfigFor('https://other.example') })).toBe('accepted');
});

test('kubeconfigs that lead to no server share one place', () => {
  const { offer } = startPool(10);
  const texts = ['', '{', 'kubeconfig', '[]', 'a: 1', yaml('http://slow.example')];
  expect(texts.map((kubeconfig) => offer({ kubeconfig })).at(-1)).toEqual(ofCluster);
});

test.each([
  { tenant: 'namespace team-a', account: '' },
  { tenant: '', account: 'account-a' },
])(
  'a tenant ($tenant $account) leaves a quarter of the workers, whatever its clusters',
  ({ tenant, account }) => {
    const { offer } = startPool(8);
    const { metadata } = testTask();
    const own = { tenant, metadata: { ...metadata, globalAccountID: account } };
    const kubeconfigs = Array.from({ length: 7 }, (_, n) => kubeconfigFor(`https://c${n % 4}.example`));
    expect(kubeconfigs.map((kubeconfig) => offer({ ...own, kubeconfig }))).toEqual([
      ...Array.from({ length: 6 }, () => 'accepted'),
      { limit: 'tenant', tasks: 6 },
    ]);
    expect([offer({ tenant: 'namespace team-b' }), offer({ tenant: 'namespace team-b' })]).toEqual([
      'accepted',
      'accepted',
    ]);
  },
);

test('one cluster takes at most half of the workers', () => {
  const { offer } = startPool(10);
  const offers = Array.from({ length: 6 }, () => offer({ kubeconfig: kubeconfigFor(slow) }));
  expect(offers).toEqual(['accepted', 'accepted', 'accepted', 'accepted', 'accepted', ofCluster]);
  expect(offer()).toBe('accepted');
});

test('a request that was repeated on the way begins nothing; a new attempt replaces the earlier one', async () => {
  const { offer, begun } = startPool(3);
  const first = { correlationID: 'same', callbackURL: 'http://m/?token=1' };
  offer(first);
  await settle();
  expect(offer(first)).toBe('accepted');
  await settle();
  expect(begun).toHaveLength(1);
  expect(offer({ ...first, callbackURL: 'http://m/?token=2' })).toBe('accepted');
  await settle();
  expect(begun[0]?.stop.aborted).toBe(true);
  expect(begun.map(({ task }) => task.callbackURL)).toEqual(['http://m/?token=1', 'http://m/?token=2']);
  expect(begun[1]?.stop.aborted).toBe(false);
});

test('a new attempt begins when the earlier one has ended, which may take time after it is cancelled', async () => {
  const { offer, begun } = startPool(3, { isPatient: true });
  for (const token of [1, 2, 3]) {
    offer({ correlationID: 'same', callbackURL: `http://m/?token=${token}` });
    await settle();
  }
  expect([begun.length, begun[0]?.stop.aborted]).toEqual([1, true]);
  begun[0]?.finish();
  await settle();
  expect(begun).toHaveLength(2);
  begun[1]?.finish();
  await settle();
  expect(begun.map(({ task }) => task.callbackURL.slice(-1))).toEqual(['1', '2', '3']);
});

test('a last report that waits for its delivery holds no worker, but the stop', async () => {
  const { pool, offer, begun, stopping, ended } = startPool(1);
  offer();
  await settle();
  const delivery = Promise.withResolvers<Delivery>();
  begun[0]?.finish(delivery.promise);
  await settle();
  expect(pool.running()).toBe(0);
  let isEnded = false;
  void ended.then(() => {
    isEnded = true;
  });
  stopping.abort();
  await settle();
  expect(isEnded).toBe(false);
  delivery.resolve('delivered');
  await ended;
});

describe('a task that waits for its next attempt', () => {
  test('holds no worker, and gets the next free one before new tasks do', async () => {
    const { pool, offer, begun, stopping } = startPool(1);
    expect(offer()).toBe('accepted');
    await settle();
    begun[0]?.worker.pause();
    expect(pool.running()).toBe(0);
    expect(offer()).toBe('accepted');
    await settle();
    let isResumed = false;
    const resumed = begun[0]?.worker.resume(stopping.signal).then(() => {
      isResumed = true;
    });
    await settle();
    expect([isResumed, pool.running()]).toEqual([false, 1]);
    begun[1]?.finish();
    await resumed;
    expect([pool.running(), offer()]).toEqual([1, { limit: 'workers', tasks: 1 }]);
  });

  test('takes no more than the share of its cluster when it resumes, and lets others pass', async () => {
    const { offer, begun, stopping } = startPool(4);
    const same = { kubeconfig: 'same' };
    offer(same);
    await settle();
    begun[0]?.worker.pause();
    expect([offer(same), offer(same), offer(same)]).toEqual([
      'accepted',
      'accepted',
      { limit: 'cluster', tasks: 2 },
    ]);
    await settle();
    let isResumed = false;
    void begun[0]?.worker.resume(stopping.signal).then(() => {
      isResumed = true;
    });
    await settle();
    expect([isResumed, offer()]).toEqual([false, 'accepted']);
    begun[1]?.finish();
    await settle();
    expect(isResumed).toBe(true);
  });

  test('is one of a bounded number, and ends with the stop', async () => {
    const { pool, offer, begun, stopping, ended } = startPool(1);
    for (let count = 0; count < 10; count++) {
      expect(offer()).toBe('accepted');
      await settle();
      begun[count]?.worker.pause();
    }
    expect(offer()).toEqual({ limit: 'waiting', tasks: 10 });
    const resuming = begun.map(({ worker, stop }) => worker.resume(stop));
    stopping.abort();
    await Promise.all(resuming);
    await ended;
    expect(pool.running()).toBe(0);
  });
});

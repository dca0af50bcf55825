import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { findCause, ProviderError, WaitingError } from '../../base/errors/errors.ts';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import { createKubeClient, type RestClient } from '../client/rest-client.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { KubeconfigError } from '../config/kubeconfig-error.ts';
import { isForbidden } from '../errors/errors.ts';
import { apiError, createMemoryClient, type MemoryClient } from '../fakes/memory-client.ts';
import { reply, startScriptedServer } from '../fakes/scripted-server.ts';
import type { Secret } from '../object/object.ts';
import { configMaps, secrets } from '../object/resource-type.ts';
import { createObjectWatcher, type ObjectWatcher } from '../watched-objects/object-watcher.ts';
import type { CallOutcome } from './cluster-attempt.ts';
import { type ClusterPool, createClusterPool } from './cluster-pool.ts';
import type { ClusterRef } from './kubeconfig-secret.ts';

const key = { namespace: 'crossplane-system', name: 'kyma-1' };
const ref: ClusterRef = { secret: key, kubeconfigKey: 'kubeconfig' };
const { signal } = new AbortController();

let clock: FakeClock;
let management: MemoryClient;
let objectWatcher: ObjectWatcher;
let pool: ClusterPool;
/** Clusters in the order of connection, and which of them were closed. */
let connected: ClusterConfig[];
let closed: string[];

beforeEach(() => {
  clock = createFakeClock();
  management = createMemoryClient({ clock, clusterName: 'management cluster' });
  objectWatcher = createObjectWatcher({ client: management, clock, random: () => 0.5 });
  connected = [];
  closed = [];
  pool = createClusterPool({
    client: management,
    objectWatcher,
    clock,
    random: () => 0.5,
    idleMs: 60_000,
    connect: (config): RestClient => {
      connected.push(config);
      const remote = createMemoryClient({ clock, clusterName: config.server });
      return { ...remote, close: async () => void closed.push(config.server) };
    },
  });
});
afterEach(() => {
  pool.close();
  objectWatcher.close();
});

const kubeconfig = (server: string, user = '{token: abc}') => `
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: ${server}}}]
users: [{name: u, user: ${user}}]
`;
const one = 'https://one.example';
const two = 'https://two.example';

function secret(text: string, more: Record<string, string> = {}): Secret {
  const data = { kubeconfig: text, ...more };
  const encoded = Object.entries(data).map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
  return { apiVersion: 'v1', kind: 'Secret', metadata: { ...key }, data: Object.fromEntries(encoded) };
}
const put = (text: string) => {
  const { metadata: _, ...rest } = secret(text);
  return management.mergePatch(secrets, key, rest);
};
const reads = () => management.requests.filter(({ verb }) => verb === 'get').length;
/** Long enough for a watch's account to count as complete. */
const settle = () => clock.advance(1000);

async function refused(of: ClusterRef = ref): Promise<unknown> {
  return pool.acquire(of, signal).then(
    () => {
      throw new Error('it was accepted');
    },
    (error: unknown) => error,
  );
}

test('a refused kubeconfig is parsed once for each version of its Secret', async () => {
  const parsed: string[] = [];
  const own = createClusterPool({
    client: management,
    objectWatcher,
    clock,
    parse: (text) => {
      parsed.push(text);
      throw new KubeconfigError('depth');
    },
  });
  management.seed(secrets, secret('[[['));
  const messages = new Set<string>();
  for (let n = 0; n < 5; n++) messages.add(String(await own.acquire(ref, signal).catch(String)));
  expect([...messages]).toEqual([
    expect.stringContaining('kubeconfig is refused: it is nested deeper than 16 levels'),
  ]);
  expect(parsed).toHaveLength(1);

  await put('[[[[');
  await own.acquire(ref, signal).catch(String);
  expect(parsed).toEqual(['[[[', '[[[[']);
  await management.delete(secrets, key);
  management.seed(secrets, secret('[[[['));
  await own.acquire(ref, signal).catch(String);
  expect(parsed).toHaveLength(3);
  own.close();
});

/** Subscribes to an object of the cluster; returns the number of notifications. */
async function wait(): Promise<() => number> {
  const lease = await pool.acquire(ref, signal);
  let woken = 0;
  lease.objectWatcher.target(configMaps, { namespace: 'a', name: 'b' }, 'absent').watch(() => woken++);
  lease.release();
  await settle();
  return () => woken;
}

/** Whether a change of the Secret wakes up who waits as the error says. */
async function wakesUp(error: unknown, change: () => Promise<unknown>): Promise<boolean> {
  let woken = false;
  const targets = findCause(error, ProviderError)?.targets ?? [];
  const stops = targets.map((target) => target.watch(() => (woken = true)));
  await settle();
  expect(woken).toBe(false);
  await change();
  await settle();
  for (const stop of stops) stop();
  return woken;
}

describe('all users of one kubeconfig', () => {
  test('share one connection and one object watcher, and one read of the Secret if they come together', async () => {
    management.seed(secrets, secret(kubeconfig(one)));
    const leases = await Promise.all(Array.from({ length: 20 }, () => pool.acquire(ref, signal)));
    expect(new Set(leases.map(({ client }) => client)).size).toBe(1);
    expect(new Set(leases.map((lease) => lease.objectWatcher)).size).toBe(1);
    expect([connected.length, reads()]).toEqual([1, 1]);
    for (const lease of leases) lease.release();
  });

  test('take no more than eight connections, however many they are', async () => {
    const server = await startScriptedServer(reply(200, { metadata: { name: 'b' } }));
    const own = createClusterPool({
      client: management,
      objectWatcher,
      clock,
      connect: (config, limits) =>
        createKubeClient({ config: { ...config, server: server.url }, clock, ...limits }),
    });
    try {
      management.seed(secrets, secret(kubeconfig(one)));
      const read = async () => {
        const { client, release } = await own.acquire(ref, signal);
        await client.get(configMaps, { namespace: 'a', name: 'b' });
        release();
      };
      await Promise.all(Array.from({ length: 100 }, read));
      expect(server.requests).toHaveLength(100);
      expect(server.connections()).toBe(8);
    } finally {
      own.close();
      await server.close();
    }
  });

  test('need no further read while the watch vouches for the Secret', async () => {
    management.seed(secrets, secret(kubeconfig(one)));
    (await pool.acquire(ref, signal)).release();
    await settle();
    for (let i = 0; i < 50; i++) (await pool.acquire(ref, signal)).release();
    expect(reads()).toBe(1);
  });

  test('of another key of the same Secret have a connection of their own', async () => {
    management.seed(secrets, secret(kubeconfig(one), { second: kubeconfig(two) }));
    await pool.acquire(ref, signal);
    await pool.acquire({ ...ref, kubeconfigKey: 'second' }, signal);
    expect(connected.map(({ server }) => server)).toEqual([one, two]);
  });
});

describe('a changed Secret', () => {
  test('is read again, and the new cluster used from then on', async () => {
    management.seed(secrets, secret(kubeconfig(one)));
    const old = await pool.acquire(ref, signal);
    await settle();
    await put(kubeconfig(two));
    await clock.advance(0);
    const lease = await pool.acquire(ref, signal);
    expect(lease.client.clusterName).toBe(two);
    expect(reads()).toBe(2);
    expect(closed).toEqual([]);
    old.release();
    old.release();
    expect(closed).toEqual([one]);
  });

  test('notifies subscribers to objects of the old cluster', async () => {
    management.seed(secrets, secret(kubeconfig(one)));
    const woken = await wait();
    await put(kubeconfig(two));
    await settle();
    expect(woken()).toBe(1);
    expect(closed).toEqual([one]);
  });

  test('that is deleted notifies them too', async () => {
    management.seed(secrets, secret(kubeconfig(one)));
    const woken = await wait();
    await management.delete(secrets, key);
    await settle();
    expect([woken(), closed]).toEqual([1, [one]]);
  });

  test('that cannot be read notifies them too', async () => {
    management.seed(secrets, secret(kubeconfig(one)));
    const woken = await wait();
    management.onRequest(({ verb }) => {
      if (verb === 'get') throw apiError(500, 'InternalError');
    });
    await put(kubeconfig(two));
    await settle();
    expect(woken()).toBe(1);
  });

  test('whose kubeconfig is the same keeps its connection, without notifications', async () => {
    management.seed(secrets, secret(kubeconfig(one)));
    const woken = await wait();
    for (let i = 0; i < 3; i++) {
      await management.mergePatch(secrets, key, { metadata: { labels: { a: String(i) } } });
      await settle();
    }
    (await pool.acquire(ref, signal)).release();
    expect([woken(), connected.length, reads()]).toEqual([0, 1, 4]);
  });

  test('that was deleted and made anew counts as another, even with the same content', async () => {
    management.seed(secrets, secret(kubeconfig(one)));
    (await pool.acquire(ref, signal)).release();
    await settle();
    await management.delete(secrets, key);
    await management.create(secrets, secret(kubeconfig(one)));
    await settle();
    await pool.acquire(ref, signal);
    expect(connected).toHaveLength(2);
  });
});

test('where watching Secrets is forbidden each acquire reads it, and a rotation is seen by the next one', async () => {
  management.onRequest(({ verb }) => {
    if (verb === 'watch') throw apiError(403, 'Forbidden');
  });
  management.seed(secrets, secret(kubeconfig(one)));
  for (let i = 0; i < 3; i++) {
    (await pool.acquire(ref, signal)).release();
    await settle();
  }
  expect([connected.length, reads()]).toEqual([1, 3]);
  await put(kubeconfig(two));
  expect((await pool.acquire(ref, signal)).client.clusterName).toBe(two);
  await clock.advance(60_000);
  expect(reads()).toBe(4);
});

describe('what is missing is waited for', () => {
  test('the Secret', async () => {
    const error = await refused();
    expect(error).toBeInstanceOf(WaitingError);
    expect(String(error)).toContain(
      'Secret crossplane-system/kyma-1 with the kubeconfig not found on management cluster',
    );
    expect(await wakesUp(error, () => management.create(secrets, secret(kubeconfig(one))))).toBe(true);
    await pool.acquire(ref, signal);
  });

  test.each<[string, ClusterRef, string, string]>([
    ['the key', { ...ref, kubeconfigKey: 'config' }, kubeconfig(one), 'has no key config'],
    [
      'a key that every object has by its prototype',
      { ...ref, kubeconfigKey: 'constructor' },
      kubeconfig(one),
      'has no key constructor',
    ],
    ['its content', ref, ' \n', 'has an empty key kubeconfig'],
  ])('%s', async (_what, of, text, message) => {
    management.seed(secrets, secret(text));
    const error = await refused(of);
    expect(error).toBeInstanceOf(WaitingError);
    expect(String(error)).toContain(`Secret crossplane-system/kyma-1 on management cluster ${message}`);
    expect(await wakesUp(error, () => put(kubeconfig(two)))).toBe(true);
  });
});

describe('what is refused', () => {
  test('is a terminal error with its reason that a change of the Secret ends', async () => {
    management.seed(secrets, secret(kubeconfig(one, '{exec: {command: CANARY}}')));
    const error = await refused();
    expect(error).toMatchObject({ kind: 'terminal' });
    expect(findCause(error, KubeconfigError)?.fault).toBe('exec');
    expect(String(error)).toBe(
      'ProviderError: cannot use key kubeconfig of Secret crossplane-system/kyma-1 on management cluster: ' +
        'kubeconfig is refused: it runs a program (exec); use a token or a client certificate',
    );
    expect(await wakesUp(error, () => put(kubeconfig(one)))).toBe(true);
    await pool.acquire(ref, signal);
  });

  test('ends the use of what was accepted before', async () => {
    management.seed(secrets, secret(kubeconfig(one)));
    (await pool.acquire(ref, signal)).release();
    await settle();
    await put('not: [yaml');
    await settle();
    await refused();
    expect(closed).toEqual([one]);
  });
});

test('a Secret that cannot be read for other reasons is that failure, and costs no connection', async () => {
  management.seed(secrets, secret(kubeconfig(one)));
  (await pool.acquire(ref, signal)).release();
  await settle();
  await management.mergePatch(secrets, key, { metadata: { labels: { a: 'b' } } });
  await settle();
  const end = management.onRequest(({ verb }) => {
    if (verb === 'get') throw apiError(403, 'Forbidden');
  });
  expect(isForbidden(await refused())).toBe(true);
  end();
  await pool.acquire(ref, signal);
  expect([connected.length, closed]).toEqual([1, []]);
});

describe('an unused cluster', () => {
  test('is closed after a while, with the watch on its Secret', async () => {
    management.seed(secrets, secret(kubeconfig(one)));
    (await pool.acquire(ref, signal)).release();
    await clock.advance(59_000);
    expect(closed).toEqual([]);
    await clock.advance(61_000);
    expect([closed, objectWatcher.size()]).toEqual([[one], 0]);
  });

  test('is not one with a lease or a subscriber', async () => {
    management.seed(secrets, secret(kubeconfig(one)));
    const lease = await pool.acquire(ref, signal);
    await clock.advance(600_000);
    const stop = lease.objectWatcher
      .target(configMaps, { namespace: 'a', name: 'b' }, 'absent')
      .watch(() => undefined);
    lease.release();
    await clock.advance(600_000);
    expect(closed).toEqual([]);
    stop();
    await clock.advance(120_000);
    expect(closed).toEqual([one]);
  });
});

test('a caller that gives up does not take the read away from the others', async () => {
  management.seed(secrets, secret(kubeconfig(one)));
  const answer = Promise.withResolvers<void>();
  management.onRequest(() => answer.promise);
  const impatient = new AbortController();
  const first = pool.acquire(ref, impatient.signal);
  const second = pool.acquire(ref, signal);
  impatient.abort(new Error('enough'));
  await expect(first).rejects.toBe(impatient.signal.reason);
  answer.resolve();
  expect((await second).client.clusterName).toBe(one);
  expect(reads()).toBe(1);
});

test('closing ends all clusters, those being opened too, and leaves no timer', async () => {
  management.seed(secrets, secret(kubeconfig(one)));
  (await pool.acquire(ref, signal)).release();
  const late = pool.acquire({ ...ref, kubeconfigKey: 'kubeconfig' }, signal).catch((error: unknown) => error);
  pool.close();
  expect(await late).toBeInstanceOf(ProviderError);
  expect(new Set(closed)).toEqual(new Set([one]));
  expect(closed).toHaveLength(connected.length);
  expect(await refused()).toMatchObject({ kind: 'transient' });
  objectWatcher.close();
  await clock.advance(0);
  expect(clock.pending()).toBe(0);
});

describe('a cluster that swallows what is asked of it', () => {
  const use = async (outcome?: CallOutcome) => {
    const lease = await pool.acquire(ref, signal);
    if (outcome) lease.report(outcome);
    lease.release();
  };
  const refusal = () => pool.acquire(ref, signal).catch((error: unknown) => error);
  beforeEach(async () => {
    management.seed(secrets, secret(kubeconfig(one)));
  });

  test('gets no requests after a few uses: a WaitingError with a retry and its Secret as watched object', async () => {
    for (let i = 0; i < 5; i++) await use('timed-out');
    const error = await refusal();
    if (!(error instanceof WaitingError)) throw error;
    expect(error.message).toBe(
      `${one} is unreachable: it has not answered for a while and is left alone for now (circuit open)`,
    );
    expect(error.retry).toBe(true);
    expect(error.targets).toHaveLength(1);
  });

  test('gets one use at a time after a while, and all again once it answers', async () => {
    for (let i = 0; i < 5; i++) await use('timed-out');
    await clock.advance(6000);
    const probe = await pool.acquire(ref, signal);
    expect(await refusal()).toBeInstanceOf(WaitingError);
    probe.report('answered');
    probe.release();
    await Promise.all([use('answered'), use('answered')]);
  });

  test('is not taken for one that refuses, or whose use ended before it could say anything', async () => {
    for (let i = 0; i < 10; i++) await use();
    await use('answered');
  });

  test('is not left alone by a probe that ended without a word', async () => {
    for (let i = 0; i < 5; i++) await use('timed-out');
    await clock.advance(6000);
    await use();
    await use('answered');
  });

  test('is left alone as well if it fails late, and not if it fails at once', async () => {
    for (let i = 0; i < 10; i++) await use('failed');
    for (let i = 0; i < 5; i++) {
      const lease = await pool.acquire(ref, signal);
      await clock.advance(9500);
      lease.report('failed');
      lease.release();
    }
    expect(await refusal()).toBeInstanceOf(WaitingError);
  });

  test.each(['answered', 'failed'] as const)(
    'is still left alone if a use that began before then ends late: %s',
    async (outcome) => {
      const late = await pool.acquire(ref, signal);
      for (let i = 0; i < 5; i++) await use('timed-out');
      await clock.advance(6000);
      await use('timed-out');
      late.report(outcome);
      late.release();
      expect(await refusal()).toBeInstanceOf(WaitingError);
    },
  );
});

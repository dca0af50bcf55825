import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { findCause, WaitingError } from '../../base/errors/errors.ts';
import { KubeconfigError } from '../config/kubeconfig-document.ts';
import { isForbidden } from '../errors/errors.ts';
import { apiError } from '../fakes/memory-client.ts';
import { secrets } from '../object/resource-type.ts';
import {
  createPoolHarness,
  key,
  kubeconfig,
  one,
  type PoolHarness,
  ref,
  secret,
  signal,
  two,
} from './cluster-pool.fixture.ts';
import { type CallOutcome, type ClusterRef, createClusterPool } from './cluster-pool.ts';

let h: PoolHarness;
beforeEach(() => {
  h = createPoolHarness();
});
afterEach(() => h.close());

test('a refused kubeconfig is parsed once for each version of its Secret', async () => {
  const parsed: string[] = [];
  const own = createClusterPool({
    client: h.management,
    objectWatcher: h.objectWatcher,
    clock: h.clock,
    parse: (text) => {
      parsed.push(text);
      throw new KubeconfigError('depth');
    },
  });
  h.management.seed(secrets, secret('[[['));
  const messages = new Set<string>();
  for (let n = 0; n < 5; n++) messages.add(String(await own.acquire(ref, signal).catch(String)));
  expect([...messages]).toEqual([
    expect.stringContaining('kubeconfig is refused: it is nested deeper than 16 levels'),
  ]);
  expect(parsed).toHaveLength(1);

  await h.put('[[[[');
  await own.acquire(ref, signal).catch(String);
  expect(parsed).toEqual(['[[[', '[[[[']);
  await h.management.delete(secrets, key);
  h.management.seed(secrets, secret('[[[['));
  await own.acquire(ref, signal).catch(String);
  expect(parsed).toHaveLength(3);
  own.close();
});

describe('what is missing is waited for', () => {
  test('the Secret', async () => {
    const error = await h.refused();
    expect(error).toBeInstanceOf(WaitingError);
    expect(String(error)).toContain(
      'Secret crossplane-system/kyma-1 with the kubeconfig not found on management cluster',
    );
    expect(await h.wakesUp(error, () => h.management.create(secrets, secret(kubeconfig(one))))).toBe(true);
    await h.pool.acquire(ref, signal);
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
    h.management.seed(secrets, secret(text));
    const error = await h.refused(of);
    expect(error).toBeInstanceOf(WaitingError);
    expect(String(error)).toContain(`Secret crossplane-system/kyma-1 on management cluster ${message}`);
    expect(await h.wakesUp(error, () => h.put(kubeconfig(two)))).toBe(true);
  });
});

describe('what is refused', () => {
  test('is a terminal error with its reason that a change of the Secret ends', async () => {
    h.management.seed(secrets, secret(kubeconfig(one, '{exec: {command: CANARY}}')));
    const error = await h.refused();
    expect(error).toMatchObject({ kind: 'terminal' });
    expect(findCause(error, KubeconfigError)?.fault).toBe('exec');
    expect(String(error)).toBe(
      'ProviderError: cannot use key kubeconfig of Secret crossplane-system/kyma-1 on management cluster: ' +
        'kubeconfig is refused: it runs a program (exec); use a token or a client certificate',
    );
    expect(await h.wakesUp(error, () => h.put(kubeconfig(one)))).toBe(true);
    await h.pool.acquire(ref, signal);
  });

  test('ends the use of what was accepted before', async () => {
    h.management.seed(secrets, secret(kubeconfig(one)));
    (await h.pool.acquire(ref, signal)).release();
    await h.settle();
    await h.put('not: [yaml');
    await h.settle();
    await h.refused();
    expect(h.closed).toEqual([one]);
  });
});

test('a Secret that cannot be read for other reasons is that failure, and costs no connection', async () => {
  h.management.seed(secrets, secret(kubeconfig(one)));
  (await h.pool.acquire(ref, signal)).release();
  await h.settle();
  await h.management.mergePatch(secrets, key, { metadata: { labels: { a: 'b' } } });
  await h.settle();
  const end = h.management.onRequest(({ verb }) => {
    if (verb === 'get') throw apiError(403, 'Forbidden');
  });
  expect(isForbidden(await h.refused())).toBe(true);
  end();
  await h.pool.acquire(ref, signal);
  expect([h.connected.length, h.closed]).toEqual([1, []]);
});

describe('a cluster that swallows what is asked of it', () => {
  const use = async (outcome?: CallOutcome) => {
    const lease = await h.pool.acquire(ref, signal);
    if (outcome) lease.report(outcome);
    lease.release();
  };
  const refusal = () => h.pool.acquire(ref, signal).catch((error: unknown) => error);
  beforeEach(async () => {
    h.management.seed(secrets, secret(kubeconfig(one)));
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
    await h.clock.advance(6000);
    const probe = await h.pool.acquire(ref, signal);
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
    await h.clock.advance(6000);
    await use();
    await use('answered');
  });

  test('is left alone as well if it fails late, and not if it fails at once', async () => {
    for (let i = 0; i < 10; i++) await use('failed');
    for (let i = 0; i < 5; i++) {
      const lease = await h.pool.acquire(ref, signal);
      await h.clock.advance(9500);
      lease.report('failed');
      lease.release();
    }
    expect(await refusal()).toBeInstanceOf(WaitingError);
  });

  test.each(['answered', 'failed'] as const)(
    'is still left alone if a use that began before then ends late: %s',
    async (outcome) => {
      const late = await h.pool.acquire(ref, signal);
      for (let i = 0; i < 5; i++) await use('timed-out');
      await h.clock.advance(6000);
      await use('timed-out');
      late.report(outcome);
      late.release();
      expect(await refusal()).toBeInstanceOf(WaitingError);
    },
  );
});

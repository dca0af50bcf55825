import { afterEach, describe, expect, test } from '@jest/globals';
import { apiError } from '../../kube/fakes/memory-client.ts';
import { configMaps, customResourceDefinitions } from '../../kube/object/resource-type.ts';
import { done } from '../reconcile-result.ts';
import { createGateEnvironment, type GateWorldOptions, typeOf } from './gated-kinds.fixture.ts';

let stop: () => Promise<void> = async () => undefined;
afterEach(() => stop());

function setup(options: GateWorldOptions = {}) {
  const environment = createGateEnvironment(options);
  stop = environment.stop;
  return environment;
}

describe('with the right to follow CRDs', () => {
  test('a kind begins if its CRD is there, and else waits: in the log, as a metric, and without unreadiness', async () => {
    const w = setup();
    await w.install('Alpha');
    await w.start();
    expect(w.notified()).toEqual(['build Alpha', 'start Alpha']);
    expect(w.logged()).toEqual(
      expect.arrayContaining([
        'the controller waits | Beta | betas.example.org',
        'controller started | Alpha',
      ]),
    );
    expect(await w.ready()).toEqual({
      status: '200',
      ping: '[+]ping ok',
      customresourcedefinitions: '[+]customresourcedefinitions ok',
      Alpha: '[+]Alpha ok',
      Beta: '[+]Beta ok: waits for betas.example.org',
    });
    expect(w.metrics.value('controller_kind_available', { controller: 'Alpha' })).toBe(1);
    expect(w.metrics.value('controller_kind_available', { controller: 'Beta' })).toBe(0);
    expect(w.metrics.value('controller_crds_followed')).toBe(1);
    // Nothing is asked of a kind that is not there.
    expect(w.client.requests.filter(({ type }) => type.kind === 'Beta')).toEqual([]);
  });

  test('it begins when its CRD is established, not when it is made', async () => {
    const w = setup();
    await w.start();
    await w.install('Alpha', { established: false });
    expect(w.notified()).toEqual([]);
    await w.establish('Alpha');
    expect(w.notified()).toEqual(['build Alpha', 'start Alpha']);
    expect(await w.ready()).toMatchObject({ status: '200', Alpha: '[+]Alpha ok' });
  });

  test('it ends with its CRD and begins again with it, others go on, and nothing is left of earlier rounds', async () => {
    const w = setup();
    await w.install('Alpha');
    await w.install('Beta');
    await w.start();
    await w.clock.advance(10_000);
    w.notified();
    const before = { timers: w.clock.pending(), observed: w.observed() };
    for (let round = 0; round < 5; round++) {
      await w.remove('Alpha');
      expect(w.notified()).toEqual(['stop Alpha', 'forget Alpha']);
      expect(await w.ready()).toMatchObject({
        status: '200',
        Alpha: '[+]Alpha ok: waits for alphas.example.org',
      });
      expect(w.metrics.value('controller_runtime_max_concurrent_reconciles', { controller: 'Alpha' })).toBe(
        0,
      );
      const asked = w.client.requests.length;
      await w.clock.advance(120_000);
      expect(w.client.requests.slice(asked).filter(({ type }) => type.kind === 'Alpha')).toEqual([]);
      await w.install('Alpha');
      expect(w.notified()).toEqual(['build Alpha', 'start Alpha']);
      await w.clock.advance(10_000);
      expect(await w.ready()).toMatchObject({ status: '200', Alpha: '[+]Alpha ok', Beta: '[+]Beta ok' });
    }
    expect({ timers: w.clock.pending(), observed: w.observed() }).toEqual(before);
    expect(w.metrics.value('controller_runtime_max_concurrent_reconciles', { controller: 'Beta' })).toBe(1);
  });

  test('a kind with a condition runs only while it holds, and others are not affected', async () => {
    let change: (holds: boolean) => void = () => undefined;
    let watches = 0;
    const condition = {
      name: 'a Lease',
      watch: (onChange: (holds: boolean) => void) => {
        change = onChange;
        watches += 1;
        return () => {
          watches -= 1;
        };
      },
    };
    const w = setup({ kinds: [{ kind: 'Alpha', conditions: [condition] }, { kind: 'Beta' }] });
    await w.install('Alpha');
    await w.install('Beta');
    await w.start();
    expect(w.notified()).toEqual(['build Beta', 'start Beta']);
    expect(await w.ready()).toMatchObject({ status: '200', Alpha: '[+]Alpha ok: waits for a Lease' });
    for (let round = 0; round < 3; round++) {
      change(true);
      await w.settle();
      expect(w.notified()).toEqual(['build Alpha', 'start Alpha']);
      expect(await w.ready()).toMatchObject({ status: '200', Alpha: '[+]Alpha ok' });
      change(false);
      await w.settle();
      expect(w.notified()).toEqual(['stop Alpha', 'forget Alpha']);
      expect(await w.ready()).toMatchObject({ status: '200', Alpha: '[+]Alpha ok: waits for a Lease' });
    }
    await w.stop();
    expect(watches).toBe(0);
  });

  test('while its CRD is being deleted it runs, also after a restart, since finalizers must be removed', async () => {
    const w = setup();
    await w.install('Alpha', { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] });
    await w.remove('Alpha');
    await w.start();
    expect(w.notified()).toEqual(['build Alpha', 'start Alpha']);
    expect(w.logged()).toContain('a CRD is being deleted: finalizers of its resources are removed');
    await w.release('Alpha');
    expect(w.notified()).toEqual(['stop Alpha', 'forget Alpha']);
  });

  test('a kind with several needs starts with the last of them, and runs while those of `keeps` are served', async () => {
    const needs = ['Alpha', 'Beta'].map(typeOf);
    const w = setup({ kinds: [{ kind: 'Alpha', needs, keeps: [typeOf('Alpha')] }] });
    await w.install('Alpha');
    await w.start();
    expect(w.notified()).toEqual([]);
    expect(await w.ready()).toMatchObject({ Alpha: '[+]Alpha ok: waits for betas.example.org' });
    await w.install('Beta');
    expect(w.notified()).toEqual(['build Alpha', 'start Alpha']);
    await w.remove('Beta');
    expect(w.notified()).toEqual([]);
    await w.remove('Alpha');
    expect(w.notified()).toEqual(['stop Alpha', 'forget Alpha']);
  });

  test('kinds that are there together are all built before the first of them begins', async () => {
    const w = setup();
    for (const kind of ['Beta', 'Alpha']) await w.install(kind);
    await w.start();
    expect(w.notified()).toEqual(['build Alpha', 'build Beta', 'start Alpha', 'start Beta']);
  });

  test('a reconcile that runs may end; until it has, the kind does not begin again', async () => {
    const reconcile = Promise.withResolvers<typeof done>();
    const w = setup({ reconcile: () => reconcile.promise });
    await w.install('Alpha');
    await w.start();
    await w.client.create(typeOf('Alpha'), {
      apiVersion: 'example.org/v1',
      kind: 'Alpha',
      metadata: { name: 'a' },
    });
    await w.settle();
    w.notified();
    await w.remove('Alpha');
    await w.install('Alpha');
    expect(w.notified()).toEqual([]);
    reconcile.resolve(done);
    await w.settle();
    expect(w.notified()).toEqual(['stop Alpha', 'forget Alpha', 'build Alpha', 'start Alpha']);
  });

  test('one that cannot be built is tried again, and others do not wait for it', async () => {
    let failures = 2;
    const w = setup({
      onBuild: (kind) => {
        if (kind === 'Alpha' && failures-- > 0) throw new Error('boom');
      },
    });
    for (const kind of ['Alpha', 'Beta']) await w.install(kind);
    await w.start();
    expect(w.notified()).toEqual(['build Beta', 'start Beta']);
    expect(w.logged()).toContain('cannot start the controller | Alpha | boom');
    await w.clock.advance(3000);
    expect(w.notified()).toEqual(['build Alpha', 'start Alpha']);
  });

  test('one that cannot be started is tried again, later each time, and soon again after it has run', async () => {
    let failures = 3;
    let attempts = 0;
    const w = setup({
      onStart: () => {
        attempts++;
        if (failures-- > 0) throw new Error('boom');
      },
    });
    const attemptsAfter = async (ms: number) => {
      await w.clock.advance(ms);
      return attempts;
    };
    await w.install('Alpha');
    await w.start();
    expect([
      attempts,
      await attemptsAfter(1000),
      await attemptsAfter(1000),
      await attemptsAfter(1000),
    ]).toEqual([1, 2, 2, 3]);
    expect([await attemptsAfter(3000), await attemptsAfter(1000)]).toEqual([3, 4]);
    await w.remove('Alpha');
    failures = 1;
    await w.install('Alpha');
    expect([attempts, await attemptsAfter(1000)]).toEqual([5, 6]);
  });

  test('a kind without a CRD runs while discovery shows it; while that does not respond, nothing changes', async () => {
    const aggregated = { ...typeOf('Gamma'), group: 'aggregated.example.org', hasCrd: false };
    const w = setup({ kinds: [{ kind: 'Alpha', needs: [aggregated] }] });
    let status: number | undefined = 404;
    /** Of the next response alone. */
    let once: number | undefined;
    w.client.onRequest(({ verb, type }) => {
      if (verb !== 'discover' || type !== aggregated) return;
      const answered = once ?? status;
      once = undefined;
      if (answered !== undefined) throw apiError(answered, '', 'no');
    });
    await w.start();
    expect(await w.ready()).toMatchObject({ Alpha: '[+]Alpha ok: waits for gammas.aggregated.example.org' });
    status = undefined;
    await w.clock.advance(60_000);
    expect(w.notified()).toEqual(['build Alpha', 'start Alpha']);
    status = 503;
    await w.clock.advance(120_000);
    expect(w.notified()).toEqual([]);
    status = undefined;
    await w.clock.advance(60_000);
    // A success has reset the delay, which had grown.
    [once, status] = [503, 404];
    while (once !== undefined) await w.clock.advance(1000);
    await w.clock.advance(1000);
    expect(w.notified()).toEqual(['stop Alpha', 'forget Alpha']);
  });

  test('a kind of the API server itself needs no CRD', async () => {
    const w = setup({ kinds: [{ kind: 'Alpha', needs: [configMaps] }] });
    await w.start();
    expect(w.notified()).toEqual(['build Alpha', 'start Alpha']);
  });

  test('while CRDs cannot be read nothing begins, readiness says why, and it is tried again', async () => {
    const w = setup();
    await w.install('Alpha');
    const restore = w.client.onRequest(({ type, verb }) => {
      if (type === customResourceDefinitions && verb === 'get') {
        throw apiError(429, 'TooManyRequests', 'storage is (re)initializing');
      }
    });
    await w.start();
    await w.clock.advance(30_000);
    expect(w.notified()).toEqual([]);
    expect(await w.ready()).toMatchObject({
      status: '500',
      customresourcedefinitions: expect.stringContaining(
        'which kinds are installed is not known: cannot reach the object on memory cluster: storage is (re)initializing',
      ),
    });
    expect(w.logged().filter((line) => line.startsWith('cannot read a CRD'))).toHaveLength(1);
    restore();
    await w.clock.advance(60_000);
    expect(w.notified()).toEqual(['build Alpha', 'start Alpha']);
    expect((await w.ready()).status).toBe('200');
    // A success has reset the delay, which had grown.
    const failOnce = w.client.onRequest(({ type, verb }) => {
      if (type !== customResourceDefinitions || verb !== 'get') return;
      failOnce();
      throw apiError(503, 'ServiceUnavailable');
    });
    await w.remove('Alpha');
    expect(w.notified()).toEqual([]);
    await w.clock.advance(1000);
    expect(w.notified()).toEqual(['stop Alpha', 'forget Alpha']);
  });

  test('rights that are taken away later change nothing of what was known', async () => {
    const w = setup();
    await w.install('Alpha');
    await w.start();
    w.notified();
    w.client.onRequest(({ type }) => {
      if (type === customResourceDefinitions) throw apiError(403, 'Forbidden');
    });
    await w.remove('Alpha').catch(() => undefined);
    await w.clock.advance(60_000);
    expect(w.notified()).toEqual([]);
    expect((await w.ready()).status).toBe('200');
  });
});

describe('without the right to follow CRDs', () => {
  test.each(['get', 'list', 'watch'])(
    '%s alone is missing: all kinds run, and what is not installed is waited for',
    async (verb) => {
      const w = setup();
      w.rights.answer = (asked) => asked !== verb;
      await w.install('Alpha');
      await w.start();
      expect(w.notified()).toEqual(['build Alpha', 'build Beta', 'start Alpha', 'start Beta']);
      expect(w.logged()).toContain(
        `cannot watch CRDs: all kinds run, installed or not, until the right is granted | ${verb} customresourcedefinitions.apiextensions.k8s.io`,
      );
      expect(await w.ready()).toMatchObject({
        status: '200',
        customresourcedefinitions: '[+]customresourcedefinitions ok: they may not be followed',
        Alpha: '[+]Alpha ok',
        Beta: '[+]Beta ok: its kind is not installed',
      });
      expect(w.metrics.value('controller_crds_followed')).toBe(0);
      expect(w.metrics.value('controller_kind_available', { controller: 'Alpha' })).toBe(1);
      expect(w.metrics.value('controller_kind_available', { controller: 'Beta' })).toBe(0);
      // Quietly: two words about a kind that is missing, however long it is.
      await w.clock.advance(300_000);
      expect(w.logged().filter((line) => line.includes('waiting for caches'))).toEqual([]);
      await w.install('Beta');
      await w.clock.advance(10_000);
      expect(await w.ready()).toMatchObject({ status: '200', Beta: '[+]Beta ok' });
    },
  );

  test('once it is granted, kinds that are not installed end, and the others never notice', async () => {
    const w = setup();
    w.rights.answer = () => false;
    await w.install('Alpha');
    await w.start();
    await w.clock.advance(20_000);
    w.notified();
    w.rights.answer = () => true;
    await w.clock.advance(60_000);
    expect(w.notified()).toEqual(['stop Beta', 'forget Beta']);
    expect(await w.ready()).toMatchObject({ status: '200', Beta: '[+]Beta ok: waits for betas.example.org' });
    await w.install('Beta');
    expect(w.notified()).toEqual(['build Beta', 'start Beta']);
  });

  test('no answer is not a no: nothing begins before there is one', async () => {
    const w = setup();
    await w.install('Alpha');
    w.rights.answer = () => {
      throw apiError(503, 'ServiceUnavailable', 'the server is starting');
    };
    await w.start();
    await w.clock.advance(10_000);
    expect(w.notified()).toEqual([]);
    expect((await w.ready()).customresourcedefinitions).toContain('the server is starting');
    w.rights.answer = () => true;
    await w.clock.advance(60_000);
    expect(w.notified()).toEqual(['build Alpha', 'start Alpha']);
  });

  test('who may not even ask may not follow', async () => {
    const w = setup();
    w.rights.answer = () => {
      throw apiError(403, 'Forbidden');
    };
    await w.start();
    expect(w.notified()).toEqual(['build Alpha', 'build Beta', 'start Alpha', 'start Beta']);
  });
});

test('at the end of the process all that runs is ended, and nothing is taken for gone', async () => {
  const w = setup();
  await w.install('Alpha');
  await w.start();
  w.notified();
  await w.stop();
  expect(w.notified()).toEqual(['stop Alpha']);
  await w.install('Beta');
  await w.clock.advance(60_000);
  expect(w.notified()).toEqual([]);
  expect(w.clock.pending()).toBe(0);
});

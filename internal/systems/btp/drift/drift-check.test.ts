import { beforeEach, describe, expect, test } from '@jest/globals';
import { NotAdmittedError } from '../../../framework/base/concurrency/limit-key.ts';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { refusal, throttled } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { testedKinds } from '../fixtures/tested-kinds.fixture.ts';
import { startHarnessWithInstance } from '../servicebinding/fixtures/binding-harness.fixture.ts';
import { startInstanceHarness } from '../serviceinstance/fixtures/instance-harness.fixture.ts';
import type { ServiceInstance } from '../serviceinstance/resource.ts';
import { type TrackedKind, type Tracking, tracked } from './tracked-kind.ts';

test('objects that are deleted or created under the name of another one during a list are not looked at', async () => {
  const ready = (name: string, instanceID: string) =>
    ({
      metadata: { namespace: 'shop', name },
      status: { instanceID, ready: 'True' },
    }) as ServiceInstance;
  const objects = new Map([
    ['shop/a', ready('a', 'old')],
    ['shop/b', ready('b', 'b')],
  ]);
  const suspects = new Set(['shop/b', 'shop/deleted-before']);
  const trackings = new Set<Tracking>();
  const requested: string[] = [];
  const kind: TrackedKind<ServiceInstance, { readonly id: string }> = {
    cache: {
      get: (key) => objects.get(key),
      list: () => [...objects.values()],
      hasSynced: () => true,
      whenSynced: async () => undefined,
    },
    suspects,
    idOf: ({ status }) => status?.instanceID ?? '',
    userOf: () => ({ namespace: 'shop' }) as never,
    list: async (_client, onPage) => {
      objects.set('shop/a', ready('a', 'new'));
      onPage([{ id: 'b' }]);
    },
    differs: async () => false,
  };
  tracked(kind, trackings).start((key) => requested.push(key));
  for (const { expected, compare } of trackings)
    await compare(expected(), {} as never, { signal: new AbortController().signal });
  expect([requested, [...suspects]]).toEqual([[], ['shop/b']]);
});

describe('a comparison of ServiceInstances with Service Manager', () => {
  const h = forEachTest(startInstanceHarness);
  beforeEach(async () => {
    for (const name of ['orders', 'other']) await h.create({}, name);
    await h.wait(1000);
    expect(h.condition('Ready')).toMatch(/^True/);
    h.sm.calls.splice(0);
  });
  const calls = () => h.sm.calls.map(({ call }) => call).filter((call) => call !== 'plan');
  const external = (name = 'orders') => {
    const found = [...h.sm.instances.values()].find((instance) => instance.identity.name === name);
    if (found === undefined) throw new Error(`${name} is not in Service Manager`);
    return found;
  };

  test('is one list for all of them if nothing has changed', async () => {
    await h.compare();
    await h.compare();
    expect(calls()).toEqual(['each', 'each']);
  });

  test('is one list for credentials that are at several places, and leaves no client open', async () => {
    await h.create({ btpAccessCredentialsSecret: 'own' }, 'third');
    await h.wait(1000);
    h.sm.calls.splice(0);
    await h.compare();
    expect(calls()).toEqual(['each']);
  });

  test('finds one that is gone, and asks for that one only', async () => {
    h.sm.instances.delete(external().id);
    await h.compare();
    expect(h.condition('Ready')).toMatch(/^False NotFound/);
    expect(h.condition('Ready', 'other')).toMatch(/^True/);
    expect(
      new Set(h.sm.calls.filter(({ call }) => call === 'get').map(({ argument }) => argument)).size,
    ).toBe(1);
  });

  test.each([
    { change: 'its name', apply: () => Object.assign(external(), { name: 'renamed' }) },
    { change: 'its plan', apply: () => Object.assign(external(), { servicePlanID: 'plan-2' }) },
  ])('puts right $change by an update', async ({ apply }) => {
    const before = { ...external() };
    apply();
    await h.compare();
    expect(calls()).toEqual(['each', 'get', 'update']);
    expect(external()).toMatchObject({ name: before.name, servicePlanID: before.servicePlanID });
    await h.compare();
    expect(calls().slice(3)).toEqual(['each']);
    // It is no longer compared by each reconcile, which would look up its plan.
    const plans = h.sm.count('plan');
    await h.patch({ metadata: { annotations: { touched: 'x' } } });
    expect(calls().slice(4)).toEqual(['get']);
    expect(h.sm.count('plan')).toBe(plans);
  });

  test('does nothing about an instance whose plan is not shown', async () => {
    Object.assign(external(), { servicePlanID: undefined });
    await h.compare();
    expect(calls()).toEqual(['each']);
  });

  test('shares again what others unshared, unless the spec does not say', async () => {
    await h.patch({ spec: { shared: true } });
    await h.wait(1000);
    external().shared = false;
    external('other').shared = true;
    h.sm.calls.splice(0);
    await h.compare();
    expect(external().shared).toBe(true);
    expect(external('other').shared).toBe(true);
    expect(calls()).toEqual(['each', 'get', 'share', 'get']);
    await h.compare();
    expect(calls().slice(4)).toEqual(['each']);
    Object.assign(external('other'), { name: 'renamed' });
    await h.compare();
    expect(external('other')).toMatchObject({ name: 'other', shared: true });
    expect([h.condition('Shared', 'other'), h.sm.count('unshare')]).toEqual([undefined, 0]);
  });

  test('unshares again what others shared', async () => {
    await h.patch({ spec: { shared: false } });
    await h.wait(1000);
    external().shared = true;
    h.sm.calls.splice(0);
    await h.compare();
    expect(external().shared).toBe(false);
    expect(calls()).toEqual(['each', 'get', 'unshare', 'get']);
  });

  test('does nothing about an instance with an operation in progress', async () => {
    h.sm.fail('operation', [throttled()], 'forever');
    h.sm.instances.delete(external().id);
    await h.patchStatus({ operationURL: '/v1/service_instances/x/operations/y', operationType: 'update' });
    h.sm.calls.splice(0);
    await h.compare();
    expect(calls()).not.toContain('get');
  });

  test('does nothing if the list fails, and the next one finds it', async () => {
    h.sm.instances.delete(external().id);
    h.sm.fail('each', [throttled()]);
    await h.compare();
    expect(h.condition('Ready')).toMatch(/^True/);
    expect(h.logLines.join()).toContain('cannot compare with Service Manager');
    h.sm.heal('each');
    await h.compare();
    expect(h.condition('Ready')).toMatch(/^False NotFound/);
  });

  test('goes on after an instance that cannot be compared', async () => {
    h.sm.fail('plan', [throttled()], 'forever');
    h.sm.instances.delete(external('other').id);
    await h.compare();
    expect(h.condition('Ready', 'other')).toMatch(/^False NotFound/);
    h.sm.heal('plan');
  });

  test('looks once at an instance that lists do not show, though it is there', async () => {
    Object.assign(external(), { identity: { ...external().identity, clusterID: 'another' } });
    for (let time = 0; time < 3; time++) await h.compare();
    expect(calls()).toEqual(['each', 'get', 'each', 'each']);
    expect(h.condition('Ready')).toMatch(/^True/);
    // Once it was listed, its absence says something again.
    for (const clusterID of ['cluster-1', 'another']) {
      Object.assign(external(), { identity: { ...external().identity, clusterID } });
      await h.compare();
    }
    expect(calls().slice(4)).toEqual(['each', 'each', 'get']);
  });
});

describe('a comparison of ServiceBindings with Service Manager', () => {
  const h = forEachTest(startHarnessWithInstance);
  beforeEach(async () => {
    await h.create();
    await h.wait(1000);
    expect(h.condition('Ready')).toMatch(/^True/);
    h.sm.calls.splice(0);
  });

  test('is one list without credentials if nothing has changed', async () => {
    await h.compare();
    expect(h.sm.calls).toEqual([{ call: 'eachBinding', argument: 'cluster-1' }]);
  });

  test('looks once at one that lists do not show, though it is there', async () => {
    for (const binding of h.sm.bindings.values())
      Object.assign(binding, { identity: { ...binding.identity, clusterID: 'another' } });
    const looks = () => h.sm.calls.filter(({ call }) => call !== 'eachBinding').length;
    await h.compare();
    expect([looks() > 0, h.condition('Ready')]).toEqual([true, expect.stringMatching(/^True/)]);
    const before = looks();
    await h.putInstance({ metadata: { annotations: { note: 'changed' } } });
    await h.wait(1000);
    expect(looks()).toBe(before);
  });

  test('finds one that is gone', async () => {
    h.sm.bindings.clear();
    await h.compare();
    expect(h.condition('Ready')).toMatch(/^False NotFound/);
    expect(h.sm.count('bind')).toBe(0);
  });
});

describe.each(testedKinds)('a $kind that is gone in Service Manager', ({ calls, start }) => {
  test.each([
    {
      title: 'gets no slot',
      error: () => new NotAdmittedError([{ name: 'Service Manager host', slots: 4 }]),
    },
    { title: 'is throttled', error: () => throttled() },
    { title: 'fails', error: () => refusal(500, 'out of order') },
    { title: 'is answered by a gateway', error: () => refusal(404, '', 'unclear') },
  ])('is found by one comparison, also if its look-up $title at first', async ({ error }) => {
    const { h, create, external } = await start();
    await create();
    external.clear();
    h.sm.fail(calls.get, [error(), error()]);
    h.sm.fail('listed', [refusal(500, 'out of order')]);
    await h.compare();
    await h.wait(60_000);
    expect(h.condition('Ready')).toMatch(/^False NotFound/);
    await h.stop();
  });
});

test.each([
  { change: 'its name', call: 'update', apply: { name: 'renamed' } },
  { change: 'its sharing', call: 'share', apply: { shared: false } },
] as const)('$change is put right, also if that gets no slot at first', async ({ call, apply }) => {
  const h = await startInstanceHarness();
  await h.create({ shared: true });
  await h.wait(1000);
  const [external] = h.sm.instances.values();
  Object.assign(external ?? {}, apply);
  h.sm.fail(call, [new NotAdmittedError([{ name: 'Service Manager host', slots: 4 }])]);
  await h.compare();
  await h.wait(60_000);
  expect(external).toMatchObject({ name: 'orders', shared: true });
  await h.stop();
});

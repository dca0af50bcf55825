import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { lostResponse, refusal, throttled } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { finalizer } from '../metadata.ts';
import { type InstanceHarness, startInstanceHarness } from './fixtures/instance-harness.fixture.ts';
import { contentHash, specHash } from './spec-hash.ts';

let h: InstanceHarness;
beforeEach(async () => {
  h = await startInstanceHarness();
});
afterEach(() => h.stop());

test('[B6] an instance is created with its parameters, and its status says so', async () => {
  await h.putSecret('db', { password: 'hunter2' });
  const parametersFrom = [{ secretKeyRef: { name: 'db', key: 'parameters' } }];
  await h.create({ parameters: { size: 1 }, parametersFrom });
  await h.wait();
  const stored = h.stored();
  const { metadata, spec, status } = stored ?? {};
  expect(metadata?.finalizers).toEqual([finalizer]);
  expect(status).toEqual({
    instanceID: 'id-1',
    subaccountID: 'subaccount-1',
    viewer: 'viewer',
    hashedSpec: spec && specHash(spec),
    acceptedSpec: stored && contentHash(stored),
    tags: ['test'],
    ready: 'True',
    observedGeneration: 1,
    conditions: [
      expect.objectContaining({ type: 'Succeeded', status: 'True', reason: 'Created' }),
      expect.objectContaining({ type: 'Ready', status: 'True', reason: 'Provisioned' }),
    ],
  });
  expect(h.sm.instances.get('id-1')).toMatchObject({
    name: 'orders',
    servicePlanID: 'plan-1',
    identity: { clusterID: 'cluster-1', namespace: 'shop', name: 'orders' },
    parameters: { password: 'hunter2', size: 1 },
  });
  expect(h.sm.count('create')).toBe(1);
  expect(h.recorder.lines()).toEqual(['Normal Created: ServiceInstance provisioned successfully']);
});

test('[B12.7] an instance costs two requests to Service Manager, and an update as many', async () => {
  // The catalog is kept by the client.
  const requests = () => h.sm.calls.map(({ call }) => call).filter((call) => call !== 'plan');
  await h.create();
  await h.wait(60_000);
  expect(requests()).toEqual(['find', 'create']);
  await h.patch({ spec: { externalName: 'renamed' } });
  await h.wait(60_000);
  expect(requests().slice(2)).toEqual(['get', 'update']);
});

test('[B17] an external name that is not set is the name of the object', async () => {
  await h.create({ externalName: '' });
  await h.wait();
  expect(h.sm.instances.get('id-1')?.name).toBe('orders');
});

test.each([
  { reason: 'a refusal', error: () => refusal(400, 'no quota') },
  { reason: 'an error of the broker', error: () => refusal(502, 'no quota', 'broker') },
])(
  '[B7] [B8] [B9] [B11] [B12] a refused create shows the text, and is retried until Service Manager accepts it: $reason',
  async ({ error }) => {
    h.sm.fail('create', [error(), error()]);
    await h.create();
    expect(h.condition('Succeeded')).toBe('False CreateFailed no quota');
    expect(h.condition('Ready')).toBe('False NotProvisioned');
    expect(h.stored()?.status?.operationType).toBeUndefined();
    await h.wait(4000);
    expect(h.condition('Succeeded')).toBe('True Created ServiceInstance provisioned successfully');
    expect(h.sm.count('create')).toBe(3);
  },
);

test('[B9] [B49] a create that is refused for ever is retried more and more rarely', async () => {
  h.sm.fail('create', [refusal(400, 'no quota')], 'forever');
  await h.create({ shared: true });
  await h.wait(600_000);
  expect(h.sm.count('create')).toBeGreaterThan(10);
  expect(h.sm.count('create')).toBeLessThan(20);
  expect(h.sm.count('share')).toBe(0);
});

test('an edit is not delayed by the backoff of a create', async () => {
  h.sm.fail('create', [refusal(400, 'no quota')], 'forever');
  await h.create();
  await h.wait(60_000);
  h.sm.heal('create');
  await h.patch({ spec: { parameters: { size: 1 } } });
  await h.wait(200);
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
});

test('[B10] [B173] a throttled create counts as in progress', async () => {
  h.sm.fail('create', [throttled()]);
  await h.create();
  expect(h.condition('Succeeded')).toBe('False CreateInProgress ServiceInstance is being created');
  await h.wait(1200);
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
});

test('[B5] a plan that cannot be selected is a failed create', async () => {
  h.sm.fail('plan', [new Error("couldn't find the service offering 'x' on dataCenter ''")]);
  await h.create();
  expect(h.condition('Succeeded')).toBe(
    "False CreateFailed couldn't find the service offering 'x' on dataCenter ''",
  );
});

test('a message does not quote what is in a Secret', async () => {
  await h.putSecret('db', { password: 'hunter2' });
  h.sm.fail('create', [refusal(400, 'the password hunter2 is too short')]);
  await h.create({ parametersFrom: [{ secretKeyRef: { name: 'db', key: 'parameters' } }] });
  expect(h.condition('Succeeded')).toBe('False CreateFailed the password [redacted] is too short');
  expect(h.recorder.lines().join()).not.toContain('hunter2');
});

describe('an asynchronous create', () => {
  test('[B13] is polled until it succeeded', async () => {
    h.sm.async('create', { polls: 2, description: 'preparing the database' });
    await h.create();
    expect(h.condition('Succeeded')).toBe('False CreateInProgress ServiceInstance is being created');
    expect(h.stored()?.status).toMatchObject({ operationType: 'create', ready: 'False' });
    await h.wait(1000);
    expect(h.condition('Succeeded')).toBe('False CreateInProgress preparing the database');
    await h.wait(2500);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.stored()?.status).toMatchObject({ subaccountID: 'subaccount-1', ready: 'True' });
    expect(h.stored()?.status?.operationURL).toBeUndefined();
  });

  test('[B14] that failed is removed from Service Manager, and created again', async () => {
    h.sm.async('create', { state: 'failed', errorDescription: 'broker-failure' });
    await h.create();
    await h.wait(2100);
    expect(h.condition('Succeeded')).toBe('False CreateFailed ServiceInstance create failed: broker-failure');
    expect(h.sm.instances.size).toBe(0);
    h.sm.sync('create');
    await h.wait(2000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect([...h.sm.instances.keys()]).toEqual([h.stored()?.status?.instanceID]);
  });

  test('that fails again and again is retried more and more rarely', async () => {
    h.sm.async('create', { polls: 0, state: 'failed' });
    h.sm.async('delete', { polls: 1 });
    await h.create();
    await h.wait(600_000);
    expect(h.sm.count('create')).toBeGreaterThan(8);
    expect(h.sm.count('create')).toBeLessThan(20);
    expect(h.sm.instances.size).toBeLessThanOrEqual(1);
  });

  test('[B15] is not updated before it succeeded, and then for an edit', async () => {
    h.sm.async('create', { polls: 3 });
    await h.create();
    await h.patch({ spec: { externalName: 'renamed' } });
    await h.wait(1000);
    expect(h.sm.count('update')).toBe(0);
    await h.wait(5000);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(h.sm.count('update')).toBe(1);
    expect(h.stored()?.status?.observedGeneration).toBe(2);
  });

  test('whose operation is lost succeeded if the instance is ready', async () => {
    h.sm.async('create', { polls: 1 });
    await h.create();
    for (const instance of h.sm.instances.values()) instance.ready = true;
    h.sm.fail('operation', [refusal(404, 'no such operation', 'not-found')]);
    await h.wait(2000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.sm.count('create')).toBe(1);
  });

  test('whose operation is lost and whose instance is not ready is created again', async () => {
    h.sm.async('create', { polls: 1 });
    await h.create();
    h.sm.fail('operation', [refusal(404, 'no such operation', 'not-found')]);
    for (const instance of h.sm.instances.values()) instance.lastOperation = undefined;
    h.sm.sync('create');
    await h.wait(5000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.sm.instances.size).toBe(1);
    expect(h.sm.count('create')).toBe(2);
  });

  test('whose poll fails shows the text, and goes on', async () => {
    h.sm.async('create', { polls: 0 });
    h.sm.fail('operation', [refusal(500, 'out of order')]);
    await h.create();
    await h.wait(1000);
    expect(h.condition('Succeeded')).toBe('False CreateFailed out of order');
    await h.wait(5000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.sm.count('create')).toBe(1);
  });
});

test('a create is recorded before each attempt, with the spec that is sent', async () => {
  const seen: unknown[] = [];
  const { createInstance } = h.sm.client;
  h.sm.client.createInstance = (...args) => {
    const { metadata, spec, status } = h.stored() ?? {};
    seen.push([
      metadata?.finalizers?.length,
      status?.operationType,
      status?.hashedSpec === (spec && specHash(spec)),
      h.condition('Succeeded'),
    ]);
    return createInstance(...args);
  };
  h.sm.fail('create', [refusal(400, 'no quota')]);
  await h.create({ parameters: { size: 1 } });
  await h.patch({ spec: { parameters: { size: 2 } } });
  await h.wait();
  expect(seen).toEqual([
    // The finalizer alone is the record of the first create.
    [1, undefined, false, undefined],
    [1, 'create', true, 'False CreateFailed no quota'],
  ]);
});

test('an instance that is gone when its asynchronous create has succeeded is not found', async () => {
  h.sm.async('create', { polls: 0 });
  await h.create();
  const { operationURL = '' } = h.stored()?.status ?? {};
  await h.sm.client.getOperation(operationURL, { signal: new AbortController().signal });
  h.sm.instances.clear();
  await h.wait(1000);
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
  await h.patch({ metadata: { annotations: { touched: 'x' } } });
  expect(h.condition('Ready')).toMatch(/^False NotFound/);
});

describe('after a create whose response is lost', () => {
  test('the instance is found and adopted', async () => {
    h.sm.fail('create', [lostResponse()]);
    await h.create();
    expect(h.condition('Succeeded')).toBe('False CreateFailed cannot create instance: no response');
    expect(h.stored()?.status?.operationType).toBe('create');
    await h.wait(2000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect([h.sm.count('create'), h.sm.instances.size]).toEqual([1, 1]);
  });

  test('an edit made meanwhile is sent', async () => {
    h.sm.fail('create', [lostResponse()]);
    await h.create();
    await h.patch({ spec: { parameters: { size: 2 } } });
    await h.wait(3000);
    expect(h.sm.instances.get('id-1')).toMatchObject({ parameters: { size: 2 } });
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
  });

  test('a deletion waits until the create can no longer take effect', async () => {
    h.sm.fail('create', [lostResponse()]);
    await h.create();
    const [late] = h.sm.instances.values();
    h.sm.instances.clear();
    await h.delete();
    await h.wait(2000);
    expect(h.condition('Succeeded')).toMatch(/^False DeleteInProgress/);
    if (late) h.sm.instances.set(late.id, late);
    await h.wait(3000);
    expect(h.stored()).toBeUndefined();
    expect(h.sm.instances.size).toBe(0);
  });

  test.each([
    ['ahead of', 3_600_000],
    ['behind', -3_600_000],
  ])('a deletion waits for six polls, also if the clock is %s that of the API server', async (_title, ms) => {
    h.sm.fail('create', [lostResponse()]);
    await h.create();
    h.sm.instances.clear();
    await h.stop();
    // The API server has the clock of the harness until then.
    await h.delete();
    h.clock.jump(ms);
    await h.restart();
    await h.wait(5000);
    expect(h.stored()).toBeDefined();
    await h.wait(2000);
    expect(h.stored()).toBeUndefined();
  });
});

test('without credentials the condition says so, and the object can be deleted', async () => {
  h.credentialsError = new Error('cannot find credentials');
  await h.create();
  expect(h.condition('Succeeded')).toBe('False Failed cannot find credentials');
  expect(h.stored()?.metadata.finalizers ?? []).toEqual([]);
  await h.delete();
  expect(h.stored()).toBeUndefined();
});

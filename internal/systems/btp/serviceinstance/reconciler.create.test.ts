import { describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { lostResponse, refusal } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { finalizer } from '../metadata.ts';
import { startInstanceHarness } from './fixtures/instance-harness.fixture.ts';
import { sampleInstance } from './fixtures/serviceinstance.fixture.ts';
import { contentHash, specHash } from './spec-hash.ts';

const h = forEachTest(startInstanceHarness);

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

test('a create is recorded in the status first, if the finalizer may be the record of an earlier one', async () => {
  const creates: number[] = [];
  h.client.onRequest(({ verb, subresource }) => {
    if (verb === 'update' && subresource === 'status') creates.push(h.sm.count('create'));
  });
  const { metadata, ...instance } = sampleInstance();
  await h.apply({ ...instance, metadata: { ...metadata, finalizers: [finalizer] } });
  await h.wait();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
  expect(creates).toEqual([0, 1]);
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

test('[B5] a plan that cannot be selected is a failed create', async () => {
  h.sm.fail('plan', [new Error("couldn't find the service offering 'x' on dataCenter ''")]);
  await h.create();
  expect(h.condition('Succeeded')).toBe(
    "False CreateFailed couldn't find the service offering 'x' on dataCenter ''",
  );
});

describe('an asynchronous create', () => {
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
  test('an edit made meanwhile is sent', async () => {
    h.sm.fail('create', [lostResponse()]);
    await h.create();
    await h.patch({ spec: { parameters: { size: 2 } } });
    await h.wait(3000);
    expect(h.sm.instances.get('id-1')).toMatchObject({ parameters: { size: 2 } });
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
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

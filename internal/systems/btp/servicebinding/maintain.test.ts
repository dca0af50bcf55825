import { beforeEach, describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import { refusal, throttled } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { serviceInstances } from '../serviceinstance/resource.ts';
import { startHarnessWithInstance } from './fixtures/binding-harness.fixture.ts';

const HOUR = 3_600_000;
const secretKey = { namespace: 'shop', name: 'orders-secret' };

const h = forEachTest(startHarnessWithInstance);

const created = async () => {
  await h.create();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
};
const setReady = (ready: boolean) => {
  for (const binding of h.sm.bindings.values()) binding.ready = ready;
};

test('an edit that changes nothing in the Secret is observed, and the Secret is not written', async () => {
  await created();
  const writes = () => h.writes().filter((write) => write.includes('secrets')).length;
  const before = writes();
  await h.patch({ spec: { credentialsRotationPolicy: { enabled: false } } });
  expect(h.condition('Succeeded')).toBe('True Updated ServiceBinding updated successfully');
  expect(h.stored()?.status?.observedGeneration).toBe(2);
  expect(writes()).toBe(before);
});

test('a comparison that fails is shown and repeated, and a later one that succeeds as well', async () => {
  await created();
  h.sm.fail('getBinding', [refusal(503, 'out of order'), refusal(503, 'out of order')]);
  await h.wait(10 * HOUR + 500);
  expect(h.condition('Succeeded')).toBe('False UpdateFailed out of order');
  expect(h.condition('Ready')).toMatch(/^True/);
  await h.wait(60_000);
  expect(h.condition('Succeeded')).toBe('True Updated ServiceBinding updated successfully');
});

test.each<[what: string, prepare: () => Promise<void>, shown: RegExp]>([
  ['created', async () => undefined, /^True Created/],
  ['edited', () => h.patch({ spec: { secretKey: 'all' } }), /^True Updated/],
])(
  'a comparison of a binding that was %s is repeated when Service Manager allows if it is throttled, and shows in no condition',
  async (_, prepare, shown) => {
    await created();
    await prepare();
    expect(h.condition('Succeeded')).toMatch(shown);
    const before = h.sm.count('getBinding');
    h.sm.fail('getBinding', [throttled(30_000)]);
    await h.patch({ metadata: { annotations: { touched: 'x' } } });
    await h.wait(20_000);
    expect(h.sm.count('getBinding') - before).toBe(1);
    expect(h.condition('Succeeded')).toMatch(shown);
    await h.wait(11_000);
    expect(h.sm.count('getBinding') - before).toBe(2);
    expect(h.condition('Succeeded')).toMatch(shown);
  },
);

test.each([
  { rule: 'no client for a binding that names none', before: null, after: undefined },
  { rule: 'the present client for a binding that names an earlier one', before: 'earlier', after: 'viewer' },
])('a comparison records $rule', async ({ before, after }) => {
  await created();
  await h.patchStatus({ viewer: before });
  await h.patch({ spec: { secretKey: 'all' } });
  expect(h.condition('Succeeded')).toMatch(/^True Updated/);
  expect(h.stored()?.status?.viewer).toBe(after);
});

test('an edit after one that failed is in progress while Service Manager throttles', async () => {
  await created();
  h.sm.fail('getBinding', [refusal(503, 'out of order')], 'forever');
  await h.patch({ spec: { secretKey: 'all' } });
  expect(h.condition('Succeeded')).toBe('False UpdateFailed out of order');
  h.sm.fail('getBinding', [throttled(30_000)], 'forever');
  await h.wait(5000);
  expect(h.condition('Succeeded')).toBe('False UpdateFailed out of order');
  await h.patch({ spec: { secretKey: 'other' } });
  await h.wait(40_000);
  expect(h.condition('Succeeded')).toMatch(/^False UpdateInProgress/);
});

test('a comparison completes the ID of the subaccount, and keeps the Secret', async () => {
  await created();
  await h.patchStatus({ subaccountID: null });
  const { resourceVersion } = h.client.peek(secrets, secretKey)?.metadata ?? {};
  await h.wait(11 * HOUR);
  expect(h.stored()?.status?.subaccountID).toBe('subaccount-1');
  expect(h.client.peek(secrets, secretKey)?.metadata.resourceVersion).toBe(resourceVersion);
  const { getBinding } = h.sm.client;
  h.sm.client.getBinding = async (...args) => {
    const { subaccountID: _, ...shown } = (await getBinding(...args)) ?? { id: '', name: '' };
    return shown as Awaited<ReturnType<typeof getBinding>>;
  };
  await h.patch({ spec: { secretKey: 'all' } });
  expect(h.condition('Succeeded')).toMatch(/^True Updated/);
  expect(h.stored()?.status?.subaccountID).toBe('subaccount-1');
});

test('a bound binding whose status lost its condition gets it again', async () => {
  await created();
  const conditions = h.stored()?.status?.conditions.filter(({ type }) => type === 'Ready');
  await h.patchStatus({ conditions });
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
  expect(h.logLines.join()).not.toContain('TypeError');
});

test('a bound binding stays ready when Service Manager says that it is not', async () => {
  await created();
  setReady(false);
  await h.wait(11 * HOUR);
  expect(h.sm.count('getBinding')).toBe(1);
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
  expect(h.condition('Ready')).toMatch(/^True/);
});

test('the Secret of a binding that was never ready is not reported as deleted', async () => {
  h.sm.addBinding({ id: 'b-9', ready: false, lastOperation: { type: 'create', state: 'failed' } });
  await h.create();
  expect(h.condition('Succeeded')).toMatch(/^False CreateFailed/);
  await h.patch({ metadata: { annotations: { touched: 'x' } } });
  await h.wait();
  expect(h.recorder.lines().join()).not.toContain('SecretDeleted');
  expect(h.secret()).toBeUndefined();
});

test('a create that failed is shown as it was until Service Manager says that the binding is ready', async () => {
  const description = 'no quota';
  h.sm.addBinding({
    id: 'b-9',
    ready: false,
    credentials: '{"password":"late"}',
    lastOperation: { type: 'create', state: 'failed', description },
  });
  await h.create();
  await h.wait(11 * HOUR);
  expect(h.condition('Succeeded')).toBe(`False CreateFailed ServiceBinding create failed: ${description}`);
  setReady(true);
  await h.wait(11 * HOUR);
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
  expect(h.condition('Ready')).toMatch(/^True/);
  expect(h.secret()).toMatchObject({ password: 'late' });
});

describe('data of the instance in the Secret', () => {
  const observed = {
    conditions: [{ type: 'Succeeded', status: 'True', reason: 'Updated', observedGeneration: 1 }],
  };
  const changes = [
    { what: 'customTags', spec: { customTags: ['new'] }, entry: { tags: '["test","new"]' } },
    { what: 'the plan', spec: { servicePlanName: 'large' }, entry: { plan: 'large' } },
    { what: 'the name', spec: { externalName: 'renamed' }, entry: { instance_name: 'renamed' } },
  ];
  /** As when the instance is done. */
  const settle = () => {
    const generation = h.client.peek(serviceInstances, { namespace: 'shop', name: 'orders' })?.metadata
      .generation;
    const [condition] = observed.conditions;
    return h.putInstance({ status: { conditions: [{ ...condition, observedGeneration: generation }] } });
  };
  beforeEach(async () => {
    await settle();
    await created();
  });

  test.each(changes)(
    'follows when $what changes and Service Manager has accepted it',
    async ({ spec, entry }) => {
      const before = h.secret();
      await h.putInstance({ spec });
      await h.wait();
      expect(h.secret()).toEqual(before);
      await settle();
      await h.wait();
      expect(h.secret()).toMatchObject(entry);
      expect(h.sm.count('getBinding')).toBe(1);
      await h.wait(60_000);
      expect(h.sm.count('getBinding')).toBe(1);
    },
  );

  test('follows also if it changed while no operator was running', async () => {
    await h.stop();
    await h.putInstance({ spec: { customTags: ['new'] } });
    await settle();
    await h.restart();
    await h.wait();
    expect(h.secret()).toMatchObject({ tags: '["test","new"]' });
  });

  test('follows in the Secret of another program from the first reconcile on, also if Service Manager throttles', async () => {
    await h.stop();
    await h.patchStatus({ instanceData: null });
    await h.restart();
    h.sm.fail('getBinding', [throttled()]);
    await h.putInstance({ spec: { customTags: ['new'] } });
    expect(h.sm.count('getBinding')).toBe(0);
    await settle();
    await h.wait();
    expect(h.secret()).toMatchObject({ tags: '["test","new"]' });
    expect(h.sm.count('getBinding')).toBe(2);
  });
});

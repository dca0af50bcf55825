import { describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { refusal, throttled } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { ServiceManagerError } from '../service-manager/index.ts';
import { type InstanceHarness, startInstanceHarness } from './fixtures/instance-harness.fixture.ts';

const h = forEachTest(startInstanceHarness);

async function created(spec: Parameters<InstanceHarness['create']>[0] = {}) {
  await h.create(spec);
  await h.wait();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
}

describe('sharing', () => {
  test('[B45] an instance is shared after its create', async () => {
    await created({ shared: true });
    expect(h.condition('Shared')).toBe('True ShareSucceeded instance shared successfully');
    expect(h.stored()?.status?.conditions).toHaveLength(3);
    expect(h.sm.instances.get('id-1')?.shared).toBe(true);
  });

  test('[B46] [B47] [B48] [B54] [B56] with a rename both happen, by one update', async () => {
    await created();
    const before = h.stored()?.status?.hashedSpec;
    await h.patch({ spec: { shared: true } });
    await h.wait();
    expect(h.stored()?.status?.hashedSpec).toBe(before);
    await h.patch({ spec: { shared: false, externalName: 'renamed' } });
    await h.wait();
    expect(h.condition('Shared')).toBe('False UnShareSucceeded instance un-shared successfully');
    expect(h.sm.count('update')).toBe(1);
    expect(h.stored()?.status?.observedGeneration).toBe(3);
  });

  test('happens also with watched parameters', async () => {
    await h.putSecret('db', { a: 1 });
    const parametersFrom = [{ secretKeyRef: { name: 'db', key: 'parameters' } }];
    await created({ shared: true, watchParametersFromChanges: true, parametersFrom });
    expect(h.condition('Shared')).toMatch(/^True/);
    expect(h.sm.count('update')).toBe(0);
  });

  test('happens also after an asynchronous create', async () => {
    h.sm.async('create', { polls: 1 });
    await created({ shared: true });
    expect(h.condition('Shared')).toMatch(/^True/);
  });

  test('leaves the result of the last operation as it is', async () => {
    await created();
    await h.patch({ spec: { externalName: 'renamed' } });
    await h.patch({ spec: { shared: true } });
    await h.wait();
    expect(h.condition('Shared')).toMatch(/^True/);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
  });

  test('[B55] without a wish the condition goes', async () => {
    await created({ shared: true });
    await h.patch({ spec: { shared: null } });
    await h.wait();
    expect(h.stored()?.status?.conditions).toHaveLength(2);
    expect(h.sm.instances.get('id-1')?.shared).toBe(false);
    expect(h.stored()?.status?.observedGeneration).toBe(2);
  });

  test('[B50] throttled, it is an operation in progress until it succeeds', async () => {
    await h.create({ shared: true });
    h.sm.fail('share', [throttled()]);
    await h.patch({ spec: { shared: false } });
    await h.wait();
    await h.patch({ spec: { shared: true } });
    expect(h.condition('Succeeded')).toBe('False InProgress Operation in progress');
    await h.wait();
    expect(h.condition('Shared')).toMatch(/^True/);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test.each([400, 500])(
    '[B52] [B53] refused with %d, it is not supported, and not tried again',
    async (status) => {
      await created();
      h.sm.fail('share', [refusal(status, 'not shareable')], 'forever');
      await h.patch({ spec: { shared: true } });
      await h.wait(60_000);
      expect(h.condition('Shared')).toBe('False ShareNotSupported not shareable');
      expect(h.sm.count('share')).toBe(1);
      await h.patch({ spec: { shared: false } });
      await h.wait();
      expect(h.condition('Shared')).toBeUndefined();
    },
  );

  test('that a gateway answers with 500 is retried', async () => {
    await created();
    const details = { ...refusal(500, 'Internal Server Error'), isEffectUnknown: true };
    h.sm.fail('share', [new ServiceManagerError('route answered 500', details)]);
    await h.patch({ spec: { shared: true } });
    expect(h.condition('Shared')).toMatch(/^False ShareFailed/);
    await h.wait();
    expect(h.condition('Shared')).toMatch(/^True/);
  });

  test('[B51] that failed is retried', async () => {
    await created();
    h.sm.fail('share', [refusal(503, 'later')]);
    await h.patch({ spec: { shared: true } });
    expect(h.condition('Shared')).toBe('False ShareFailed later');
    await h.wait();
    expect(h.condition('Shared')).toMatch(/^True/);
  });

  test('[B57] a failed unshare leaves it shared, since the same time', async () => {
    await created({ shared: true });
    const sharedAt = () =>
      h.stored()?.status?.conditions.find(({ type }) => type === 'Shared')?.lastTransitionTime;
    const before = sharedAt();
    h.sm.fail('unshare', [refusal(400, 'in use')]);
    await h.patch({ spec: { shared: false } });
    expect(h.condition('Shared')).toBe('True UnShareFailed in use');
    expect(sharedAt()).toBe(before);
    await h.wait();
    expect(h.condition('Shared')).toMatch(/^False UnShareSucceeded/);
  });
});

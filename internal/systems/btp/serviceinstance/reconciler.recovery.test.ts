import { describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { lostResponse, refusal } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { startInstanceHarness } from './fixtures/instance-harness.fixture.ts';

const h = forEachTest(startInstanceHarness);

describe('an instance that exists in Service Manager already', () => {
  const adopt = async (instance: Partial<Parameters<typeof h.sm.add>[0]>, shared = false) => {
    h.sm.add({ id: 'id-9', ...instance });
    await h.create(shared ? { shared } : {});
    expect(h.sm.count('create')).toBe(0);
    expect(h.stored()?.status?.instanceID).toBe('id-9');
  };

  test('[B40] is adopted, looked up by name and identity', async () => {
    await adopt({ shared: true, lastOperation: { type: 'update', state: 'succeeded' } }, true);
    await h.wait();
    expect(h.condition('Succeeded')).toBe('True Updated ServiceInstance updated successfully');
    expect(h.condition('Shared')).toBe('True ShareSucceeded Instance shared successfully');
    expect(h.sm.count('share')).toBe(0);
    expect(h.stored()?.status?.tags).toEqual(['test']);
    expect(h.sm.calls.find(({ call }) => call === 'find')?.argument).toEqual({
      name: 'orders',
      identity: { clusterID: 'cluster-1', namespace: 'shop', name: 'orders' },
    });
  });

  test.each<{ reason: string; prepare: () => void; tags?: string[]; logged?: string }>([
    { reason: 'with those of its offering', prepare: () => undefined, tags: ['test'] },
    {
      reason: 'without any if its plan is unknown',
      prepare: () => h.sm.add({ id: 'id-9', servicePlanID: 'plan-9' }),
    },
    {
      reason: 'without any if they cannot be read',
      prepare: () => h.sm.fail('planByID', [refusal(500, 'out of order')]),
      logged: 'out of order',
    },
  ])('is adopted, as to its tags, $reason', async ({ prepare, tags, logged }) => {
    h.sm.add({ id: 'id-9' });
    prepare();
    await h.create();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.stored()?.status?.tags).toEqual(tags);
    expect(h.logLines.filter((line) => line.startsWith('cannot read the tags'))).toEqual(
      logged === undefined ? [] : [expect.stringContaining(logged)],
    );
  });

  test('keeps the tags that it had if they cannot be read', async () => {
    await h.create();
    await h.stop();
    await h.patchStatus({ instanceID: null });
    h.sm.fail('planByID', [refusal(500, 'out of order')]);
    await h.restart();
    expect(h.sm.count('planByID')).toBe(1);
    expect(h.stored()?.status).toMatchObject({ instanceID: 'id-1', tags: ['test'] });
  });

  test('[B42] whose create failed shows that; nothing is deleted or created', async () => {
    await adopt({
      ready: false,
      lastOperation: { type: 'create', state: 'failed', description: 'no quota' },
    });
    await h.wait(60_000);
    expect(h.condition('Succeeded')).toBe('False CreateFailed ServiceInstance create failed: no quota');
    expect([h.sm.count('create'), h.sm.count('delete')]).toEqual([0, 0]);
    expect(h.sm.count('get')).toBe(1);
    expect(h.stored()?.status?.observedGeneration).toBe(1);
  });

  test('[B43] without an operation is ready if Service Manager says so', async () => {
    await adopt({});
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.condition('Shared')).toBeUndefined();
    expect(h.sm.count('unshare')).toBe(0);
  });

  test('after a refused create counts as having the current spec', async () => {
    h.sm.fail('create', [refusal(400, 'no quota')], 'forever');
    await h.create({ parameters: { size: 1 } });
    h.sm.add({ id: 'id-9' });
    await h.patch({ spec: { parameters: { size: 2 } } });
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.stored()?.status).toMatchObject({ instanceID: 'id-9', observedGeneration: 2 });
    expect(h.sm.count('update')).toBe(0);
  });

  test('[B44] without an operation has failed if Service Manager says that it is not ready', async () => {
    await adopt({ ready: false });
    await h.wait(60_000);
    expect(h.condition('Succeeded')).toMatch(/^False CreateFailed/);
    expect([h.sm.count('update'), h.sm.count('delete'), h.sm.count('create')]).toEqual([0, 0, 0]);
  });

  test('[B41] whose create is in progress is polled', async () => {
    h.sm.async('create', { polls: 2 });
    h.sm.fail('create', [lostResponse()]);
    await h.create();
    await h.wait(1500);
    expect(h.condition('Succeeded')).toBe('False CreateInProgress ServiceInstance is being created');
    await h.wait(3000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.sm.count('create')).toBe(1);
  });
});

/** Instances and bindings that are found in Service Manager after the response of their create was lost. */
import { describe, expect, test } from '@jest/globals';
import { lostResponse } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { objectOfEachTest, testedKinds } from '../fixtures/tested-kinds.fixture.ts';
import type { Operation } from '../service-manager/index.ts';

describe.each(testedKinds)('a $kind that is found', ({ kind, calls, idField, start }) => {
  const { object, h } = objectOfEachTest(start);

  /** @param last the last operation, as Service Manager has it when it is asked */
  const find = async (last?: Operation) => {
    h.sm.fail(calls.create, [lostResponse()]);
    await h.create();
    for (const resource of object.external.values()) if (last) resource.lastOperation = last;
    await h.wait(1050);
    expect(h.sm.count(calls.find)).toBe(2);
    expect(h.stored()?.status).toMatchObject({ [idField]: [...object.external.keys()][0] });
  };

  test('has its subaccount, and no operation', async () => {
    await find();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.stored()?.status).toMatchObject({ subaccountID: 'subaccount-1', ready: 'True' });
    expect(h.stored()?.status?.operationType).toBeUndefined();
  });

  test('is ready, if only an update failed', async () => {
    await find({ type: 'update', state: 'failed', errorDescription: 'no such plan' });
    expect(h.recorder.lines()).toContain(`Warning UpdateFailed: ${kind} update failed: no such plan`);
    expect(h.stored()?.status?.ready).toBe('True');
  });

  test('is not ready, if its create failed', async () => {
    h.sm.async('create', { polls: 1 });
    await find({ type: 'create', state: 'failed', description: 'no quota' });
    expect(h.condition('Succeeded')).toBe(`False CreateFailed ${kind} create failed: no quota`);
    expect(h.stored()?.status?.ready).toBe('False');
  });

  test('has no operation to poll, if Service Manager does not name it', async () => {
    h.sm.async('create', { polls: 1 });
    await find({ type: 'create', state: 'in progress' });
    expect(h.condition('Succeeded')).toMatch(/^False CreateInProgress/);
    expect(h.stored()?.status?.operationType).toBeUndefined();
    expect(h.sm.count('operation')).toBe(0);
  });
});

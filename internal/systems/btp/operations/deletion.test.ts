/** The deletion of instances and bindings in Service Manager; the tests of their reconcilers have what one of the kinds does. */
import { describe, expect, test } from '@jest/globals';
import { lostResponse, refusal, throttled } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { objectOfEachTest, testedKinds } from '../fixtures/tested-kinds.fixture.ts';
import type { Operation } from '../service-manager/index.ts';

describe.each(testedKinds)('a deleted $kind', ({ kind, calls, idField, failureField, start }) => {
  const { object, h } = objectOfEachTest(start);

  test('[B30] [B109] is deleted in Service Manager first', async () => {
    await object.create();
    await h.delete();
    await h.wait(100);
    object.expectGone();
    expect([h.sm.count(calls.delete), object.external.size]).toEqual([1, 0]);
    // Of the create. A deletion looks nothing up.
    expect(h.sm.count(calls.find)).toBe(1);
    expect(h.recorder.lines().at(-1)).toBe(`Normal Deleted: ${kind} deleted successfully`);
  });

  test('is kept in Service Manager, if the deletion policy Orphan is set while it waits for its call', async () => {
    await object.create();
    let isSet = false;
    const admit = async () => {
      if (isSet) return;
      isSet = true;
      await object.setDeletionPolicy('Orphan');
    };
    h.managers = [{ ...h.sm, client: { ...h.sm.client, admit } }];
    await h.delete();
    await h.wait(100);
    object.expectGone();
    expect([isSet, h.sm.count(calls.delete), object.external.size]).toEqual([true, 0, 1]);
  });

  test('later than a moment after its deletion is read first: it is kept, if the deletion policy is Orphan by then', async () => {
    await object.create();
    h.credentialsError = new Error('no credentials');
    await h.delete();
    let isSet = false;
    h.client.onRequest(async ({ verb, type }) => {
      if (verb !== 'get' || type.kind !== kind || isSet) return;
      isSet = true;
      await object.setDeletionPolicy('Orphan');
    });
    await h.wait(20_000);
    h.credentialsError = undefined;
    await h.wait(60_000);
    object.expectGone();
    expect([isSet, h.sm.count(calls.delete), object.external.size]).toEqual([true, 0, 1]);
  });

  test('leaves its slot in Service Manager before its finalizer goes', async () => {
    await object.create();
    const before = h.client.requests.length;
    let requests: string[] | undefined;
    const release = () => {
      requests = h.client.requests.slice(before).map(({ verb }) => verb);
    };
    h.managers = [{ ...h.sm, client: { ...h.sm.client, release } }];
    await h.delete();
    await h.wait(100);
    object.expectGone();
    expect([requests, h.sm.count(calls.delete)]).toEqual([['delete'], 1]);
  });

  test('is not read before its finalizer goes', async () => {
    await object.create();
    const before = h.client.requests.length;
    await h.delete();
    await h.wait(100);
    object.expectGone();
    const [, ...own] = h.client.requests.slice(before);
    const secret = kind === 'ServiceBinding' ? ['delete Secret'] : [];
    expect(own.map(({ verb, type }) => `${verb} ${type.kind}`)).toEqual([...secret, `update ${kind}`]);
  });

  test('whose finalizer is removed by others is left alone', async () => {
    await object.create();
    await h.stop();
    await h.patch({ metadata: { finalizers: ['example.com/other'] } });
    await h.delete();
    const before = h.sm.calls.length;
    await h.restart();
    await h.patch({ metadata: { annotations: { touched: 'x' } } });
    await h.wait();
    expect(h.stored()?.metadata.finalizers).toEqual(['example.com/other']);
    expect([h.sm.calls.length, object.external.size]).toEqual([before, 1]);
  });

  test('that finalizers of others hold says so, once', async () => {
    await object.create();
    const finalizers = h.stored()?.metadata.finalizers ?? [];
    await h.patch({ metadata: { finalizers: [...finalizers, 'example.com/other'] } });
    await h.delete();
    await h.wait(60_000);
    const text =
      'the deletion waits for other controllers, which must remove the finalizer example.com/other';
    expect(h.condition('Succeeded')).toBe(`False DeleteInProgress ${text}`);
    expect(h.condition('Ready')).toMatch(/^False /);
    expect(object.external.size).toBe(0);
    const waiting = h.recorder.lines().filter((line) => line === `Normal Waiting: ${text}`);
    expect(waiting).toHaveLength(1);
    const { resourceVersion } = h.stored()?.metadata ?? {};
    await h.restart();
    await h.wait(60_000);
    expect(h.stored()?.metadata.resourceVersion).toBe(resourceVersion);
    await h.patch({ metadata: { finalizers: null } });
    object.expectGone();
  });

  test('[B33] [B111] stays while Service Manager refuses, with the text', async () => {
    await object.create();
    h.sm.fail(calls.delete, [refusal(400, 'in use')], 'forever');
    await h.delete();
    await h.wait();
    expect(h.condition('Succeeded')).toBe('False DeleteFailed in use');
    object.expectKept();
    h.sm.heal(calls.delete);
    await h.wait(60_000);
    object.expectGone();
  });

  test('[B112] throttled, is a deletion in progress', async () => {
    await object.create();
    h.sm.fail(calls.delete, [throttled()]);
    await h.delete();
    expect(h.condition('Succeeded')).toBe(`False DeleteInProgress ${kind} is being deleted`);
    await h.wait(2000);
    object.expectGone();
  });

  test('[B16] whose create is in progress is deleted as soon as Service Manager accepts it', async () => {
    h.sm.async('create', { polls: 100 });
    await h.create();
    await h.delete();
    expect(h.condition('Succeeded')).toMatch(/^False DeleteInProgress/);
    for (const resource of object.external.values()) resource.lastOperation = undefined;
    await h.wait(3000);
    object.expectGone();
    expect(object.external.size).toBe(0);
  });

  test('[B34] [B114] is polled, if the deletion is asynchronous', async () => {
    await object.create();
    h.sm.async('delete', { polls: 1 });
    await h.delete();
    expect(h.condition('Succeeded')).toBe(`False DeleteInProgress ${kind} is being deleted`);
    object.expectKept();
    await h.wait(3000);
    object.expectGone();
    expect(h.sm.count(calls.delete)).toBe(1);
  });

  test('[B35] [B115] shows why an asynchronous deletion failed, and is deleted again', async () => {
    await object.create();
    h.sm.async('delete', { polls: 0, state: 'failed', [failureField]: 'in use' });
    await h.delete();
    await h.wait(1050);
    expect(h.condition('Succeeded')).toBe(`False DeleteFailed ${kind} deletion failed: in use`);
    object.expectKept();
    h.sm.sync('delete');
    await h.wait(3000);
    object.expectGone();
    expect(h.sm.count('operation')).toBe(1);
  });

  test('[B36] [B116] shows an error of the poll, and goes on', async () => {
    await object.create();
    h.sm.async('delete', { polls: 0 });
    h.sm.fail('operation', [refusal(500, 'out of order')]);
    await h.delete();
    await h.wait(1050);
    expect(h.condition('Succeeded')).toBe('False DeleteFailed out of order');
    await h.wait(3000);
    object.expectGone();
  });

  test('is deleted again, if the operation of its deletion is lost', async () => {
    await object.create();
    h.sm.async('delete', { polls: 5 });
    h.sm.fail('operation', [refusal(410, 'gone', 'gone')]);
    await h.delete();
    for (const resource of object.external.values()) resource.lastOperation = undefined;
    h.sm.sync('delete');
    await h.wait(3000);
    object.expectGone();
    expect([h.sm.count(calls.delete), object.external.size]).toEqual([2, 0]);
  });

  test('is gone, if Service Manager does not know the operation of its deletion any more', async () => {
    await object.create();
    h.sm.async('delete', { polls: 5 });
    await h.delete();
    await h.stop();
    object.external.clear();
    await h.patchStatus({ operationURL: `${h.stored()?.status?.operationURL}-of-yesterday` });
    await h.restart();
    await h.wait(1100);
    object.expectGone();
    expect(h.sm.count(calls.delete)).toBe(1);
  });

  test('is gone, if the poll of its deletion fails with 500 and Service Manager does not have it any more', async () => {
    await object.create();
    h.sm.async('delete', { polls: 0 });
    h.sm.fail('operation', [refusal(500, 'out of order')], 'forever');
    await h.delete();
    object.external.clear();
    await h.wait(1100);
    object.expectGone();
  });

  test.each([
    { title: 'fails', error: () => refusal(503, 'out of order') },
    { title: 'is throttled', error: throttled },
  ])('whose create may still take effect is awaited, also after a look-up that $title', async ({ error }) => {
    h.sm.fail(calls.create, [lostResponse()]);
    await h.wait(60_000);
    await h.create();
    const takeEffect = object.hide();
    h.sm.fail(calls.find, [error()]);
    await h.wait(1010);
    expect(h.sm.count(calls.find)).toBe(2);
    await h.delete();
    await h.wait(2000);
    expect(h.condition('Succeeded')).toMatch(/^False DeleteInProgress/);
    takeEffect();
    await h.wait(3000);
    object.expectGone();
    expect(object.external.size).toBe(0);
  });

  test('whose look-up failed before anything was sent goes at once', async () => {
    h.sm.fail(calls.find, [refusal(503, 'out of order')]);
    await h.create();
    expect(h.stored()?.status?.operationType).toBeUndefined();
    h.sm.fail(calls.create, [refusal(400, 'no quota')], 'forever');
    await h.delete();
    await h.wait(100);
    object.expectGone();
  });

  /** Deletes the object while no controller runs, then starts one. */
  async function deleteWhileStopped(prepare: () => void) {
    await object.create();
    await h.stop();
    prepare();
    await h.patchStatus({ [idField]: null });
    await h.delete();
    await h.restart();
    await h.wait(100);
    object.expectGone();
  }

  test.each<{ last?: Operation }>([
    {},
    { last: { type: 'create', state: 'succeeded' } },
    { last: { type: 'create', state: 'failed' } },
  ])('[B32] [B110] without an ID in the status, is found in Service Manager: $last', async ({ last }) => {
    await deleteWhileStopped(() => {
      for (const resource of object.external.values()) if (last) resource.lastOperation = last;
    });
    expect([h.sm.count(calls.delete), object.external.size]).toEqual([1, 0]);
    expect(h.recorder.lines()).toContain('Normal DeleteInProgress: delete after recovery');
  });

  test('without an ID in the status goes with all that have its identity', async () => {
    await deleteWhileStopped(() => {
      for (const resource of [...object.external.values()])
        object.external.set('twin', { ...resource, id: 'twin' });
    });
    expect([h.sm.count(calls.delete), object.external.size]).toEqual([2, 0]);
  });

  test('[B37] without an ID in the status, and unknown to Service Manager, goes without a deletion', async () => {
    await deleteWhileStopped(() => object.external.clear());
    expect(h.sm.count(calls.delete)).toBe(0);
  });
});

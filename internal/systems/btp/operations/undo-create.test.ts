/** Creates of objects that are gone when the result is recorded. */
import { describe, expect, test } from '@jest/globals';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { type KubeObject, keyOf, type ResourceType } from '../../../framework/kube/index.ts';
import { lostResponse, refusal } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { objectOfEachTest, testedKinds } from '../fixtures/tested-kinds.fixture.ts';

describe.each(testedKinds)('a $kind that is gone before its create is recorded', ({ kind, calls, start }) => {
  const { object, h } = objectOfEachTest(start);

  /** As the API server does when it began the deletion before it stored the finalizer. */
  const removeBeforeResult = (
    then: (type: ResourceType, removed: KubeObject) => Promise<void> = async () => undefined,
  ) => {
    const stop = h.client.onRequest(async ({ verb, subresource, type }) => {
      const removed = h.stored();
      if (verb !== 'update' || subresource !== 'status' || object.external.size === 0 || !removed) return;
      stop();
      await h.client.mergePatch(type, keyOf(removed), { metadata: { finalizers: null } });
      await h.client.delete(type, keyOf(removed));
      await then(type, removed);
    });
  };
  const create = async () => {
    await h.create();
    await h.wait();
    expect(h.sm.count(calls.create)).toBe(1);
  };

  test('is deleted in Service Manager, and the log has its ID', async () => {
    removeBeforeResult();
    await create();
    expect(h.stored()).toBeUndefined();
    expect([h.sm.count(calls.delete), object.external.size]).toEqual([1, 0]);
    expect(h.logLines.join('\n')).toMatch(
      new RegExp(
        `deleted what was created for an object that is gone \\{"kind":"${kind}","id":"(id|b)-1"\\}`,
      ),
    );
  });

  test('is looked up and deleted, if the response of the create was lost', async () => {
    h.sm.fail(calls.create, [lostResponse()]);
    removeBeforeResult();
    await create();
    expect([h.sm.count(calls.delete), object.external.size]).toEqual([1, 0]);
  });

  test('is deleted by the fifth attempt, if the others fail', async () => {
    const error = refusal(500, 'out of order');
    h.sm.fail(calls.delete, [error, error, error, error]);
    removeBeforeResult();
    await create();
    expect([h.sm.count(calls.delete), object.external.size]).toEqual([5, 0]);
  });

  test('is named in the log, if no attempt deletes it', async () => {
    h.sm.fail(calls.delete, [refusal(500, 'out of order')], 'forever');
    removeBeforeResult();
    await create();
    await h.wait(60_000);
    expect([h.sm.count(calls.delete), object.external.size]).toEqual([5, 1]);
    expect(h.logLines.join('\n')).toMatch(
      new RegExp(
        `an external resource may be left without its object \\{"kind":"${kind}","id":"(id|b)-1","error":".*out of order"\\}`,
      ),
    );
  });

  test('is left for a new object of its name', async () => {
    removeBeforeResult(async (type, removed) => {
      await h.client.create(type, { ...removed, metadata: keyOf(removed) });
    });
    await create();
    expect([h.sm.count(calls.delete), object.external.size]).toEqual([0, 1]);
  });

  test('stays, if only the API server cannot be asked', async () => {
    const stop = h.client.onRequest(({ verb, subresource, type }) => {
      if (object.external.size === 0 || type.kind !== kind) return;
      if (verb === 'get') stop();
      if (verb === 'get' || subresource === 'status') throw apiError(500, 'InternalError');
    });
    await create();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect([h.sm.count(calls.delete), object.external.size]).toEqual([0, 1]);
  });
});

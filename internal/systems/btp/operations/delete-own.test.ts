/** What counts as a proof that Service Manager does not have a resource any more, for both kinds. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  createFakeServiceManager,
  type FakeServiceManager,
} from '../fixtures/fake-service-manager/fake-service-manager.fixture.ts';
import { refusal } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { objectOfEachTest, testedKinds } from '../fixtures/tested-kinds.fixture.ts';

const unclear = (status: number) => refusal(status, 'no route', 'unclear');
const orphan = 'services.cloud.sap.com/deletionPolicy=Orphan';

describe.each(testedKinds)('a deleted $kind', ({ kind, noun, calls, start }) => {
  const { object, h } = objectOfEachTest(start);
  beforeEach(async () => {
    await object.create();
  });

  test.each([
    { error: refusal(404, 'no such operation', 'not-found') },
    { error: refusal(410, 'gone', 'gone') },
    { error: unclear(404) },
    { error: unclear(410) },
  ])(
    '[B145] stays while its resource exists, whatever its operation answers: $error.class',
    async ({ error }) => {
      h.sm.async('delete', { polls: 2 });
      h.sm.fail('operation', [error]);
      await h.delete();
      await h.wait(1100);
      object.expectKept();
      expect(object.external.size).toBe(1);
      for (const resource of object.external.values()) resource.lastOperation = undefined;
      h.sm.sync('delete');
      await h.wait(20_000);
      object.expectGone();
      expect(object.external.size).toBe(0);
    },
  );

  test('stays while a gateway answers, and says so', async () => {
    h.sm.fail(calls.delete, [unclear(404)], 'forever');
    await h.delete();
    await h.wait(20_000);
    object.expectKept();
    expect(h.condition('Succeeded')).toBe('False DeleteFailed no route');
    h.sm.heal(calls.delete);
    await h.wait(60_000);
    object.expectGone();
    expect(object.external.size).toBe(0);
  });

  test.each([
    { unclearCalls: [calls.delete], by: 'GET' },
    { unclearCalls: [calls.delete, calls.get], by: 'a list' },
  ])('is gone, if $by agrees with the answer of a gateway', async ({ unclearCalls }) => {
    object.external.clear();
    for (const call of unclearCalls) h.sm.fail(call, [unclear(410)], 'forever');
    await h.delete();
    await h.wait(100);
    object.expectGone();
  });

  test('stays, if Service Manager refuses its deletion, whatever another call would say', async () => {
    object.external.clear();
    h.sm.fail(calls.delete, [refusal(500, 'out of order')], 'forever');
    await h.delete();
    await h.wait(20_000);
    object.expectKept();
    expect(h.condition('Succeeded')).toBe('False DeleteFailed out of order');
  });

  test('is read once before it is listed, if its operation is lost', async () => {
    h.sm.async('delete', { polls: 2 });
    h.sm.fail('operation', [refusal(404, 'no such operation', 'not-found')]);
    await h.delete();
    object.external.clear();
    const before = h.sm.count(calls.get);
    h.sm.fail(calls.get, [unclear(404)], 'forever');
    await h.wait(1100);
    object.expectGone();
    expect(h.sm.count(calls.get) - before).toBe(1);
  });

  test('stays, if a list has it, and if no call is clear', async () => {
    for (const call of [calls.delete, calls.get]) h.sm.fail(call, [unclear(404)], 'forever');
    await h.delete();
    object.expectKept();
    object.external.clear();
    h.sm.fail('listed', [unclear(404)], 'forever');
    await h.wait(20_000);
    object.expectKept();
    h.sm.heal('listed');
    await h.wait(60_000);
    object.expectGone();
  });

  describe('whose namespace is mapped to another subaccount', () => {
    let other: FakeServiceManager;
    beforeEach(() => {
      other = createFakeServiceManager('viewer-of-other');
      other.add({ id: 'other', subaccountID: 'subaccount-2' });
      h.managers = [other, h.sm];
    });
    const forget = () => h.patchStatus({ viewer: null });

    test('is deleted with the credentials that made it', async () => {
      await h.delete();
      await h.wait(100);
      object.expectGone();
      expect(object.external.size).toBe(0);
      // What is recorded needs no request.
      expect(other.calls).toEqual([]);
    });

    test('is deleted with the credentials that see it, if it is not recorded which made it', async () => {
      await forget();
      await h.restart();
      await h.delete();
      await h.wait(100);
      object.expectGone();
      expect([object.external.size, other.count(calls.delete)]).toEqual([0, 0]);
    });

    test('is deleted with the credentials that see it, if these have another client now', async () => {
      await h.patchStatus({ viewer: 'before-the-rotation' });
      await h.restart();
      await h.delete();
      await h.wait(100);
      object.expectGone();
      expect(object.external.size).toBe(0);
    });

    test.each(['with', 'without'])(
      'stays %s a record while these are missing, and says so',
      async (record) => {
        if (record === 'without') {
          await forget();
          await h.restart();
        }
        h.managers = [other];
        await h.delete();
        await h.wait(20_000);
        object.expectKept();
        expect(h.condition('Succeeded')).toBe(
          `False DeleteFailed the ${noun} ${[...object.external.keys()][0]} is not visible to the present credentials of Service Manager, and they are not known to be those of subaccount subaccount-1, in which it was created. Restore the credentials of subaccount subaccount-1, or annotate the ${kind} with ${orphan} to leave the ${noun} in Service Manager`,
        );
        expect(h.recorder.lines().at(-1)).toMatch(/^Warning DeleteFailed: .* is not visible to the present/);
        h.managers = [other, h.sm];
        await h.wait(60_000);
        object.expectGone();
        expect(object.external.size).toBe(0);
      },
    );

    test.each([
      ['see another subaccount', () => other],
      ['see nothing', () => createFakeServiceManager('viewer-of-nothing')],
    ])('stays while only the client that made it is recorded, and the credentials %s', async (_, present) => {
      await h.patchStatus({ viewer: 'viewer-of-the-maker', subaccountID: null });
      await h.restart();
      h.managers = [present()];
      await h.delete();
      await h.wait(20_000);
      object.expectKept();
      expect(h.condition('Succeeded')).toContain('they are not known to be those with which it was created');
      h.managers = [other, h.sm];
      await h.wait(60_000);
      object.expectGone();
      expect(object.external.size).toBe(0);
    });

    test('is not shown as missing while it is not deleted', async () => {
      await h.restart();
      await h.patch({ metadata: { annotations: { touched: 'x' } } });
      expect(h.condition('Ready')).toMatch(/^True/);
      h.managers = [other];
      await h.patch({ metadata: { annotations: { touched: 'y' } } });
      await h.wait();
      expect(h.condition('Ready')).toMatch(/^True/);
      expect(h.condition('Succeeded')).toMatch(/ is not visible to the present credentials/);
    });
  });

  describe('whose resource was deleted in Service Manager before a restart', () => {
    beforeEach(async () => {
      await h.stop();
      object.external.clear();
      h.sm.instances.clear();
    });
    const deleteIt = async () => {
      await h.restart();
      await h.delete();
      await h.wait(20_000);
    };

    test('is gone for the credentials that made it', async () => {
      await deleteIt();
      object.expectGone();
    });

    test('is gone for credentials whose client is not recorded, if they are of its subaccount', async () => {
      h.sm.add({ id: 'another' });
      await h.patchStatus({ viewer: null });
      await deleteIt();
      object.expectGone();
    });

    test('stays, if nothing shows of which subaccount the credentials are', async () => {
      await h.patchStatus({ viewer: 'other' });
      await deleteIt();
      object.expectKept();
      await object.setDeletionPolicy('Orphan');
      await h.wait();
      object.expectGone();
    });

    test('is gone, if nothing is recorded and no credentials see it', async () => {
      await h.patchStatus({ viewer: null, subaccountID: null });
      h.managers = [h.sm, createFakeServiceManager('other')];
      await deleteIt();
      object.expectGone();
    });
  });
});

/** What users can do about a deletion that Service Manager cannot be asked for: new credentials, or the policy Orphan. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ProviderError } from '../../../framework/base/errors/errors.ts';
import { MissingCredentialsError } from '../credentials/errors.ts';
import { objectOfEachTest, testedKinds } from '../fixtures/tested-kinds.fixture.ts';

describe.each(testedKinds)('a deleted $kind', ({ kind, noun, calls, idField, start }) => {
  const { object, h } = objectOfEachTest(start);
  beforeEach(async () => {
    await object.create();
  });

  const orphanHint = `annotate the ${kind} with services.cloud.sap.com/deletionPolicy=Orphan to leave the ${noun} in Service Manager`;

  describe('without credentials', () => {
    test('stays, and says why', async () => {
      h.credentialsError = new Error('secrets "sap-btp-service-operator" not found');
      await h.delete();
      expect(h.condition('Succeeded')).toBe(
        `False Failed cannot delete the ${noun} in Service Manager without credentials: secrets "sap-btp-service-operator" not found`,
      );
      object.expectKept();
      h.credentialsError = undefined;
      await h.wait();
      object.expectGone();
      expect(object.external.size).toBe(0);
    });

    test(`names the Secret to create, and how to give the ${noun} up`, async () => {
      const proposed = { namespace: 'btp', name: 'shop-sap-btp-service-operator' };
      h.credentialsError = new MissingCredentialsError('cannot find credentials', proposed);
      await h.delete();
      expect(h.condition('Succeeded')).toBe(
        `False Failed cannot delete the ${noun} in Service Manager without credentials: cannot find credentials. Create the Secret btp/shop-sap-btp-service-operator with credentials of subaccount subaccount-1, or ${orphanHint}`,
      );
      expect(h.recorder.lines().at(-1)).toMatch(/^Warning Failed: cannot delete .* Create the Secret btp/);
    });

    test('names no subaccount before it is known', async () => {
      await h.patchStatus({ subaccountID: null });
      h.credentialsError = new MissingCredentialsError('none', { namespace: 'btp', name: 'x' });
      await h.delete();
      expect(h.condition('Succeeded')).toContain(
        'Create the Secret btp/x with credentials of its subaccount, or',
      );
    });

    test('names the field to correct, if no Secret can have its name', async () => {
      h.credentialsError = new MissingCredentialsError('none', { namespace: 'btp', name: 'Not a name' });
      await h.delete();
      expect(h.condition('Succeeded')).toContain(
        `none. Correct spec.btpAccessCredentialsSecret, or ${orphanHint}`,
      );
    });

    test('goes as soon as it has the deletion policy Orphan', async () => {
      h.credentialsError = new Error('no credentials');
      await h.delete();
      await h.wait(600_000);
      object.expectKept();
      await object.setDeletionPolicy('Orphan');
      await h.wait(100);
      object.expectGone();
      expect(object.external.size).toBe(1);
    });
  });

  test(`whose credentials are refused says how to give the ${noun} up`, async () => {
    h.sm.fail(calls.delete, [new ProviderError('auth', 'cannot get a token: 401')], 'forever');
    await h.delete();
    expect(h.condition('Succeeded')).toBe(
      `False DeleteFailed cannot get a token: 401. Correct the credentials, or ${orphanHint}`,
    );
  });

  test.each(['Orphan', 'orphan', ' Orphan '])(
    'with the deletion policy %s is left in Service Manager',
    async (policy) => {
      await object.setDeletionPolicy(policy);
      object.expectKept();
      const calls = h.sm.calls.length;
      await h.delete();
      await h.wait();
      object.expectGone();
      expect([h.sm.calls.length, object.external.size]).toEqual([calls, 1]);
      const [id] = object.external.keys();
      expect(h.recorder.lines().at(-1)).toBe(
        `Warning Orphaned: ${kind} removed by its deletion policy; the ${noun} ${id} stays in Service Manager`,
      );
    },
  );

  test('with the deletion policy Orphan, and without an ID, is left without one in the text', async () => {
    await h.stop();
    await h.patchStatus({ [idField]: null });
    await object.setDeletionPolicy('Orphan');
    await h.delete();
    await h.restart();
    expect(h.recorder.lines().at(-1)).toBe(
      `Warning Orphaned: ${kind} removed by its deletion policy; the ${noun} stays in Service Manager`,
    );
  });

  test('with another deletion policy is deleted', async () => {
    await object.setDeletionPolicy('Delete');
    await h.delete();
    await h.wait(100);
    object.expectGone();
    expect(object.external.size).toBe(0);
  });
});

test.each(testedKinds)(
  'a $kind that is not deleted gets no advice about its deletion',
  async ({ calls, start }) => {
    const { h } = await start();
    h.sm.fail(calls.create, [new ProviderError('auth', 'cannot get a token: 401')], 'forever');
    await h.create();
    expect(h.condition('Succeeded')).toBe('False CreateFailed cannot get a token: 401');
    await h.stop();
  },
);

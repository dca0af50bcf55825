/** What conditions, events and the log say about calls to Service Manager that fail. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { NotLeaderError } from '../../../framework/base/concurrency/fence.ts';
import { NotAdmittedError } from '../../../framework/base/concurrency/limit-key.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { secrets } from '../../../framework/kube/index.ts';
import { InvalidCredentialsError } from '../credentials/errors.ts';
import { refusal, throttled } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { objectOfEachTest, testedKinds } from '../fixtures/tested-kinds.fixture.ts';

describe.each(testedKinds)('a $kind', ({ calls, failureField, start }) => {
  const { object, h } = objectOfEachTest(start);

  test('whose name is taken says which field to set', async () => {
    h.sm.fail(calls.create, [refusal(409, 'found conflicting object: taken', 'conflict')], 'forever');
    await h.create({ externalName: 'taken' });
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(
      /^False CreateFailed found conflicting object: taken\. Set spec\.externalName to another name: the subaccount has another (instance|binding) "taken"$/,
    );
  });

  test.each([
    {
      place: 'its namespace',
      namespace: 'shop',
      text: 'invalid Service-Manager credentials: Secret shop/access has no key sm_url',
    },
    {
      place: 'another namespace',
      namespace: 'btp',
      text: 'invalid Service-Manager credentials, contact your cluster administrator',
    },
  ])('whose credentials in $place are incomplete shows: $text', async ({ namespace, text }) => {
    const details = `Secret ${namespace}/access has no key sm_url`;
    h.credentialsError = new InvalidCredentialsError(details, { secret: { namespace, name: 'access' } });
    await h.create();
    await h.wait();
    expect(h.condition('Succeeded')).toBe(`False Failed ${text}`);
  });

  describe('with a Secret that Service Manager quotes', () => {
    const parametersFrom = [{ secretKeyRef: { name: 'db', key: 'parameters' } }];
    const quote = 'the password hunter2 is too short';
    const redacted = 'the password [redacted] is too short';
    beforeEach(() => h.putSecret('db', { password: 'hunter2' }));
    const expectNoQuote = () =>
      expect([...h.recorder.lines(), ...h.logLines, JSON.stringify(h.stored())].join()).not.toContain(
        'hunter2',
      );

    test('shows it neither in conditions and events nor in the log', async () => {
      h.sm.fail(calls.create, [refusal(400, quote)], 'forever');
      await h.create({ parametersFrom });
      await h.wait();
      expect(h.condition('Succeeded')).toBe(`False CreateFailed ${redacted}`);
      expect(h.logLines.join()).toContain(redacted);
      expectNoQuote();
    });

    test('keeps ordinary words of the text that are values of the Secret', async () => {
      await h.putSecret('db', { enabled: 'true', region: 'eu10', kind: 'instance' });
      const text = 'the instance cannot be created in eu10';
      h.sm.fail(calls.create, [refusal(400, `${text}: region=eu10`)], 'forever');
      await h.create({ parametersFrom });
      await h.wait();
      expect(h.condition('Succeeded')).toBe(`False CreateFailed ${text}: region=[redacted]`);
    });

    test('shows it neither while an operation is in progress nor when it failed', async () => {
      h.sm.async('create', { polls: 1, description: quote, state: 'failed', [failureField]: quote });
      await h.create({ parametersFrom });
      await h.wait(1050);
      expect(h.condition('Succeeded')).toBe(`False CreateInProgress ${redacted}`);
      expectNoQuote();
      await h.wait(1000);
      expect(h.condition('Succeeded')).toContain(`create failed: ${redacted}`);
      expectNoQuote();
    });

    test('that is gone shows the text as it is', async () => {
      h.sm.async('create', { polls: 1, description: 'preparing' });
      await h.create({ parametersFrom });
      await h.client.delete(secrets, { namespace: 'shop', name: 'db' });
      await h.wait(1050);
      expect(h.condition('Succeeded')).toBe('False CreateInProgress preparing');
    });
  });

  test.each([
    { title: 'another process may write', error: () => new NotLeaderError('this replica does not lead') },
    { title: 'no slot is free', error: () => new NotAdmittedError([]) },
    { title: 'the object was changed', error: () => apiError(409, 'Conflict') },
  ])('shows no failure if $title, and is created afterwards', async ({ error }) => {
    h.sm.fail(calls.create, [error()]);
    await h.create();
    await h.wait(10_000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.recorder.lines().filter((line) => line.startsWith('Warning'))).toEqual([]);
  });

  test('that is throttled for long is not tried before', async () => {
    h.sm.fail(calls.create, [throttled(30_000)]);
    await h.create();
    await h.wait(29_000);
    expect(h.sm.count(calls.create)).toBe(1);
    await h.wait(2000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test.each(['create', 'delete'] as const)(
    'whose %s failed says why, though a repetition is throttled',
    async (call) => {
      if (call === 'delete') await object.create();
      h.sm.fail(calls[call], [refusal(400, 'no quota'), throttled(30_000), throttled(30_000)]);
      await (call === 'create' ? h.create() : h.delete());
      const shown = `False ${call === 'create' ? 'CreateFailed' : 'DeleteFailed'} no quota`;
      await h.wait(100);
      expect(h.condition('Succeeded')).toBe(shown);
      await h.wait(40_000);
      expect(h.sm.count(calls[call])).toBe(3);
      expect(h.condition('Succeeded')).toBe(shown);
      await h.wait(40_000);
      if (call === 'delete') object.expectGone();
      else expect(h.condition('Succeeded')).toMatch(/^True Created/);
    },
  );

  test('whose credentials are throttled is an operation in progress, and no failure', async () => {
    h.credentialsError = throttled(30_000);
    await h.create();
    h.credentialsError = undefined;
    expect(h.condition('Succeeded')).toBe('False InProgress Operation in progress');
    expect(h.logLines.filter((line) => line.startsWith('reconcile failed'))).toEqual([]);
    await h.wait(29_000);
    expect(h.sm.count(calls.find)).toBe(0);
    await h.wait(2000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test('shows the message of an error without a text for users', async () => {
    h.sm.fail(calls.create, [refusal(503, '')]);
    await h.create();
    expect(h.condition('Succeeded')).toBe('False CreateFailed route answered 503:');
  });

  test('closes its connection to Service Manager, also after a failure', async () => {
    let closed = 0;
    h.sm.client.close = async () => {
      closed++;
    };
    h.sm.fail(calls.find, [refusal(503, 'out of order')]);
    await h.create();
    expect([h.sm.count(calls.find), closed]).toEqual([1, 1]);
    await h.wait();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(closed).toBe(2);
  });
});

import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { apiError, createMemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import { isConflict, keyOf } from '../../../framework/kube/index.ts';
import { createFakeRecorder, createWorkingCopy } from '../../../framework/managed/fakes/index.ts';
import { sampleInstance } from '../serviceinstance/fixtures/serviceinstance.fixture.ts';
import { setShared } from '../serviceinstance/instance-run.ts';
import { serviceInstances as type } from '../serviceinstance/resource.ts';
import { writeConditions } from './conditions.ts';
import type { Reason } from './messages.ts';
import { createStatusStore } from './status-store.ts';

const { signal } = new AbortController();

function setup() {
  const client = createMemoryClient({ clock: createFakeClock() });
  const recorder = createFakeRecorder();
  const copy = createWorkingCopy({ client, type, object: client.seed(type, sampleInstance()) });
  const { object } = copy;
  const key = keyOf(object);
  const status = createStatusStore(copy, { recorder, signal });
  return {
    client,
    object,
    status,
    conditions: writeConditions(object, 0),
    show: (isShared: boolean, reason: Reason, message = 'text') =>
      setShared(object, { isShared, reason, message }, 0),
    stored: () => client.peek(type, key)?.status,
    edit: () => client.mergePatch(type, key, { metadata: { labels: { edited: 'yes' } } }),
    /** Stores the status, and returns the events of it. */
    events: async (store: () => Promise<void> = status.store) => {
      const before = recorder.events.length;
      await store();
      return recorder.lines().slice(before);
    },
  };
}

describe('events', () => {
  test('each new reason is one; the derived condition Ready is none', async () => {
    const { conditions, events } = setup();
    conditions.inProgress('create');
    expect(await events()).toEqual(['Normal CreateInProgress: ServiceInstance is being created']);
    expect(await events()).toEqual([]);
    conditions.succeeded('create');
    expect(await events()).toEqual(['Normal Created: ServiceInstance provisioned successfully']);
  });

  test('the first text of a create, and texts of its progress, are none', async () => {
    const { conditions, events } = setup();
    conditions.inProgress('create', 'Pending');
    expect(await events()).toEqual([]);
    conditions.inProgress('create', 'preparing the database');
    expect(await events()).toEqual([]);
  });

  test('another cause of the same failure is one, the same cause is none', async () => {
    const { conditions, events } = setup();
    conditions.requestFailed('create', 'no quota');
    expect(await events()).toEqual(['Warning CreateFailed: no quota']);
    conditions.requestFailed('create', 'no quota');
    expect(await events()).toEqual([]);
    conditions.requestFailed('create', 'no plan');
    expect(await events()).toEqual(['Warning CreateFailed: no plan']);
  });

  test('a failure without a text has its reason', async () => {
    const { conditions, events } = setup();
    conditions.requestFailed('create', '');
    expect(await events()).toEqual(['Warning CreateFailed: CreateFailed']);
  });

  test('a resource that is gone is one, once', async () => {
    const { conditions, events } = setup();
    conditions.notFound('id-1');
    expect(await events()).toEqual([expect.stringMatching(/^Warning NotFound: instance id-1 not found/)]);
    conditions.notFound('id-1');
    expect(await events()).toEqual([]);
  });

  test('a blocked object, and a refused share, are warnings', async () => {
    const { conditions, show, events } = setup();
    conditions.blocked('the instance is not ready');
    expect(await events()).toEqual(['Warning Blocked: the instance is not ready']);
    show(false, 'ShareNotSupported', 'not shareable');
    expect(await events()).toEqual(['Warning ShareNotSupported: not shareable']);
    show(true, 'ShareSucceeded', 'shared');
    expect(await events()).toEqual(['Normal ShareSucceeded: shared']);
  });

  test('the same reason with another status is one', async () => {
    const { show, events } = setup();
    show(true, 'ShareSucceeded');
    await events();
    show(false, 'ShareSucceeded');
    expect(await events()).toEqual(['Normal ShareSucceeded: text']);
  });

  test.each(['store', 'storeResult'] as const)(
    'a status that %s could not store has none, and is one when it is stored',
    async (store) => {
      const { client, conditions, status, events } = setup();
      conditions.succeeded('create');
      const heal = client.onRequest(() => {
        throw apiError(500, 'InternalError');
      });
      await expect(status[store]()).rejects.toThrow('InternalError');
      heal();
      conditions.requestFailed('create', 'cannot update status');
      expect(await events(status[store])).toEqual(['Warning CreateFailed: cannot update status']);
    },
  );
});

describe('an announced event', () => {
  test('replaces those of successes, once', async () => {
    const { conditions, show, status, events } = setup();
    status.announce('SecretCreated');
    conditions.succeeded('create');
    show(true, 'ShareSucceeded');
    expect(await events()).toEqual(['Normal SecretCreated: ServiceInstance provisioned successfully']);
    conditions.succeeded('update');
    expect(await events()).toEqual(['Normal Updated: ServiceInstance updated successfully']);
  });

  test('does not hide a failure', async () => {
    const { conditions, status, events } = setup();
    status.announce('SecretCreated');
    conditions.requestFailed('update', 'no such field');
    expect(await events()).toEqual([
      'Warning UpdateFailed: no such field',
      'Normal SecretCreated: SecretCreated',
    ]);
  });

  test('is recorded also if the object has no conditions', async () => {
    const { status, events } = setup();
    status.announce('SecretCreated');
    expect(await events()).toEqual(['Normal SecretCreated: SecretCreated']);
  });
});

describe('the observed generation in the status', () => {
  test('is that of the last operation', async () => {
    const { conditions, object, status, stored } = setup();
    conditions.inProgress('update');
    object.metadata.generation = 4;
    conditions.succeeded('update', { polled: true });
    await status.store();
    expect(stored()?.observedGeneration).toBe(3);
  });

  test.each(['outdated', 'notFound'] as const)('is removed if none is observed: %s', async (how) => {
    const { conditions, status, stored } = setup();
    conditions.succeeded('create');
    await status.store();
    expect(stored()?.observedGeneration).toBe(3);
    if (how === 'outdated') conditions.succeeded('update', { outdated: true });
    else conditions.notFound('id-1');
    await status.store();
    expect(stored()).not.toHaveProperty('observedGeneration');
  });
});

describe('an object that was changed since it was read', () => {
  test('refuses a status, so that the reconcile is repeated with the new spec', async () => {
    const { conditions, status, edit, stored } = setup();
    await edit();
    conditions.inProgress('create');
    expect(isConflict(await status.store().catch((error: unknown) => error))).toBe(true);
    expect(stored()).toBeUndefined();
  });

  test('takes the result of an external write', async () => {
    const { conditions, status, edit, stored, events } = setup();
    await edit();
    conditions.succeeded('create');
    expect(await events(status.storeResult)).toEqual([
      'Normal Created: ServiceInstance provisioned successfully',
    ]);
    expect(stored()).toMatchObject({ ready: 'True', observedGeneration: 3 });
  });
});

describe('a status that does not fit beside a large spec', () => {
  const tags = ['x'.repeat(10_000)];
  test.each([
    { refusal: 'of etcd', error: apiError(500, '', 'etcdserver: request is too large') },
    {
      refusal: 'of the client of etcd',
      error: apiError(500, '', 'trying to send message larger than max (3 vs. 2)'),
    },
    { refusal: 'of the API server', error: apiError(413, 'RequestEntityTooLarge') },
  ])('is stored with the ID and short messages, after a refusal $refusal', async ({ error }) => {
    const { client, object, conditions, status, stored } = setup();
    client.onRequest(({ body }) => {
      if (JSON.stringify(body).length > 5000) throw error;
    });
    conditions.requestFailed('create', 'why '.repeat(500));
    Object.assign(object.status ?? {}, { instanceID: 'id-1', operationURL: '/v1/x', tags });
    await status.storeResult();
    expect(stored()).toMatchObject({ instanceID: 'id-1', operationURL: '/v1/x' });
    expect(stored()).not.toHaveProperty('tags');
    expect(Math.max(...(stored()?.conditions ?? []).map(({ message = '' }) => message.length))).toBe(128);
  });

  test('loses nothing after another refusal', async () => {
    const { client, object, conditions, status } = setup();
    const end = client.onRequest(() => {
      throw apiError(500, 'InternalError', 'no leader');
    });
    conditions.inProgress('create');
    Object.assign(object.status ?? {}, { tags });
    await expect(status.storeResult()).rejects.toThrow('no leader');
    end();
    expect(object.status).toMatchObject({ tags });
  });

  test('is an error if the rest does not fit either', async () => {
    const { client, object, conditions, status } = setup();
    client.onRequest(() => {
      throw apiError(413, 'RequestEntityTooLarge');
    });
    conditions.inProgress('create');
    Object.assign(object.status ?? {}, { instanceID: 'id-1', tags });
    await expect(status.storeResult()).rejects.toMatchObject({ kind: 'transient' });
  });
});

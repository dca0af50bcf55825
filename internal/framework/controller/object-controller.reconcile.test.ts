import { describe, expect, test } from '@jest/globals';
import { NotLeaderError, PostponedError } from '../base/concurrency/fence.ts';
import { ProviderError, ThrottledError, wrap } from '../base/errors/errors.ts';
import { nopLogger } from '../base/telemetry/telemetry.ts';
import { createFakeClock } from '../base/time/fake-clock.ts';
import { createFakeRecorder } from '../kube/fakes/fake-recorder.ts';
import { apiError, createMemoryClient } from '../kube/fakes/memory-client.ts';
import { namespacedWidgets as type, widget } from '../kube/fakes/widget.ts';
import { createKeyStore } from './key-store.ts';
import { createObjectReconcile } from './object-controller.ts';
import { GoneError } from './reconcile/store-status.ts';
import {
  done,
  highPriorityRequest,
  pollAfter,
  type ReconcileResult,
  requeue,
  requeueAfter,
} from './reconcile-result.ts';

/** The result of a reconcile whose reconciler does `work`, and what it logs as errors. */
async function reconcile(work: () => Promise<ReconcileResult>) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const object = client.seed(type, widget(type));
  const errors: string[] = [];
  const log = { ...nopLogger, error: (message: string) => void errors.push(message), child: () => log };
  const run = createObjectReconcile(
    { type, reconcile: work },
    {
      client,
      clock,
      random: () => 0.5,
      log,
      read: () => object,
      recorder: createFakeRecorder(),
      keys: createKeyStore(),
    },
  );
  const result = await run('shop/w', new AbortController().signal, highPriorityRequest);
  expect(errors).toEqual([]);
  return result;
}

const conflict = apiError(409, 'Conflict', 'the object has been modified');

describe('the result of a reconcile', () => {
  test.each([
    { title: '[174] no error keeps the result', work: async () => pollAfter(1000), want: pollAfter(1000) },
    {
      title: '[176] a conflict is retried with backoff',
      work: () => Promise.reject(conflict),
      want: requeue,
    },
    {
      title: '[177] a wrapped conflict is one too',
      work: () => Promise.reject(wrap(new Error('outer', { cause: conflict }), 'cannot update')),
      want: requeue,
    },
    { title: '(ours) done stays done', work: async () => done, want: done },
    {
      title: 'an object that is gone is no failure',
      work: () => Promise.reject(new GoneError()),
      want: requeue,
    },
    {
      title: 'without leadership nothing failed',
      work: () => Promise.reject(new NotLeaderError('another replica leads')),
      want: requeue,
    },
    {
      title: 'a postponed write is done after its delay',
      work: () => Promise.reject(new PostponedError('waiting', 'another shard may be at work', 70_000)),
      want: requeueAfter(70_000),
    },
    {
      title: 'a throttled request is repeated when the external API says so, and keeps the backoff',
      work: () => Promise.reject(new ThrottledError('slow down', 5000)),
      want: { ...requeueAfter(5000), keepsBackoff: true },
    },
  ])('$title', async ({ work, want }) => {
    expect(await reconcile(work)).toEqual(want);
  });

  test('[175] another error is kept', async () => {
    const boom = new ProviderError('transient', 'boom');
    await expect(reconcile(() => Promise.reject(boom))).rejects.toBe(boom);
  });
});

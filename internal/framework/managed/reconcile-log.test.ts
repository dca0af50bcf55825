import { describe, expect, test } from '@jest/globals';
import { createFakeMetrics } from '../base/telemetry/fake-metrics.ts';
import { createFakeClock } from '../base/time/fake-clock.ts';
import { createController } from '../controller/controller.ts';
import {
  done,
  pollAfter,
  type Reconcile,
  type ReconcileResult,
  requeue,
} from '../controller/reconcile-result.ts';
import { createLogger } from '../process/telemetry/json-logger.ts';

const clock = createFakeClock();

/** Lets a controller reconcile `shop/x` once, and returns what it logs. */
async function logOf(reconcile: Reconcile, { debug = true } = {}) {
  const lines: Record<string, unknown>[] = [];
  const controller = createController({
    name: 'managed/widget.example.org',
    sources: [],
    reconcile,
    clock,
    log: createLogger({ debug, destination: { write: (line) => lines.push(JSON.parse(line)) } }),
    metrics: createFakeMetrics(),
  });
  controller.work();
  controller.enqueue('shop/x');
  await clock.advance(40);
  await controller.stop();
  return lines;
}

/** Takes 25 ms. */
const resultingIn =
  (outcome: ReconcileResult | Error): Reconcile =>
  async () => {
    await new Promise<void>((resolve) => clock.after(25, resolve));
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };

describe('with --debug each reconcile is one line, with kind, object, result and duration', () => {
  test.each([
    { outcome: done, result: 'success' },
    { outcome: requeue, result: 'requeue' },
    { outcome: pollAfter(60_000), result: 'requeue_after' },
    { outcome: new Error('boom'), result: 'error' },
  ])('$result', async ({ outcome, result }) => {
    const lines = await logOf(resultingIn(outcome));

    expect(lines.filter(({ msg }) => msg === 'reconciled')).toEqual([
      {
        level: 'debug',
        time: expect.any(String),
        msg: 'reconciled',
        controller: 'managed/widget.example.org',
        request: 'shop/x',
        reconcileID: expect.stringMatching(/^[0-9a-f-]{36}$/),
        result,
        durationMs: 25,
      },
    ]);
  });
});

test('the error of a reconcile has the ID of that reconcile', async () => {
  const [failed, reconciled, ...others] = await logOf(resultingIn(new Error('boom')));

  expect(others).toEqual([]);
  expect(failed).toMatchObject({ level: 'error', msg: 'reconcile failed', request: 'shop/x', error: 'boom' });
  expect(failed?.reconcileID).toBe(reconciled?.reconcileID);
});

test('without --debug a reconcile that succeeds logs nothing', async () => {
  expect(await logOf(resultingIn(done), { debug: false })).toEqual([]);
});

test('what a reconcile logs itself can have its ID, and no two reconciles have the same', async () => {
  const seen: (string | undefined)[] = [];
  const noting: Reconcile = async (_key, _signal, { reconcileID }) => {
    seen.push(reconcileID);
    return done;
  };
  const lines = [...(await logOf(noting)), ...(await logOf(noting))];

  expect(lines.map(({ reconcileID }) => reconcileID)).toEqual(seen);
  expect(new Set(seen).size).toBe(2);
});

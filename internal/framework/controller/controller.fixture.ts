import { createFakeMetrics } from '../base/telemetry/fake-metrics.ts';
import { nopLogger } from '../base/telemetry/telemetry.ts';
import { createFakeClock } from '../base/time/fake-clock.ts';
import { type ControllerOptions, createController } from './controller.ts';
import { done, type Reconcile, type requeueAfter } from './reconcile-result.ts';

export const label = { controller: 'c' };

export function setup(reconcile: Reconcile, options: Partial<ControllerOptions> = {}) {
  const clock = createFakeClock();
  const metrics = createFakeMetrics();
  const controller = createController({
    name: 'c',
    sources: [],
    reconcile,
    clock,
    log: nopLogger,
    metrics,
    ...options,
  });
  controller.work();
  const results = (result: string) =>
    metrics.value('controller_runtime_reconcile_total', { ...label, result });
  return { clock, metrics, controller, results };
}

/** Reconciles that answer with `outcomes` in turn and note when they ran. */
export function script(...outcomes: (ReturnType<typeof requeueAfter> | Error)[]) {
  const times: number[] = [];
  let clock = createFakeClock();
  const reconcile: Reconcile = async () => {
    times.push(clock.monotonic());
    const outcome = outcomes.length > 1 ? outcomes.shift() : outcomes[0];
    if (outcome instanceof Error) throw outcome;
    return outcome ?? done;
  };
  const h = setup(reconcile);
  clock = h.clock;
  return { ...h, times };
}

/** Reconciles that end when the test ends them. */
export function endless(options: Parameters<typeof setup>[1]) {
  const ends = new Map<string, () => void>();
  const h = setup(
    (key) =>
      new Promise((resolve) => {
        ends.set(key, () => {
          ends.delete(key);
          resolve(done);
        });
      }),
    options,
  );
  return { ...h, ends, running: () => [...ends.keys()] };
}

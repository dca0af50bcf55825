import type { KymaInstanceMapping } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { sleep } from '../../../internal/framework/base/time/clock.ts';
import { mappingsPath } from '../plain/plain-mapper.ts';
import type { BenchEnvironment } from './environment.ts';
import type { Population } from './population.ts';
import { watchObjects } from './watched-objects.ts';

/** Watches when mappings become Ready, and when they begin to wait, as any user could. */
export interface ReadyWatch extends Disposable {
  /** When the watch reported Ready, on the clock's monotonic scale; NaN: not yet. */
  readyAt(name: string): number;
  /** Resolves when all are Ready. @param timeoutMs default 120 s */
  untilReady(names: readonly string[], timeoutMs?: number): Promise<void>;
  /** Resolves when all have `Synced=False/Waiting`. */
  untilWaiting(names: readonly string[]): Promise<void>;
}

/** Longer than the slowest measurement. */
const TIMEOUT_MS = 120_000;

const is = ({ status }: KymaInstanceMapping, type: string, value: string): boolean =>
  status?.conditions?.some((c) => c.type === type && (c.status === value || c.reason === value)) ?? false;

const saidBy = (mapping: KymaInstanceMapping | undefined): string =>
  (mapping?.status?.conditions ?? [])
    .map(({ type, reason, message = '' }) => `${type} ${reason} ${message}`)
    .join('; ') || 'nothing';

export function watchReadiness(environment: BenchEnvironment, selector: string): ReadyWatch {
  const watched = watchObjects<KymaInstanceMapping>(
    environment,
    `${mappingsPath}?${new URLSearchParams({ labelSelector: selector })}`,
    (mapping) => is(mapping, 'Ready', 'True') && is(mapping, 'Synced', 'True'),
  );
  const { objects, readyAt } = watched;
  const until = (
    what: string,
    names: readonly string[],
    holds: (name: string) => boolean,
    timeoutMs = TIMEOUT_MS,
  ) =>
    watched.until(() => {
      const missing = names.filter((name) => !holds(name));
      const [first] = missing;
      if (first === undefined) return undefined;
      const said = saidBy(objects.get(first));
      return `${missing.length} of ${names.length} mappings are not ${what} (${first} says: ${said})`;
    }, timeoutMs);
  return {
    readyAt: (name) => readyAt.get(name) ?? Number.NaN,
    untilReady: (names, timeoutMs) => until('Ready', names, (name) => readyAt.has(name), timeoutMs),
    untilWaiting: (names) =>
      until('waiting', names, (name) => {
        const mapping = objects.get(name);
        return mapping !== undefined && is(mapping, 'Synced', 'Waiting');
      }),
    [Symbol.dispose]: () => watched[Symbol.dispose](),
  };
}

/**
 * Creates mappings one after the other while other work is in progress.
 *
 * @param fresh mappings that do not exist yet; creation stops when there are no more
 * @param readiness watches `fresh`
 * @returns ms from the API server's response to a create until the watch reported Ready, for each mapping
 */
export async function createDuring(
  { clock, signal }: BenchEnvironment,
  fresh: Population,
  readiness: ReadyWatch,
  { gapMs, isOngoing }: { readonly gapMs: number; readonly isOngoing: () => boolean | Promise<boolean> },
): Promise<number[]> {
  const createdAt = new Map<string, number>();
  while (await isOngoing()) {
    const name = await fresh.createNext();
    if (name !== undefined) createdAt.set(name, clock.monotonic());
    await sleep(clock, gapMs, signal);
  }
  await readiness.untilReady([...createdAt.keys()]);
  return [...createdAt].map(([name, at]) => readiness.readyAt(name) - at);
}

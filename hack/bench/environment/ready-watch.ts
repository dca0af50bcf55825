import type { KymaInstanceMapping } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { sleep } from '../../../internal/framework/base/time/clock.ts';
import { mappingsPath } from '../plain/plain-mapper.ts';
import type { BenchEnvironment } from './environment.ts';
import type { Population } from './population.ts';

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

export function watchReadiness(
  { management, clock, signal }: BenchEnvironment,
  selector: string,
): ReadyWatch {
  const stopping = new AbortController();
  const ready = new Map<string, number>();
  const waiting = new Map<string, number>();
  /** The conditions of each, for the message of a time-out. */
  const said = new Map<string, string>();
  let failure: unknown;
  const onLine = ({ object }: { readonly object: KymaInstanceMapping }) => {
    const { name } = object.metadata;
    const conditions = object.status?.conditions ?? [];
    const is = (type: string, value: string) =>
      conditions.some((c) => c.type === type && (c.status === value || c.reason === value));
    const at = clock.monotonic();
    const texts = conditions.map(({ type, reason, message = '' }) => `${type} ${reason} ${message}`);
    said.set(name, texts.join('; '));
    if (is('Ready', 'True') && is('Synced', 'True')) ready.set(name, ready.get(name) ?? at);
    if (is('Synced', 'Waiting')) waiting.set(name, at);
  };
  const path = `${mappingsPath}?${new URLSearchParams({ watch: 'true', labelSelector: selector })}`;
  management.watch(path, onLine, stopping.signal).catch((error: unknown) => {
    failure = error;
  });
  const until = async (
    seen: ReadonlyMap<string, number>,
    names: readonly string[],
    what: string,
    timeoutMs = TIMEOUT_MS,
  ) => {
    const deadline = clock.monotonic() + timeoutMs;
    for (;;) {
      if (failure !== undefined) throw failure;
      const missing = names.filter((name) => !seen.has(name));
      const [first] = missing;
      if (first === undefined) return;
      if (clock.monotonic() > deadline) {
        const text = `${missing.length} of ${names.length} mappings are not ${what} after ${timeoutMs / 1000} s`;
        throw new Error(`${text}; ${first} says: ${said.get(first) || 'nothing'}`);
      }
      await sleep(clock, 100, signal);
    }
  };
  return {
    readyAt: (name) => ready.get(name) ?? Number.NaN,
    untilReady: (names, timeoutMs) => until(ready, names, 'Ready', timeoutMs),
    untilWaiting: (names) => until(waiting, names, 'waiting'),
    [Symbol.dispose]: () => stopping.abort(),
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

import type { KymaInstanceMapping } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { mappingsPath } from '../plain/plain-mapper.ts';
import type { BenchEnvironment } from './environment.ts';

/** Watches when mappings become Ready, and when they begin to wait, as any user could. */
export interface ReadyWatch {
  /** When the watch reported Ready, on the clock's monotonic scale; undefined: not yet. */
  readyAt(name: string): number | undefined;
  /** Resolves when all are Ready. @param timeoutMs default 120 s */
  untilReady(names: readonly string[], timeoutMs?: number): Promise<void>;
  /** Resolves when all have `Synced=False/Waiting`. */
  untilWaiting(names: readonly string[]): Promise<void>;
  stop(): void;
}

/** Longer than the slowest measurement. */
const TIMEOUT_MS = 120_000;

export function watchReadiness({ management, clock }: BenchEnvironment, selector: string): ReadyWatch {
  const stopping = new AbortController();
  const ready = new Map<string, number>();
  const waiting = new Map<string, number>();
  /** The conditions of each, for the message of a time-out. */
  const said = new Map<string, string>();
  /** Called for each mapping that the watch reported; for none once the watch has failed. */
  const listeners = new Set<(name?: string) => void>();
  let failure: unknown;
  const path = `${mappingsPath}?${new URLSearchParams({ watch: 'true', labelSelector: selector })}`;
  const onLine = ({ object }: { readonly object: KymaInstanceMapping }) => {
    const { name } = object.metadata;
    const conditions = object.status?.conditions ?? [];
    const is = (type: string, value: string) =>
      conditions.some((c) => c.type === type && (c.status === value || c.reason === value));
    const at = clock.monotonic();
    said.set(
      name,
      conditions.map(({ type, reason, message = '' }) => `${type} ${reason} ${message}`).join('; '),
    );
    if (is('Ready', 'True') && is('Synced', 'True')) ready.set(name, ready.get(name) ?? at);
    if (is('Synced', 'Waiting')) waiting.set(name, at);
    for (const listener of [...listeners]) listener(name);
  };
  management.watch(path, onLine, stopping.signal).catch((error: unknown) => {
    failure = error;
    for (const listener of [...listeners]) listener();
  });
  const until = (
    seen: ReadonlyMap<string, number>,
    names: readonly string[],
    what: string,
    timeoutMs = TIMEOUT_MS,
  ) =>
    new Promise<void>((resolve, reject) => {
      const missing = new Set(names.filter((name) => !seen.has(name)));
      const end = (settle: () => void) => {
        cancel();
        listeners.delete(check);
        settle();
      };
      const check = (name = '') => {
        if (seen.has(name)) missing.delete(name);
        if (failure !== undefined) end(() => reject(failure));
        else if (missing.size === 0) end(resolve);
      };
      const cancel = clock.after(timeoutMs, () => {
        const [first = ''] = missing;
        const text = `${missing.size} of ${names.length} mappings are not ${what} after ${timeoutMs / 1000} s`;
        end(() => reject(new Error(`${text}; ${first} says: ${said.get(first) || 'nothing'}`)));
      });
      listeners.add(check);
      check();
    });
  return {
    readyAt: (name) => ready.get(name),
    untilReady: (names, timeoutMs) => until(ready, names, 'Ready', timeoutMs),
    untilWaiting: (names) => until(waiting, names, 'waiting'),
    stop: () => stopping.abort(),
  };
}

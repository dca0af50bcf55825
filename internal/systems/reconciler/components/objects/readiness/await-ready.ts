import {
  cutText,
  type Deps,
  inParallel,
  messageOf,
  ProviderError,
  sleep,
} from '../../../../../framework/base/index.ts';
import { type NextPage, pagesOf } from '../../../../../framework/kube/client/client.ts';
import { isNotFound, type KubeObject, keyOf } from '../../../../../framework/kube/index.ts';
import type { Awaited, DeployOptions, ManagedCluster } from '../../model/component.ts';
import { replicaSets } from '../known-types.ts';
import { nameOf, type PreparedObject } from '../prepared-object.ts';
import { checkOf, hasTimeToLive, pending, type Readiness, type ReadinessReads } from './check-object.ts';

interface AwaitReadyOptions extends Pick<Deps, 'clock' | 'log'>, DeployOptions {
  readonly cluster: Pick<ManagedCluster, 'name' | 'part'>;
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

/** Objects that are read at a time. */
const WIDTH = 8;
/** Characters of why an object is awaited: it may quote a condition, and stays until the next check. */
export const MAX_REASON = 1024;
/** Pages of 100 ReplicaSets of a Deployment's selector; it keeps ten old ones by default. */
const MAX_PAGES = 20;

/**
 * Waits until the objects of kinds with a readiness are ready. A read that fails is repeated by the next check.
 *
 * @returns those that were seen ready
 * @throws NotReadyError
 */
export async function awaitReady(
  objects: readonly PreparedObject[],
  options: AwaitReadyOptions,
): Promise<ReadonlySet<PreparedObject>> {
  const { cluster, log } = options;
  const seen = new Set<PreparedObject>();
  let left = objects.filter(({ type }) => checkOf(type) !== undefined);
  const check = async () => {
    const states = new Map<PreparedObject, Readiness>();
    await inParallel(left, WIDTH, async (each) => {
      const readiness = await readinessOf(each, options);
      const isReady = readiness.state === 'ready';
      states.set(each, isReady ? readiness : { ...readiness, reason: cutText(readiness.reason, MAX_REASON) });
    });
    const awaited: Awaited[] = [];
    const failures: Awaited[] = [];
    left = left.filter((each) => {
      const readiness = states.get(each);
      if (readiness === undefined) return false;
      if (readiness.state === 'ready') {
        if (!readiness.isGone) seen.add(each);
        return false;
      }
      (readiness.state === 'failed' ? failures : awaited).push({
        object: each.object,
        reason: readiness.reason,
      });
      return true;
    });
    if (failures.length > 0)
      throw new NotReadyError('objects cannot become ready', failures, { failed: true });
    return awaited;
  };
  try {
    await poll(check, { ...options, what: 'objects are not ready' });
    return seen;
  } catch (error) {
    log.info('objects of a component are not ready', { cluster: cluster.name, error: messageOf(error) });
    throw error;
  }
}

async function readinessOf(
  { object, type }: PreparedObject,
  { cluster, signal, log }: AwaitReadyOptions,
): Promise<Readiness> {
  try {
    using part = await cluster.part({ signal });
    const live = await part.client.get(type, keyOf(object), { signal });
    return (await checkOf(type)?.(live, readsOf(part, signal))) ?? pending('its readiness is unknown');
  } catch (error) {
    signal.throwIfAborted();
    // It was applied, so it has ended; whether well, nobody knows any more.
    if (isNotFound(error) && hasTimeToLive(object)) return { state: 'ready', isGone: true };
    if (isNotFound(error)) return pending('it does not exist');
    log.debug('cannot read an object whose readiness is awaited', { error: messageOf(error) });
    return pending(messageOf(error));
  }
}

const readsOf = ({ client }: Pick<ManagedCluster, 'client'>, signal: AbortSignal): ReadinessReads => ({
  replicaSets: async (namespace, labelSelector) => {
    const selection = { namespace, labelSelector, limit: 100, signal };
    const list = (next: NextPage) => client.list<KubeObject>(replicaSets, { ...selection, ...next });
    const sets: KubeObject[] = [];
    for await (const items of pagesOf(list, { max: MAX_PAGES })) sets.push(...items);
    return sets;
  },
});

/** Objects named in a message; all others are counted. */
const MAX_NAMED = 10;

/** Objects did not become ready in time, or were not deleted in time, or can no longer become ready (`terminal`). */
export class NotReadyError extends ProviderError {
  readonly awaited: readonly Awaited[];

  constructor(
    what: string,
    awaited: readonly Awaited[],
    options: ErrorOptions & { readonly failed?: boolean } = {},
  ) {
    super(options.failed ? 'terminal' : 'transient', `${what}: ${describeAwaited(awaited)}`, options);
    this.awaited = awaited;
  }
}

/** `Deployment shop/web (0 of 1 replicas are ready), …` */
export function describeAwaited(awaited: readonly Awaited[]): string {
  const named = awaited.slice(0, MAX_NAMED).map(({ object, reason }) => `${nameOf(object)} (${reason})`);
  const others = awaited.length - named.length;
  return [...named, ...(others > 0 ? [`${others} others`] : [])].join(', ');
}

interface PollOptions extends Pick<Deps, 'clock'>, DeployOptions {
  /** The longest time between two checks, in ms. The first ones follow each other faster. */
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** For messages: `objects are not ready`. */
  readonly what: string;
}

/** The time between the first two checks, in ms. */
const FIRST_MS = 200;

/**
 * Calls `check` until nothing is awaited. Reports what is awaited whenever that changes.
 *
 * @throws NotReadyError after the time-out, or when the signal is aborted, with what was awaited last
 */
export async function poll(check: () => Promise<readonly Awaited[]>, options: PollOptions): Promise<void> {
  const { clock, signal, onProgress, intervalMs, timeoutMs, what } = options;
  const startedAt = clock.monotonic();
  let delayMs = Math.min(FIRST_MS, intervalMs);
  let awaited: readonly Awaited[] = [];
  let reported = '';
  try {
    for (;;) {
      signal.throwIfAborted();
      awaited = await check();
      if (awaited.length === 0) break;
      const text = JSON.stringify(awaited);
      if (text !== reported) onProgress?.(awaited);
      reported = text;
      const leftMs = timeoutMs - (clock.monotonic() - startedAt);
      if (leftMs <= 0) throw new NotReadyError(`${what} after ${timeoutMs / 1000} s`, awaited);
      await sleep(clock, Math.min(delayMs, leftMs), signal);
      delayMs = Math.min(delayMs * 2, intervalMs);
    }
  } catch (error) {
    if (!signal.aborted || awaited.length === 0) throw error;
    throw new NotReadyError(`${what}, and the attempt has ended`, awaited, { cause: signal.reason });
  }
  if (reported !== '') onProgress?.([]);
}

import { type ByteBudget, holdBytes } from '../../../../framework/base/index.ts';
import type { Transport } from '../../../../framework/kube/index.ts';
import { createTurns } from '../../../../framework/process/workers/turns.ts';
import { noMemoryFor } from './cached-kinds.ts';

/** Puts the answers of a tenant's cluster in their turns. */
export type InTurns = (
  transport: Transport,
  owner: { readonly tenant: string; readonly memory: ByteBudget },
) => Transport;

/** Some ten milliseconds of work. A larger answer is alone in its turn. */
const BYTES_PER_TURN = 128 * 1024;

interface Waiting {
  readonly tenant: string;
  readonly bytes: number;
  begin(): void;
}

/**
 * All answers that have arrived could be read in the same turn of the event loop: hundreds of them, which hostile servers send at once, would
 * take seconds. Each turn has a number of bytes, and those of the tenant with the fewest lately go first.
 */
export function createAnswerTurns(): InTurns {
  /** By tenant, since one waits. */
  const read = new Map<string, number>();
  const waiting = createTurns<Waiting>(undefined, (tenant) => read.get(tenant) ?? 0);
  let left = BYTES_PER_TURN;
  let isScheduled = false;

  /** Whether it may begin in this turn, which it then uses. */
  const begins = ({ tenant, bytes }: Pick<Waiting, 'tenant' | 'bytes'>): boolean => {
    if (bytes > left && left < BYTES_PER_TURN) return false;
    left -= bytes;
    read.set(tenant, (read.get(tenant) ?? 0) + bytes);
    if (!isScheduled) setImmediate(nextTurn);
    isScheduled = true;
    return true;
  };
  const nextTurn = () => {
    isScheduled = false;
    left = BYTES_PER_TURN;
    for (let next = waiting.peek(); next !== undefined && begins(next); next = waiting.peek())
      waiting.next()?.begin();
    if (waiting.peek() === undefined) read.clear();
  };
  const turnOf = async (tenant: string, bytes: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (waiting.peek() === undefined && begins({ tenant, bytes })) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const own: Waiting = { tenant, bytes, begin: resolve };
    const onAbort = () => {
      waiting.remove(tenant, own);
      reject(signal.reason);
    };
    waiting.add(tenant, own);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  };

  return (transport, { tenant, memory }) => ({
    ...transport,
    call: async (request, maxBytes) => {
      const response = await transport.call(request, maxBytes);
      const bytes = 2 * response.body.length;
      using text = holdBytes(memory);
      if (!text.take(bytes)) throw noMemoryFor(`an answer of ${transport.host}`);
      await turnOf(tenant, bytes, request.signal);
      return response;
    },
  });
}

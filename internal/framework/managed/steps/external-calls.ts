import { abandonable } from '../../base/concurrency/abandonable.ts';
import type { Fence } from '../../base/concurrency/fence.ts';
import { type Reserve, reserveNothing } from '../../base/concurrency/limit-key.ts';
import type { Deps } from '../../base/deps.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { type Deadline, withDeadline } from '../../base/time/clock.ts';
import type { ReconcileContext } from '../kind/external-client.ts';

/** The name of the span of the call. */
export type ExternalVerb = 'connect' | 'observe' | 'create' | 'update' | 'delete';

/** The external calls of one reconcile, under one deadline. */
export interface ExternalCalls extends Disposable {
  /** Context for code that writes nothing and has no span. */
  beside(signal: AbortSignal): ReconcileContext;
  /** A call that writes nothing. It is abandoned if it ignores its deadline. */
  read<T>(verb: ExternalVerb, call: (ctx: ReconcileContext) => Promise<T>): Promise<T>;
  /** Starts the deadline, unless a call has started it. */
  begin(): void;
  /** A call that writes. Its end is always awaited, so that no second one runs at the same time. */
  write<T>(verb: ExternalVerb, call: (ctx: ReconcileContext) => Promise<T>): Promise<T>;
}

export interface ExternalCallsOptions extends Pick<Deps, 'clock' | 'log' | 'tracer'> {
  /** Nothing changed and nothing was requested. */
  readonly isLowPriority: boolean;
  /** Default: all limit keys have slots. */
  readonly reserve?: Reserve;
  /** For all calls together, in ms, from the first on. */
  readonly timeoutMs: number;
  /** Aborts all calls: the deadline of the reconcile, or loss of the right to write. */
  readonly signal: AbortSignal;
  /** Called before each write call, and by it before each of its requests. */
  readonly assertMayWrite: Fence;
  /** Completes the sentence `timed out after 60 s: …`. */
  readonly doing: string;
}

export function createExternalCalls(options: ExternalCallsOptions): ExternalCalls {
  const { clock, log, isLowPriority, assertMayWrite, tracer } = options;
  const { reserve = reserveNothing } = options;
  let deadline: Deadline | undefined;
  const begin = () => {
    deadline ??= withDeadline(clock, options.timeoutMs, options.doing, options.signal);
    return deadline.signal;
  };
  const assertOnlyReads = () => {
    throw new ProviderError('bug', readOnly);
  };
  const beside = (signal: AbortSignal): ReconcileContext => ({
    signal,
    log,
    clock,
    isLowPriority,
    reserve,
    assertMayWrite: assertOnlyReads,
  });
  const under = <T>(verb: ExternalVerb, signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
    tracer.span({ name: verb }, async () => {
      signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        throw signal.aborted && isAbort(error) ? signal.reason : error;
      }
    });
  return {
    beside,
    read: (verb, call) => {
      const signal = begin();
      return under(verb, signal, () => abandonable(call(beside(signal)), signal));
    },
    begin: () => void begin(),
    write: (verb, call) => {
      const signal = begin();
      return under(verb, signal, () => {
        assertMayWrite();
        return call({ signal, log, clock, isLowPriority, reserve, assertMayWrite });
      });
    },
    [Symbol.dispose]: () => deadline?.[Symbol.dispose](),
  };
}

const readOnly =
  'only create, update and delete may write externally; move the request there, out of connect, observe or disconnect';

/** Libraries throw their own error on abort; the reason is in the signal. */
const isAbort = (error: unknown): boolean => Object(error).name === 'AbortError';

import { abandonable } from '../../../base/concurrency/abandonable.ts';
import type { Fence } from '../../../base/concurrency/fence.ts';
import { type Reserve, reserveNothing } from '../../../base/concurrency/limit-key.ts';
import type { Deps } from '../../../base/deps.ts';
import { ProviderError } from '../../../base/errors/errors.ts';
import { type Deadline, withDeadline } from '../../../base/time/deadline.ts';
import type { ReconcileContext } from '../kind/external-client.ts';

/** What is asked of the other side: the name of the call's span. */
export type ExternalVerb = 'connect' | 'observe' | 'create' | 'update' | 'delete';

/** The calls of one reconcile to the other side, under one deadline. */
export interface ExternalCalls extends Disposable {
  /** For what is no call of its own and changes nothing. */
  beside(signal: AbortSignal): ReconcileContext;
  /** A call that changes nothing: left behind, should it ignore its deadline. */
  read<T>(verb: ExternalVerb, call: (ctx: ReconcileContext) => Promise<T>): Promise<T>;
  /** Starts the deadline, if no call has done so yet. */
  begin(): void;
  /** A call that changes something: its end is awaited in any case, so that no second one runs beside it. */
  write<T>(verb: ExternalVerb, call: (ctx: ReconcileContext) => Promise<T>): Promise<T>;
}

export interface ExternalCallsOptions extends Pick<Deps, 'clock' | 'log' | 'tracer'> {
  /** Nothing changed and nothing was requested. */
  readonly isLowPriority: boolean;
  /** Of the reconcile; default: every limit key has a slot. */
  readonly reserve?: Reserve;
  /** For all calls together, in ms, from the first on. */
  readonly timeoutMs: number;
  /** Ends them all: the deadline of the whole reconcile, or a process that must not write any more. */
  readonly signal: AbortSignal;
  /** Asked before each call that changes something, and by it before each of its requests. */
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

const readOnly = 'only create, update and delete may change something on the other side';

/** Libraries tell of an abort with an error of their own; the signal knows why it was aborted. */
function isAbort(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
}

import { abandonable } from '../../base/abandonable.ts';
import type { Clock } from '../../base/clock.ts';
import { type Deadline, withDeadline } from '../../base/deadline.ts';
import { type Fence, noFence } from '../../base/fence.ts';
import type { Logger } from '../../base/logger.ts';
import type { ReconcileContext } from '../managed/external-client.ts';

/** The calls of one reconcile to the other side, under one deadline. */
export interface ExternalCalls extends Disposable {
  /** A call that changes nothing: left behind, should it ignore its deadline. */
  read<T>(call: (ctx: ReconcileContext) => Promise<T>): Promise<T>;
  /** A call that changes something: its end is awaited in any case, so that no second one runs beside it. */
  write<T>(call: (ctx: ReconcileContext) => Promise<T>): Promise<T>;
}

export interface ExternalCallsOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether somebody has asked for this reconcile. */
  readonly requested: boolean;
  /** For all calls together, in ms, from the first on. */
  readonly timeoutMs: number;
  /** Ends them all: the deadline of the whole reconcile, or a process that must not write any more. */
  readonly signal: AbortSignal;
  /** Asked before each call that changes something; default: this process may. */
  readonly fence?: Fence;
  /** Completes the sentence `timed out after 60 s: …`. */
  readonly doing: string;
}

export function createExternalCalls(options: ExternalCallsOptions): ExternalCalls {
  const { clock, log, requested, fence = noFence } = options;
  let deadline: Deadline | undefined;
  const begin = () => {
    deadline ??= withDeadline(clock, options.timeoutMs, options.doing, options.signal);
    return deadline.signal;
  };
  const under = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      throw signal.aborted && isAbort(error) ? signal.reason : error;
    }
  };
  return {
    read: (call) => {
      const signal = begin();
      return under(signal, () => abandonable(call({ signal, log, clock, requested }), signal));
    },
    write: (call) => {
      const signal = begin();
      return under(signal, () => {
        fence();
        return call({ signal, log, clock, requested });
      });
    },
    [Symbol.dispose]: () => deadline?.[Symbol.dispose](),
  };
}

/** Libraries tell of an abort with an error of their own; the signal knows why it was aborted. */
function isAbort(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
}

import { randomUUID } from 'node:crypto';
import { type Deps, messageOf } from '../../../../framework/base/index.ts';
import type { SecretValue } from '../model/cluster.ts';
import type { ComponentAction, Task } from '../model/mothership.ts';
import type { CallbackStatus, Reconciliations } from '../model/reconciliation.ts';

/**
 * The end of a call:
 *
 * - `accepted`  the result comes as callbacks
 * - `refused`   it is certain or likely that nothing runs: sent again with growing delay, unless that has no use
 * - `unknown`   it may run: sent again only after its lease
 * - `unsent`    the call was given up before it began: sent again at once
 * - `unroutable`  nothing serves the component: the operation ends in `error`
 */
export type InvokeOutcome =
  | { readonly kind: 'accepted' }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      /** `busy`: it is taken later. `unusable`: the task itself is refused, and hardly ever taken. Default: it is not known. */
      readonly cause?: 'busy' | 'unusable';
    }
  | { readonly kind: 'unknown' | 'unroutable'; readonly reason: string }
  | { readonly kind: 'unsent' };

/** Hands a task to a component reconciler. Never rejects. @param secrets values of the task that no reason may show; default: none */
export type Invoker = (
  task: Task,
  signal: AbortSignal,
  secrets?: readonly SecretValue[],
) => Promise<InvokeOutcome>;

interface LocalInvokerOptions extends Pick<Deps, 'clock'> {
  /** By component; `base` serves those that are not named. */
  readonly actions: Readonly<Record<string, ComponentAction>>;
  readonly reconciliations: Pick<Reconciliations, 'callback'>;
}

/** Runs component reconcilers as functions of this process, instead of calls by HTTP. */
export function createLocalInvoker({ clock, actions, reconciliations }: LocalInvokerOptions): Invoker {
  return async (task, signal) => {
    const action = actions[task.component] ?? actions.base;
    if (action === undefined) {
      return { kind: 'unroutable', reason: `no action is registered for ${task.component}, and no base` };
    }
    const began = clock.monotonic();
    const retryId = randomUUID();
    const report = async (status: CallbackStatus, error = '') => {
      await reconciliations.callback({
        ...operationOf(task),
        status,
        error,
        retryId,
        processingDurationMs: Math.round(clock.monotonic() - began),
      });
    };
    try {
      await report('running');
      const failure = await action(task, signal).then(() => undefined, messageOf);
      if (failure === undefined) {
        await report('success');
      } else {
        await report('failed', failure);
        await report('error', failure);
      }
      return { kind: 'accepted' };
    } catch (error) {
      return { kind: 'unknown', reason: messageOf(error) };
    }
  };
}

/** The operation that a callback URL names. */
export function operationOf({ callbackURL }: Pick<Task, 'callbackURL'>) {
  const { pathname, searchParams } = new URL(callbackURL);
  const [, schedulingId = '', correlationId = ''] =
    /\/operations\/([^/]+)\/callback\/([^/]+)$/.exec(pathname) ?? [];
  return {
    schedulingId: decodeURIComponent(schedulingId),
    correlationId: decodeURIComponent(correlationId),
    token: searchParams.get('token') ?? undefined,
  };
}

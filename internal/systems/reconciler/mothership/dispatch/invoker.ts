import type { Task } from '../model/task.ts';
import type { SecretValue } from '../reconciliations/secret-values.ts';

/**
 * The end of a call:
 *
 * - `accepted`  the result comes as callbacks
 * - `refused`   it is certain or likely that nothing runs: sent again with growing delay
 * - `unknown`   it may run: sent again only after its lease
 * - `unsent`    the call was given up before it began: sent again at once
 * - `unroutable`  nothing serves the component: the operation ends in `error`
 */
export type InvokeOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' | 'unknown' | 'unroutable'; readonly reason: string }
  | { readonly kind: 'unsent' };

/** Hands a task to a component reconciler. Never rejects. @param secrets values of the task that no reason may show; default: none */
export type Invoker = (
  task: Task,
  signal: AbortSignal,
  secrets?: readonly SecretValue[],
) => Promise<InvokeOutcome>;

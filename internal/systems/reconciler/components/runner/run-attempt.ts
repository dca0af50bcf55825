import type { Action, ActionContext, ComponentActions } from '../model/actions.ts';

/** The three actions of a task, one after the other. Rejects with the error of the first that fails. */
export async function runAttempt(
  actions: ComponentActions,
  defaults: Readonly<Record<'reconcile' | 'delete', Action>>,
  context: ActionContext,
): Promise<void> {
  const [before, main, after] =
    context.task.type === 'delete'
      ? ([actions.preDelete, actions.delete ?? defaults.delete, actions.postDelete] as const)
      : ([actions.preReconcile, actions.reconcile ?? defaults.reconcile, actions.postReconcile] as const);
  for (const action of [before, main, after]) {
    context.signal.throwIfAborted();
    await action?.(context);
  }
}

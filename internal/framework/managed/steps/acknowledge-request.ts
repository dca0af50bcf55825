import type { Managed } from '../resource/managed.ts';
import { reconcileRequestFrom } from '../resource/meta.ts';
import { messageRequestHandled, reasonRequestHandled } from './messages/messages.ts';
import type { Reconciliation } from './reconciliation.ts';

/** Copies the token of a reconcile request to the status; every status write of this reconcile has it. */
export function acknowledgeRequest<R extends Managed>(reconciliation: Reconciliation<R>): void {
  const { object } = reconciliation.copy;
  const token = reconcileRequestFrom(object);
  if (token === undefined || token === object.status?.lastHandledReconcileAt) return;
  reconciliation.events.recordWithStatus('Normal', reasonRequestHandled, messageRequestHandled);
  object.status = { ...object.status, lastHandledReconcileAt: token };
}

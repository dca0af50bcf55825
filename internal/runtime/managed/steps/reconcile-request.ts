import type { Managed } from '../../resource/managed.ts';
import { reconcileRequestFrom } from '../../resource/meta.ts';
import type { Pass } from './pass.ts';
import { messageRequestHandled, reasonRequestHandled } from './words.ts';

/** Answers a request for a reconcile by its token, which every status write of this pass will hold. */
export function acknowledgeRequest<R extends Managed>(pass: Pass<R>): void {
  const { object } = pass.copy;
  const token = reconcileRequestFrom(object);
  if (token === undefined || token === object.status?.lastHandledReconcileAt) return;
  pass.events.recordWithStatus('Normal', reasonRequestHandled, messageRequestHandled);
  object.status = { ...object.status, lastHandledReconcileAt: token };
}

import { reconcileRequestFrom } from '../managed/meta.ts';
import type { Managed } from '../managed/resource.ts';
import { messageRequestHandled, reasonRequestHandled } from '../managed/words.ts';
import { type Pass, tellWithStatus } from './pass.ts';

/** The token of a request for a reconcile that no pass has answered yet. */
export function unansweredRequest(resource: Managed): string | undefined {
  const token = reconcileRequestFrom(resource);
  return token === resource.status?.lastHandledReconcileAt ? undefined : token;
}

/** Answers a request for a reconcile by its token, which every status write of this pass will hold. */
export function acknowledgeRequest<R extends Managed>(pass: Pass<R>): void {
  const { object } = pass.copy;
  const token = unansweredRequest(object);
  if (token === undefined) return;
  tellWithStatus(pass, 'Normal', reasonRequestHandled, messageRequestHandled);
  object.status = { ...object.status, lastHandledReconcileAt: token };
}

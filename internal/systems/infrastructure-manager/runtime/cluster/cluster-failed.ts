import { messageOf } from '../../../../framework/base/errors/errors.ts';
import { isNoFailure, requeue } from '../../../../framework/controller/index.ts';
import type { RuntimeRun } from '../run.ts';
import type { ConditionType, Reason } from '../status/reasons.ts';
import { end, type Step } from '../step.ts';
import { isRefused } from './runtime-cluster.ts';

export interface ShownFailure {
  readonly type: ConditionType;
  readonly reason: Reason;
  readonly message: string;
  /** Whether the condition is False although the failure may pass. Default: Unknown. */
  readonly isFalse?: boolean;
}

/**
 * Stores why the cluster could not be configured. A Runtime that is not Ready yet is Pending, also if the cluster refuses what is
 * asked; a Ready one, whose cluster is only checked again, stays Ready.
 *
 * @throws a transient error again, so that it is retried with growing delays
 */
export async function clusterFailed(
  run: RuntimeRun,
  error: unknown,
  { message, isFalse = false, ...shown }: ShownFailure,
): Promise<Step> {
  if (isNoFailure(error)) throw error;
  const { status, object, context } = run;
  const refused = isRefused(error);
  const text = `${message}: ${messageOf(error)}`;
  const stated = { ...shown, status: refused || isFalse ? 'False' : 'Unknown', message: text } as const;
  if (object.status?.state === 'Ready') status.keepState(stated);
  else status.pending(stated);
  await status.store();
  if (!refused) throw error;
  context.log.info('the runtime cluster refused its configuration', { error: text });
  return end(requeue);
}

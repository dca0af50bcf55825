import type { GardenerCluster } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { kindOf, messageOf } from '../../../framework/base/errors/errors.ts';
import {
  createObjectEvents,
  isNoFailure,
  pollAfter,
  type ReconcileResult,
  reasonWaitingForFinalizers,
  requeue,
  storeStatus,
} from '../../../framework/controller/index.ts';
import { findCondition, withCondition } from '../../../framework/kube/index.ts';
import { CONDITION, type FailureReason, failed, messages, type Reason, reasons } from './messages.ts';
import type { GardenerClusterRun } from './run.ts';

/** Until what only others can change is tried again, in ms. Shoots and Secrets are watched. */
const POLL_MS = 300_000;

async function store(
  { copy, object, context }: GardenerClusterRun,
  state: 'Ready' | 'Error',
  condition: { readonly status: 'True' | 'False'; readonly reason: Reason; readonly message: string },
): Promise<void> {
  const before = findCondition(object.status?.conditions ?? [], CONDITION);
  const conditions = withCondition(
    object.status?.conditions ?? [],
    { type: CONDITION, ...condition },
    context.clock.now(),
  );
  object.status = {
    ...object.status,
    state,
    conditions: conditions.map((each) => ({ ...each, message: each.message ?? '' })),
  };
  const { recorder, signal } = context;
  const events = createObjectEvents({ recorder, object: () => object });
  const isSame =
    before?.status === 'False' && before.reason === condition.reason && before.message === condition.message;
  // A failure that lasts is one event.
  if (condition.status === 'False' && !isSame)
    events.recordWithStatus('Warning', condition.reason, condition.message);
  await storeStatus(copy, { events, signal });
}

/** Finalizers of others hold the GardenerCluster. Its Secret is deleted after it. */
export function showHeldDeletion(
  object: GardenerCluster,
  message: string,
  { clock }: Pick<GardenerClusterRun['context'], 'clock'>,
): void {
  const stated = { type: CONDITION, status: 'Unknown', reason: reasonWaitingForFinalizers, message } as const;
  const conditions = withCondition(object.status?.conditions ?? [], stated, clock.now());
  const complete = conditions.map((each) => ({ ...each, message: each.message ?? '' }));
  object.status = { ...object.status, state: 'Terminating', conditions: complete };
}

/** The Secret has a current kubeconfig. @param reason default: as it is, or Created */
export async function showReady(run: GardenerClusterRun, reason?: Reason, message?: string): Promise<void> {
  const shown = findCondition(run.object.status?.conditions ?? [], CONDITION);
  if (reason === undefined && run.object.status?.state === 'Ready' && shown?.status === 'True') return;
  const { created } = reasons;
  await store(run, 'Ready', {
    status: 'True',
    reason: reason ?? created,
    message: message ?? messages[reason ?? created],
  });
}

/** Stores what failed. @throws a transient error again, so that it is retried with growing delays */
export async function showFailure(
  run: GardenerClusterRun,
  reason: FailureReason,
  error: unknown,
): Promise<ReconcileResult> {
  if (isNoFailure(error)) throw error;
  const text = messageOf(error);
  await store(run, 'Error', { status: 'False', reason, message: failed(reason, text) });
  const kind = kindOf(error);
  if (kind === 'contested') return pollAfter(POLL_MS);
  if (kind !== 'terminal' && kind !== 'not-found') throw error;
  run.context.log.info('cannot keep the kubeconfig current', { reason, error: text });
  return kind === 'not-found' ? pollAfter(POLL_MS) : requeue;
}

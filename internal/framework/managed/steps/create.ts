import { findCause } from '../../base/errors/errors.ts';
import { StepFailure } from '../../controller/reconcile/handle-error.ts';
import { LostResponseError } from '../../http/errors/errors.ts';
import type { ExternalClient } from '../kind/external-client.ts';
import { recordsCreateOutcome } from '../kind/managed-kind.ts';
import { getCondition, reasonCreating, typeReady, typeUpToDate } from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import {
  createIncomplete,
  createSucceeded,
  setCreateFailed,
  setCreateIntent,
  setCreatePending,
  setCreateSucceeded,
  setExternalName,
} from '../resource/meta.ts';
import { storeCriticalAnnotations, storeSetAnnotations } from './critical-annotations.ts';
import { failures, step } from './messages/failures.ts';
import { messageCreated, reasonCreated } from './messages/messages.ts';
import type { Reconciliation } from './reconciliation.ts';
import { noteRefusal, recalledRefusal } from './report.ts';
import { afterFailure, changeExternal } from './update.ts';

/**
 * Creates the external resource. First stores the intent by a PUT that the API server refuses unless it is of the
 * newest version, so that nothing is created for an old spec or by a previous shard owner. Then stores the outcome
 * with retries, if the kind records it, and annotations that Create set.
 *
 * @param externalName the name that Create will use, if it is known beforehand
 */
export async function createExternal<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
  externalName: string | undefined,
): Promise<void> {
  const { copy, clock, signal, guard, calls } = reconciliation;
  if (externalName !== undefined) setExternalName(copy.object, externalName);
  const refusal = recalledRefusal(reconciliation, 'create');
  if (refusal !== undefined) throw new StepFailure(failures.create, refusal);
  await step(failures.create, () => {
    calls.begin();
    return guard.beforeWrite({ record: () => recordIntent(reconciliation) });
  });
  const result = await attemptCreate(reconciliation, client);
  if (result.externalName !== undefined) setExternalName(copy.object, result.externalName);
  const recordsOutcome = recordsCreateOutcome(reconciliation.kind);
  if (recordsOutcome) setCreateSucceeded(copy.object, clock.now());
  await step(failures.recordCreated, () => storeOutcome(reconciliation, recordsOutcome));
  await step(failures.publishCreated, () =>
    reconciliation.publisher.publish(copy.object, result.connectionDetails ?? {}, signal),
  );
  reconciliation.events.record('Normal', reasonCreated, messageCreated);
}

/**
 * Whether the last create succeeded, and no observation has found its external resource since. A create ends with Ready=Creating and
 * without UpToDate; an observation that finds the external resource sets both.
 */
export function isCreatedButNeverFound(resource: Managed): boolean {
  // First, since it is false for settled resources: no time has to be parsed.
  if (getCondition(resource, typeReady)?.reason !== reasonCreating) return false;
  const upToDate = getCondition(resource, typeUpToDate);
  // Unknown: a pause has set it.
  return (upToDate === undefined || upToDate.status === 'Unknown') && createSucceeded(resource);
}

function recordIntent<R extends Managed>(reconciliation: Reconciliation<R>): Promise<void> {
  const { copy, guard, signal } = reconciliation;
  return step(failures.recordIntent, async () => {
    stageIntent(reconciliation);
    guard.stageClaim();
    await copy.put(signal);
  });
}

async function attemptCreate<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
) {
  const { copy, clock } = reconciliation;
  try {
    return await changeExternal(reconciliation, 'create', (ctx) => client.create(copy.object, ctx));
  } catch (cause) {
    noteRefusal(reconciliation, 'create', cause);
    // After a lost response the outcome is as unknown as after a crash: it is not recorded.
    const isKnown = findCause(cause, LostResponseError) === undefined;
    const recordsFailure = isKnown && recordsCreateOutcome(reconciliation.kind);
    if (recordsFailure) setCreateFailed(copy.object, clock.now());
    await afterFailure(reconciliation, () => storeOutcome(reconciliation, recordsFailure));
    throw new StepFailure(failures.create, cause);
  }
}

/**
 * Sets the intent to create, in memory. `external-create-pending` is set only if the outcome will be recorded.
 * Without an outcome it would block a provider that uses crossplane-runtime, so that of an earlier create is ended.
 */
function stageIntent<R extends Managed>({ copy, clock, kind }: Reconciliation<R>): void {
  const { object } = copy;
  if (recordsCreateOutcome(kind)) {
    setCreatePending(object, clock.now());
    return;
  }
  // Observe did not find the result of that create.
  if (createIncomplete(object)) setCreateFailed(object, clock.now());
  setCreateIntent(object);
}

async function storeOutcome<R extends Managed>(
  reconciliation: Reconciliation<R>,
  hasOutcome: boolean,
): Promise<void> {
  const { copy } = reconciliation;
  await (hasOutcome ? storeCriticalAnnotations : storeSetAnnotations)(copy, reconciliation);
}

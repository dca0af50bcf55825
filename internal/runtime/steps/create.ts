import { messageOf } from '../../base/errors.ts';
import type { ExternalClient } from '../managed/external-client.ts';
import { failures, StepFailure, step } from '../managed/failures.ts';
import { recordsCreateOutcome } from '../managed/managed-kind.ts';
import {
  createIncomplete,
  setCreateFailed,
  setCreateIntent,
  setCreatePending,
  setCreateSucceeded,
  setExternalName,
} from '../managed/meta.ts';
import type { Managed } from '../managed/resource.ts';
import { messageCreated, reasonCannotUpdateManaged, reasonCreated } from '../managed/words.ts';
import { changeExternal } from './change-external.ts';
import { storeCriticalAnnotations } from './critical-annotations.ts';
import { stageHold } from './hand-over.ts';
import { type Pass, tell } from './pass.ts';

/**
 * Creates the external resource after the intent is stored, by a PUT that fails unless our version is the newest, so
 * that nothing is created for a spec that has changed, or by a process that is not the writer any more. Then the outcome
 * is stored, with retries: as annotations where the kind needs that record, and whatever annotations Create set.
 *
 * @param externalName the name that Create will give, where it is known beforehand
 */
export async function createExternal<R extends Managed>(
  pass: Pass<R>,
  client: ExternalClient<R>,
  externalName: string | undefined,
): Promise<void> {
  const { copy, clock, signal, key, refusals } = pass;
  if (externalName !== undefined) setExternalName(copy.object, externalName);
  const refusal = refusals.recall(key, 'create', copy.object);
  if (refusal !== undefined) throw new StepFailure(failures.create, refusal);
  await step(failures.recordIntent, async () => {
    stageIntent(pass);
    stageHold(pass);
    await pass.calls.prove(() => copy.put(signal));
  });
  const result = await attemptCreate(pass, client);
  if (result.externalName !== undefined) setExternalName(copy.object, result.externalName);
  if (recordsCreateOutcome(pass.kind)) setCreateSucceeded(copy.object, clock.now());
  await step(failures.recordCreated, () => storeOutcome(pass));
  await step(failures.publishCreated, () =>
    pass.publisher.publish(copy.object, result.connectionDetails ?? {}, signal),
  );
  tell(pass, 'Normal', reasonCreated, messageCreated);
}

async function attemptCreate<R extends Managed>(pass: Pass<R>, client: ExternalClient<R>) {
  const { copy, clock, log } = pass;
  try {
    return await changeExternal(pass, 'create', (ctx) => client.create(copy.object, ctx));
  } catch (cause) {
    pass.refusals.note(pass.key, 'create', copy.object, cause);
    if (recordsCreateOutcome(pass.kind)) setCreateFailed(copy.object, clock.now());
    try {
      await storeOutcome(pass);
    } catch (error) {
      log.info('cannot record that the creation failed', { error: messageOf(error) });
      tell(pass, 'Warning', reasonCannotUpdateManaged, messageOf(error));
    }
    throw new StepFailure(failures.create, cause);
  }
}

/**
 * States in memory that a create begins. `external-create-pending` is set only where its outcome will be recorded, and
 * one of an earlier create is ended: alone it would stop a provider built on crossplane-runtime.
 */
function stageIntent<R extends Managed>({ copy, clock, kind }: Pass<R>): void {
  const { object } = copy;
  if (recordsCreateOutcome(kind)) {
    setCreatePending(object, clock.now());
    return;
  }
  // Observe did not find what that create would have made.
  if (createIncomplete(object)) setCreateFailed(object, clock.now());
  setCreateIntent(object);
}

async function storeOutcome<R extends Managed>(pass: Pass<R>): Promise<void> {
  const { copy, kind } = pass;
  if (!recordsCreateOutcome(kind) && Object.keys(copy.changedAnnotations()).length === 0) return;
  await storeCriticalAnnotations(copy, pass);
}

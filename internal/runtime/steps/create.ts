import { messageOf } from '../../base/errors.ts';
import type { ExternalClient } from '../managed/external-client.ts';
import { failures, StepFailure, step } from '../managed/failures.ts';
import { setCreateFailed, setCreatePending, setCreateSucceeded, setExternalName } from '../managed/meta.ts';
import type { Managed } from '../managed/resource.ts';
import { messageCreated, reasonCannotUpdateManaged, reasonCreated } from '../managed/words.ts';
import { changeExternal } from './change-external.ts';
import { storeCriticalAnnotations } from './critical-annotations.ts';
import { stageHold } from './hand-over.ts';
import { type Pass, tell } from './pass.ts';

/**
 * Creates the external resource between two records: the intent, stored by a PUT that fails unless our version is
 * the newest (so that nothing is created for a spec that has changed, or by who is not the writer any more), and the
 * outcome, stored against all odds.
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
    setCreatePending(copy.object, clock.now());
    stageHold(pass);
    await pass.calls.prove(() => copy.put(signal));
  });
  const result = await attemptCreate(pass, client);
  if (result.externalName !== undefined) setExternalName(copy.object, result.externalName);
  setCreateSucceeded(copy.object, clock.now());
  await step(failures.recordCreated, () => storeCriticalAnnotations(copy, pass));
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
    setCreateFailed(copy.object, clock.now());
    try {
      await storeCriticalAnnotations(copy, pass);
    } catch (error) {
      log.info('cannot record that the creation failed', { error: messageOf(error) });
      tell(pass, 'Warning', reasonCannotUpdateManaged, messageOf(error));
    }
    throw new StepFailure(failures.create, cause);
  }
}

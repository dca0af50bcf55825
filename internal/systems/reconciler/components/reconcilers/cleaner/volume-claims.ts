import { ProviderError, sleep } from '../../../../../framework/base/index.ts';

import type { Action, ActionContext } from '../../model/component.ts';
import { allMetadata, deleteObject, KYMA_SYSTEM, volumeClaims } from '../common/objects.ts';

const TRIES = 3;
/** Of one try, in ms. */
const WAIT_MS = 6000;
const POLL_MS = 2000;

/**
 * Deletes the volume claims of the namespace and waits until they are gone. One that stays is still used by a pod.
 *
 * @throws ProviderError of kind `transient` after three tries
 */
export const deleteVolumeClaims: Action = async (context) => {
  const { clock, signal, progress } = context;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    for (const name of await namesOfClaims(context)) {
      await deleteObject(context, volumeClaims, { name, namespace: KYMA_SYSTEM }, 'anyone');
    }
    for (let waitedMs = 0; ; waitedMs += POLL_MS) {
      const left = await namesOfClaims(context);
      if (left.length === 0) return;
      progress(`waiting for the deletion of ${left.length} volume claims of namespace ${KYMA_SYSTEM}`);
      if (waitedMs >= WAIT_MS) break;
      await sleep(clock, POLL_MS, signal);
    }
  }
  const left = (await namesOfClaims(context)).slice(0, 5).join(', ');
  throw new ProviderError('transient', `volume claims of namespace ${KYMA_SYSTEM} are not deleted: ${left}`);
};

async function namesOfClaims(context: ActionContext): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { metadata } of allMetadata(context, volumeClaims, { namespace: KYMA_SYSTEM })) {
    names.push(metadata.name);
  }
  return names;
}

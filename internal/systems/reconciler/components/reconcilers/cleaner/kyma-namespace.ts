import { ProviderError } from '../../../../../framework/base/errors/errors.ts';
import { sleep } from '../../../../../framework/base/time/clock.ts';
import { namespaces } from '../../../../../framework/kube/object/resource-type.ts';
import type { ActionContext } from '../../model/actions.ts';
import { KYMA_SYSTEM } from '../common/kyma-system.ts';
import { deleteObject, findObject } from '../common/objects.ts';

const TIMEOUT_MS = 6 * 60_000;
const POLL_MS = 6000;

/**
 * Deletes the namespace of Kyma and waits until it is gone.
 *
 * @param unblock called at each check, since controllers that still run may add finalizers again
 * @throws ProviderError of kind `transient` after six minutes
 */
export async function deleteNamespace(context: ActionContext, unblock: () => Promise<void>): Promise<void> {
  const { clock, signal, progress } = context;
  const key = { name: KYMA_SYSTEM };
  const isThere = async () => (await findObject(context, namespaces, key)) !== undefined;
  if (!(await deleteObject(context, namespaces, key, 'anyone'))) return;
  const startedAt = clock.monotonic();
  while (await isThere()) {
    if (clock.monotonic() - startedAt >= TIMEOUT_MS) {
      throw new ProviderError('transient', `namespace ${KYMA_SYSTEM} is still there after 6 minutes`);
    }
    progress(`waiting for the deletion of namespace ${KYMA_SYSTEM}`);
    await sleep(clock, POLL_MS, signal);
    await unblock();
  }
}

import { wrap } from '../../../base/errors/errors.ts';
import type { ServiceManagerClient } from '../../../clients/service-manager/index.ts';
import { done, type ReconcileResult } from '../../../controller/index.ts';
import { wasDeleted } from '../../../kube/index.ts';
import type { CredentialUser } from '../credentials/secret-names.ts';
import { deleteNeedsCredentials } from '../status/messages.ts';
import { isNoFailure, reporting } from './reporting.ts';
import type { UnconnectedRun } from './run.ts';

/**
 * Connects with the credentials of `user`. Without credentials nothing is done; the external resource of a deleted object
 * may exist.
 */
export async function connecting(
  run: UnconnectedRun,
  user: CredentialUser,
  use: (client: ServiceManagerClient) => Promise<ReconcileResult>,
): Promise<ReconcileResult> {
  const { object, context } = run;
  const { signal, reserve } = context;
  let client: ServiceManagerClient | undefined;
  const refused = await reporting(run, undefined, async () => {
    try {
      client = await run.connect(user, { signal, reserve });
      return done;
    } catch (error) {
      if (!wasDeleted(object) || isNoFailure(error)) throw error;
      throw wrap(error, deleteNeedsCredentials(object.kind));
    }
  });
  if (client === undefined) return refused;
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

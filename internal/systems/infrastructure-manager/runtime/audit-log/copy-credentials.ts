import { messageOf, ProviderError } from '../../../../framework/base/errors/errors.ts';
import { jsonEqual } from '../../../../framework/base/json/json-equal.ts';
import { isNoFailure, requeue, requeueAfter } from '../../../../framework/controller/index.ts';
import { getIfExists } from '../../../../framework/kube/client/get-if-exists.ts';
import { type Secret, secrets } from '../../../../framework/kube/index.ts';
import { labelManagedBy, MANAGED_BY } from '../../gardenercluster/metadata.ts';
import { rememberConfigured } from '../cluster/configured.ts';
import { KYMA_SYSTEM } from '../cluster/create-kyma-namespace.ts';
import { type RuntimeClusterUse, useRuntimeCluster } from '../cluster/runtime-cluster.ts';
import type { RuntimeRun } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
import { end, type Step } from '../step.ts';
import { assignedAuditLog } from './audit-logs.ts';

const NAME = 'auditlog-read-credentials';
/** Until the audit log manager has named the Secret, in ms. */
const POLL_MS = 10_000;

const { auditLogCredentialsCopied: type } = conditionTypes;

/** Gives the cluster the credentials to read its audit log. The Runtime is Ready then. */
export async function copyAuditLogReadCredentials(run: RuntimeRun): Promise<Step> {
  const { object, context, status } = run;
  const name = assignedAuditLog(run)?.spec.config?.readCredsSecretName;
  if (!name) return wait(run, messages.readCredentialsMissing);
  try {
    const key = { namespace: object.metadata.namespace, name };
    const source = await getIfExists(context.client, secrets, key, context);
    if (source === undefined)
      throw new ProviderError(
        'waiting',
        `failed to get source secret ${key.namespace}/${name}: it is missing`,
      );
    await useRuntimeCluster(run, (cluster) => copySecret(cluster, source));
  } catch (error) {
    if (isNoFailure(error)) throw error;
    return wait(run, `${messages.readCredentialsFailed}: ${messageOf(error)}`, error);
  }
  const message = messages.readCredentialsCopied;
  status.ready({ type, reason: reasons.credentialsCopied, status: 'True', message });
  await status.store();
  return end(rememberConfigured(run));
}

/** A Ready Runtime stays Ready: its cluster has the credentials of before. */
async function wait({ object, status }: RuntimeRun, message: string, error?: unknown): Promise<Step> {
  const stated = { type, reason: reasons.credentialsCopyError, status: 'False', message } as const;
  if (object.status?.state === 'Ready') status.keepState(stated);
  else status.pending(stated);
  await status.store();
  return end(error === undefined ? requeueAfter(POLL_MS) : requeue);
}

/** A Secret of others with this name stays. The type of a Secret cannot change, so one with another type is replaced. */
async function copySecret(
  { client, signal, assertMayWrite }: RuntimeClusterUse,
  source: Secret,
): Promise<void> {
  const key = { namespace: KYMA_SYSTEM, name: NAME };
  const { data = {}, type: secretType = 'Opaque' } = source;
  const labels = { [labelManagedBy]: MANAGED_BY };
  let found = await getIfExists(client, secrets, key, { signal });
  if (found !== undefined && found.metadata.labels?.[labelManagedBy] !== MANAGED_BY)
    throw new ProviderError('contested', `Secret ${key.namespace}/${key.name} of the runtime is of others`);
  if (found !== undefined && found.type !== secretType) {
    const { uid = '', resourceVersion = '' } = found.metadata;
    assertMayWrite();
    await client.delete(secrets, key, { signal, preconditions: { uid, resourceVersion } });
    found = undefined;
  }
  if (found !== undefined && jsonEqual(found.data ?? {}, data)) return;
  assertMayWrite();
  if (found === undefined) {
    const created = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...key, labels },
      type: secretType,
      data,
    };
    await client.create(secrets, created as Secret, { signal });
    return;
  }
  const { managedFields: _, ...metadata } = found.metadata;
  await client.update(secrets, { ...found, metadata, data }, { signal });
}

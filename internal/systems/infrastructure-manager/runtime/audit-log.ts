/** Audit logs of one Runtime each: which AuditLog it has, when its Shoot uses it, and the credentials to read it in its cluster. */

import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { jsonEqual, messageOf, ProviderError, valueAt } from '../../../framework/base/index.ts';
import { isNoFailure, requeue, requeueAfter } from '../../../framework/controller/index.ts';
import { getIfExists, isConflict, type Secret, secrets } from '../../../framework/kube/index.ts';
import type { AuditTenant } from '../configuration/configuration.ts';
import { isRefused } from '../gardener/gardener.ts';
import { labelManagedBy, MANAGED_BY } from '../gardenercluster/metadata.ts';
import { runtimeIdOf } from '../metadata.ts';
import {
  type AuditLog,
  auditLogs,
  isAvailable,
  labelReservedAt,
  labelReservedFor,
  reservedFor,
} from './audit-log-kind.ts';
import {
  KYMA_SYSTEM,
  type RuntimeClusterUse,
  rememberConfigured,
  useRuntimeCluster,
} from './cluster/runtime-cluster.ts';
import { auditLogError, messages } from './messages.ts';
import {
  type End,
  end,
  isAuditLogRequested,
  next,
  RenderingProblem,
  type RuntimeRun,
  type StepOf,
} from './run.ts';
import { conditionTypes, reasons } from './status.ts';

// Which AuditLog a Runtime has: it is reserved before the Shoot exists, claimed when the Shoot is to use it, and orphaned at the end. *
/** In the order of their names. */
const ofNamespace = ({ object, auditLogs: known }: RuntimeRun): readonly AuditLog[] =>
  (known?.list() ?? [])
    .filter(({ metadata }) => metadata.namespace === object.metadata.namespace)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

/** That of the Runtime; undefined: it has none, or shares that of its region. */
export function assignedAuditLog(run: RuntimeRun): AuditLog | undefined {
  return run.auditLogs && (run.claimed ?? auditLogOf(run.object, ofNamespace(run)));
}

/** The one of these that the Runtime has. */
export function auditLogOf(runtime: Runtime, known: readonly AuditLog[]): AuditLog | undefined {
  const id = runtimeIdOf(runtime);
  return id === undefined ? undefined : known.find(({ spec }) => spec.assignedToRuntimeID === id);
}

const reservedAuditLog = (run: RuntimeRun): AuditLog | undefined => {
  const id = runtimeIdOf(run.object);
  return ofNamespace(run).find(
    (each) => id !== undefined && reservedFor(each) === id && !each.spec.assignedToRuntimeID,
  );
};

/** @throws RenderingProblem if a part of it is missing */
export function auditDataOfAuditLog({ metadata, spec }: AuditLog): AuditTenant {
  const { subaccountID: tenantID, config } = spec;
  const { serviceURL, gardenerSecretName: secretName } = config ?? {};
  if (tenantID && serviceURL && secretName) return { tenantID, serviceURL, secretName };
  const cause = `AuditLog ${metadata.name} has no subaccountID, serviceURL or gardenerSecretName`;
  throw new RenderingProblem(reasons.customAuditLogError, auditLogError(cause));
}

/** Keeps an AuditLog for the Runtime before it has a Shoot, if it asks for one. @throws RenderingProblem if there is none */
export async function reserveAuditLog(run: RuntimeRun): Promise<void> {
  if (!isAuditLogRequested(run)) return;
  if (assignedAuditLog(run) !== undefined || reservedAuditLog(run) !== undefined) return;
  const found = available(run, (region) => `no available AuditLogCR in the pool for region ${region}`);
  await update(run, reserved(run, found));
}

/**
 * Gives the Runtime the AuditLog that is reserved for it, or an available one, if it asks for one. That cannot be taken back.
 *
 * @returns that of the Runtime; undefined: it asks for none
 * @throws RenderingProblem if there is none
 */
export async function claimAuditLog(run: RuntimeRun): Promise<AuditLog | undefined> {
  const assigned = assignedAuditLog(run);
  if (assigned !== undefined) {
    if (!isAuditLogRequested(run))
      run.context.log.info('Dedicated audit logging is irreversible - ignoring attempt to disable');
    return assigned;
  }
  if (!isAuditLogRequested(run)) return undefined;
  const found =
    reservedAuditLog(run) ?? available(run, (region) => `no available AuditLogCR for region ${region}`);
  const owned = reserved(run, found);
  const assignedToRuntimeID = runtimeIdOf(run.object) ?? '';
  run.claimed = await update(run, { ...owned, spec: { ...owned.spec, assignedToRuntimeID } });
  return run.claimed;
}

/** The Runtime is deleted: its AuditLog is orphaned, one that is only reserved can be given to others. */
export async function releaseAuditLog(run: RuntimeRun): Promise<void> {
  const assigned = assignedAuditLog(run);
  const isOrphan = assigned?.spec.orphaned === true || assigned?.status?.state !== 'Assigned';
  if (assigned !== undefined && !isOrphan)
    await update(run, { ...assigned, spec: { ...assigned.spec, orphaned: true } });
  const free = reservedAuditLog(run);
  if (free === undefined) return;
  const { [labelReservedFor]: _, [labelReservedAt]: __, ...labels } = free.metadata.labels ?? {};
  await update(run, { ...free, metadata: { ...free.metadata, labels } });
}

function available(run: RuntimeRun, missing: (region: string) => string): AuditLog {
  const region = run.object.spec?.shoot.region ?? '';
  const id = runtimeIdOf(run.object);
  const found = ofNamespace(run).find((each) => isAvailable(each, region));
  if (found !== undefined && id !== undefined) return found;
  throw new RenderingProblem(reasons.customAuditLogError, auditLogError(missing(region)));
}

function reserved({ object, context }: RuntimeRun, { metadata, ...rest }: AuditLog): AuditLog {
  const id = runtimeIdOf(object) ?? '';
  if (metadata.labels?.[labelReservedFor] === id) return { ...rest, metadata };
  const at = String(Math.floor(context.client.now() / 1000));
  const labels = { ...metadata.labels, [labelReservedFor]: id, [labelReservedAt]: at };
  return { ...rest, metadata: { ...metadata, labels } };
}

/**
 * Of the version that was read: two Runtimes that want the same one do not both get it.
 *
 * @throws RenderingProblem if it is refused
 */
async function update({ context }: RuntimeRun, { metadata, ...rest }: AuditLog): Promise<AuditLog> {
  const { managedFields: _, ...kept } = metadata;
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite();
  context.guard.assertMayWrite();
  try {
    return await context.client.update(auditLogs, { ...rest, metadata: kept }, context);
  } catch (error) {
    if (isConflict(error))
      context.log.info('another Runtime may have taken the AuditLog', { name: kept.name });
    if (!isRefused(error)) throw error;
    const message = auditLogError(messageOf(error));
    throw new RenderingProblem(reasons.customAuditLogError, message, { cause: error });
  }
}

/** Claims the AuditLog of a Runtime whose cluster is ready, and waits until its Shoot uses it. */
export async function migrateToDedicatedAuditLog(
  run: RuntimeRun,
): Promise<StepOf<'MigrateToDedicatedAuditLog'>> {
  const { status } = run;
  try {
    await claimAuditLog(run);
    const isUsed = !isAuditLogDue(run);
    const reason = reasons.customAuditLogConfigured;
    const message = messages.auditLogConfigured;
    if (isUsed) {
      // Stored together with the result of the next state.
      status.keepState({ type: conditionTypes.auditLogConfigured, reason, status: 'True', message });
      return next('CopyAuditLogReadCredentials');
    }
    status.pending({ type: conditionTypes.auditLogConfigured, reason, status: 'Unknown', message });
    await status.store();
    // The Shoot is patched then.
    return end(requeue);
  } catch (error) {
    if (!(error instanceof RenderingProblem)) throw error;
    const shown = status.condition(conditionTypes.auditLogConfigured);
    if (shown?.message !== error.message) run.onUnexpectedStop();
    status.failed({ type: conditionTypes.auditLogConfigured, reason: error.reason, message: error.message });
    await status.store();
    return end(requeue);
  }
}

/** Whether the Runtime has an AuditLog that its Shoot does not use. */
export function isAuditLogDue(run: RuntimeRun): boolean {
  const assigned = assignedAuditLog(run);
  if (assigned === undefined || run.shoot === undefined) return false;
  return !jsonEqual(auditDataOfAuditLog(assigned), usedData(run.shoot));
}

/** Where the Shoot sends its audit logs. */
function usedData({ spec }: NonNullable<RuntimeRun['shoot']>): AuditTenant {
  const config = spec?.extensions?.find((each) => each.type === 'shoot-auditlog-service')?.providerConfig;
  const text = (name: string) => String(valueAt(config, [name]) ?? '');
  const reference = text('secretReferenceName');
  const secretName = spec?.resources?.find(({ name }) => name === reference)?.resourceRef.name ?? '';
  return { tenantID: text('tenantID'), serviceURL: text('serviceURL'), secretName };
}

const NAME = 'auditlog-read-credentials';
/** Until the audit log manager has named the Secret, in ms. */
const POLL_MS = 10_000;

/** Gives the cluster the credentials to read its audit log. The Runtime is Ready then. */
export async function copyAuditLogReadCredentials(
  run: RuntimeRun,
): Promise<StepOf<'CopyAuditLogReadCredentials'>> {
  const { object, context, status } = run;
  const name = assignedAuditLog(run)?.spec.config?.readCredsSecretName;
  if (!name) return waitForCredentials(run, messages.readCredentialsMissing);
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
    return waitForCredentials(run, `${messages.readCredentialsFailed}: ${messageOf(error)}`, error);
  }
  const message = messages.readCredentialsCopied;
  status.ready({
    type: conditionTypes.auditLogCredentialsCopied,
    reason: reasons.credentialsCopied,
    status: 'True',
    message,
  });
  await status.store();
  return end(rememberConfigured(run));
}

/** A Ready Runtime stays Ready: its cluster has the credentials of before. */
async function waitForCredentials(
  { object, status }: RuntimeRun,
  message: string,
  error?: unknown,
): Promise<End> {
  const stated = {
    type: conditionTypes.auditLogCredentialsCopied,
    reason: reasons.credentialsCopyError,
    status: 'False',
    message,
  } as const;
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

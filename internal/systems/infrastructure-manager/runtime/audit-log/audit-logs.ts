/** Which AuditLog a Runtime has: it is reserved before the Shoot exists, claimed when the Shoot is to use it, and orphaned at the end. */
import { isConflict } from '../../../../framework/kube/index.ts';
import { runtimeIdOf } from '../metadata.ts';
import type { AuditData } from '../rendering.ts';
import { RenderingProblem } from '../rendering-problem.ts';
import { isAuditLogRequested, type RuntimeRun } from '../run.ts';
import { auditLogError } from '../status/messages.ts';
import { reasons } from '../status/reasons.ts';
import {
  type AuditLog,
  auditLogs,
  isAvailable,
  labelReservedAt,
  labelReservedFor,
  reservedFor,
} from './kind.ts';

/** In the order of their names. */
const ofNamespace = ({ object, auditLogs: known }: RuntimeRun): readonly AuditLog[] =>
  (known?.list() ?? [])
    .filter(({ metadata }) => metadata.namespace === object.metadata.namespace)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

/** That of the Runtime; undefined: it has none, or shares that of its region. */
export function assignedAuditLog(run: RuntimeRun): AuditLog | undefined {
  const id = runtimeIdOf(run.object);
  if (run.auditLogs === undefined || id === undefined) return undefined;
  return run.claimed ?? ofNamespace(run).find(({ spec }) => spec.assignedToRuntimeID === id);
}

const reservedAuditLog = (run: RuntimeRun): AuditLog | undefined => {
  const id = runtimeIdOf(run.object);
  return ofNamespace(run).find(
    (each) => id !== undefined && reservedFor(each) === id && !each.spec.assignedToRuntimeID,
  );
};

/** @throws RenderingProblem if a part of it is missing */
export function auditDataOfAuditLog({ metadata, spec }: AuditLog): AuditData {
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

/** Of the version that was read: two Runtimes that want the same one do not both get it. */
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
    throw error;
  }
}

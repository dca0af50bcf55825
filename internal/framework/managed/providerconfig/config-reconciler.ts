/**
 * The reconciler of provider configurations, as `pkg/reconciler/providerconfig` of crossplane-runtime: it adds a
 * finalizer while there are usages, counts the users, and removes usages without an owner or of a kind that is gone.
 */
import { messageOf, wrap } from '../../base/errors/errors.ts';
import { kubectlArguments, shellCommand } from '../../base/text/shell.ts';
import { removeFinalizer, stageFinalizer } from '../../controller/reconcile/finalizer.ts';
import { reportingHeldDeletion } from '../../controller/reconcile/held-deletion.ts';
import type { Reconciler, ReconcilerContext } from '../../controller/reconcile/reconciler.ts';
import { putObject, type WorkingCopy } from '../../controller/reconcile/working-copy.ts';
import { done, type ReconcileResult, requeueAfter } from '../../controller/reconcile-result.ts';
import { listAllMetadata, type ObjectCache } from '../../kube/cache/cache.ts';
import { isServed } from '../../kube/client/discovery.ts';
import { isConflict, isForbidden, isNotFound, isUnknownKind } from '../../kube/errors/errors.ts';
import { type KubeObject, keyOf, wasDeleted } from '../../kube/object/object.ts';
import { controllerOf } from '../../kube/object/ownership.ts';
import {
  customResourceDefinitions,
  groupResource,
  type ResourceType,
} from '../../kube/object/resource-type.ts';
import { getCondition, type NewCondition, setConditions } from '../resource/conditions.ts';
import * as messages from './model/messages.ts';
import type { ConfigKinds, ProviderConfig, ProviderConfigUsage } from './model/provider-config.ts';
import { isUserOf, usersOf } from './usage/config-users.ts';
import type { Usages } from './usage/usages.ts';

/** Blocks the deletion of a configuration with users. */
export const inUseFinalizer = 'in-use.crossplane.io';

export interface ConfigReconcilerOptions {
  readonly kinds: ConfigKinds;
  readonly usageCache: ObjectCache<ProviderConfigUsage>;
  readonly usages: Usages;
  /** The kinds of managed resources that record their use. Default: none. */
  readonly userTypes?: () => readonly ResourceType[];
}

interface ConfigReconciliation extends ConfigReconcilerOptions, ReconcilerContext {
  readonly copy: WorkingCopy<ProviderConfig>;
}

/** Delay after a transient error. */
const RETRY: ReconcileResult = requeueAfter(30_000);
/** Delay while the deletion waits: the removal of a kind of users causes no request. */
const CHECK_KINDS: ReconcileResult = requeueAfter(60_000);

export const createConfigReconciler = (options: ConfigReconcilerOptions): Reconciler<ProviderConfig> =>
  reportingHeldDeletion((copy, context) => reconcile({ ...context, ...options, copy }), {
    own: inUseFinalizer,
    show: (config, message, { clock }) => {
      const reason = messages.reasonWaitingForFinalizers;
      setConditions(config, clock, { type: messages.typeTerminating, status: 'True', reason, message });
    },
  });

async function reconcile(reconciliation: ConfigReconciliation): Promise<ReconcileResult> {
  const { copy, signal, log } = reconciliation;
  const config = copy.object;
  let users: number;
  try {
    users = await countUsers(reconciliation);
  } catch (error) {
    reconciliation.recorder.record(config, 'Warning', messages.reasonUsageAccounting, messageOf(error));
    return RETRY;
  }
  config.status = { ...config.status, users };
  if (wasDeleted(config) && users > 0) return block(reconciliation, users);
  try {
    if (wasDeleted(config)) {
      await removeFinalizer(copy, inUseFinalizer, signal);
      return done;
    }
    stageFinalizer(copy, inUseFinalizer);
    if (copy.hasChanges()) await putObject(copy, signal);
  } catch (error) {
    log.info('cannot write the finalizer of a ProviderConfig', { error: messageOf(error) });
    return RETRY;
  }
  return storeStatus(reconciliation);
}

/** Blocks the deletion. The change of a usage requeues the configuration. */
async function block(reconciliation: ConfigReconciliation, users: number): Promise<ReconcileResult> {
  const config = reconciliation.copy.object;
  const { kinds } = reconciliation;
  const { namespace, labelSelector } = usersOf(config, kinds);
  const everywhere = kinds.scope === 'Namespaced' && namespace === undefined ? ['-A'] : [];
  const words = [...kubectlArguments(namespace), 'get', groupResource(kinds.usage), ...everywhere];
  const message = messages.inUseText(users, shellCommand(...words, '-l', labelSelector));
  const inUse: NewCondition = {
    type: messages.typeTerminating,
    status: 'True',
    reason: messages.reasonInUse,
    message,
  };
  // Once, whatever the number of users is.
  if (getCondition(config, messages.typeTerminating)?.reason !== messages.reasonInUse) {
    reconciliation.recorder.record(config, 'Warning', messages.reasonUsageAccounting, message);
  }
  setConditions(config, reconciliation.clock, inUse);
  const stored = await storeStatus(reconciliation);
  return typesOf(reconciliation).length === 0 ? stored : CHECK_KINDS;
}

const typesOf = ({ userTypes = () => [] }: ConfigReconciliation): readonly ResourceType[] => userTypes();

async function storeStatus({ copy, signal }: ConfigReconciliation): Promise<ReconcileResult> {
  try {
    await copy.putStatus(signal);
  } catch (error) {
    throw wrap(error, 'cannot update ProviderConfig status');
  }
  return done;
}

/** Counts usages with an owner and removes the others. */
async function countUsers(reconciliation: ConfigReconciliation): Promise<number> {
  const config = reconciliation.copy.object;
  const known = reconciliation.usageCache
    .list()
    .filter((usage) => isUserOf(usage, config, reconciliation.kinds));
  if (!wasDeleted(config)) return removeOrphans(reconciliation, known, () => false);
  const isOfMissingKind = await missingKinds(reconciliation, known);
  const owned = await removeOrphans(reconciliation, known, isOfMissingKind);
  // The cache may be outdated, so a deletion is confirmed by the API server.
  return owned === 0
    ? removeOrphans(reconciliation, await listUsages(reconciliation), isOfMissingKind)
    : owned;
}

type IsOfMissingKind = (usage: KubeObject) => boolean;

/**
 * Finds the usages of kinds whose CRD is gone. Their resources are gone with it, and so is the controller that would have released
 * the usages. The garbage collector leaves objects whose owner is of a kind that is not served.
 */
async function missingKinds(
  reconciliation: ConfigReconciliation,
  usages: readonly KubeObject[],
): Promise<IsOfMissingKind> {
  const isOf = (type: ResourceType) => (usage: KubeObject) => {
    const { kind, apiVersion } = controllerOf(usage) ?? {};
    return kind === type.kind && apiVersion?.split('/')[0] === type.group;
  };
  const missing: IsOfMissingKind[] = [];
  for (const type of typesOf(reconciliation))
    if (usages.some(isOf(type)) && (await isKindMissing(reconciliation, type))) missing.push(isOf(type));
  return (usage) => missing.some((isOfKind) => isOfKind(usage));
}

/** Discovery and the CRD must agree, as far as the CRD may be read: discovery alone may lag behind. */
async function isKindMissing({ client, signal }: ConfigReconciliation, type: ResourceType): Promise<boolean> {
  try {
    if (await isServed(client, type, { signal })) return false;
  } catch (error) {
    throw wrap(error, `cannot find out whether ${type.kind} is served`);
  }
  try {
    await client.getMetadata(customResourceDefinitions, { name: groupResource(type) }, { signal });
    return false;
  } catch (error) {
    if (isForbidden(error) || (isNotFound(error) && !isUnknownKind(error))) return true;
    throw wrap(error, `cannot read the CRD of ${type.kind}`);
  }
}

/** Returns the number of usages left. */
async function removeOrphans(
  reconciliation: ConfigReconciliation,
  usages: readonly KubeObject[],
  isOfMissingKind: IsOfMissingKind,
): Promise<number> {
  const orphans = usages.filter((usage) => controllerOf(usage) === undefined || isOfMissingKind(usage));
  for (const orphan of orphans) await remove(reconciliation, orphan);
  return usages.length - orphans.length;
}

async function remove(
  { client, kinds, usages, log, signal }: ConfigReconciliation,
  orphan: KubeObject,
): Promise<void> {
  try {
    await usages.release(keyOf(orphan), signal);
    const { uid = '' } = orphan.metadata;
    await client.delete(kinds.usage, keyOf(orphan), { signal, preconditions: { uid } });
  } catch (error) {
    // A conflict: it was created anew, and is counted next time.
    if (isNotFound(error) || isConflict(error)) return;
    // Crossplane grants providers no right to delete usages. A usage without an owner is not counted anyway.
    if (!isForbidden(error)) throw wrap(error, 'cannot delete ProviderConfigUsage');
    log.debug('cannot delete a ProviderConfigUsage without an owner', { error: messageOf(error) });
  }
}

async function listUsages({ client, kinds, copy, signal }: ConfigReconciliation): Promise<KubeObject[]> {
  const selection = usersOf(copy.object, kinds);
  try {
    return await listAllMetadata(client, kinds.usage, { ...selection, signal });
  } catch (error) {
    // The CRD of the usages may be deleted first; an API server that does not know it yet returns 503.
    if (isUnknownKind(error)) return [];
    throw wrap(error, 'cannot list ProviderConfigUsages');
  }
}

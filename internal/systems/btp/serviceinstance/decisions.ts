import { operationURLOf } from '../operations/run.ts';
import { isReady, observedGenerationOf, succeededOf } from '../status/conditions.ts';
import { reasons } from '../status/messages.ts';
import { sharedOf } from './instance-run.ts';
import type { ServiceInstance } from './resource.ts';
import { contentHash, specHash, writtenHash } from './spec-hash.ts';

/**
 * Whether Service Manager must get an update: the spec differs from the one that it has, it has other content, the parameters in
 * watched Secrets changed, or a user requested it. That the last update failed is no reason: an edit that was refused may be taken back.
 *
 * An instance that was never created successfully is not updated.
 *
 * @param isChanged whether Service Manager has a different name or plan, or Secrets have different parameters
 */
export function updateNeeded(instance: ServiceInstance, isChanged: boolean): boolean {
  return isUpdateRequested(instance) || (isReady(instance) && (isChanged || !isAccepted(instance)));
}

/** Whether a user requested an update. */
export const isUpdateRequested = ({ status }: ServiceInstance): boolean => status?.forceReconcile === true;

/** Whether the last update failed, or was throttled. */
export function isUnsettledUpdate(instance: ServiceInstance): boolean {
  const reason = succeededOf(instance)?.reason;
  return reason === reasons.updateFailed || reason === reasons.updateInProgress;
}

/**
 * The hash of the spec that Service Manager has; undefined: not known. Without `acceptedSpec` it is the hash that was sent last, unless
 * that failed: SAP's operator stores it before it sends the update.
 */
export function acceptedSpecOf(instance: ServiceInstance): string | undefined {
  const { acceptedSpec, hashedSpec } = instance.status ?? {};
  return acceptedSpec ?? (isUnsettledUpdate(instance) ? undefined : hashedSpec);
}

/** `acceptedSpec` after an update whose result is not known. */
export const unknownSpec = 'unknown';

/** Whether Service Manager has the spec, as far as its responses say, whichever user wrote it. */
export function isAccepted(instance: ServiceInstance): boolean {
  const accepted = acceptedSpecOf(instance);
  const { spec } = instance;
  return (
    specHash(spec) === accepted || [contentHash, writtenHash].some((hashOf) => hashOf(instance) === accepted)
  );
}

/** Whether an edit that was refused is taken back. */
export const isTakenBack = (instance: ServiceInstance): boolean =>
  isReady(instance) && isUnsettledUpdate(instance) && isAccepted(instance);

/**
 * What makes the instance shared as the spec says; undefined: nothing. Only an instance that can be used is shared. A
 * service plan that does not support sharing is not asked again.
 */
export function shareAction(instance: ServiceInstance): 'share' | 'unshare' | undefined {
  if (!isReady(instance)) return undefined;
  const { shared = false } = instance.spec;
  const condition = sharedOf(instance);
  if (condition?.reason === reasons.shareNotSupported) return undefined;
  const isShared = condition?.status === 'True';
  if (shared === isShared) return undefined;
  return shared ? 'share' : 'unshare';
}

/** Whether Service Manager has what the spec says, as far as the status shows. */
export function isFinal(instance: ServiceInstance): boolean {
  return (
    isReady(instance) &&
    !isUpdateRequested(instance) &&
    acceptedSpecOf(instance) !== unknownSpec &&
    operationURLOf(instance) === '' &&
    succeededOf(instance)?.status === 'True' &&
    observedGenerationOf(instance) === instance.metadata.generation &&
    shareAction(instance) === undefined
  );
}

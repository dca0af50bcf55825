/**
 * A ProviderConfigUsage records that a resource uses a configuration. Its name is the uid of the resource, the
 * resource is its owner, and labels name the configuration, so that its users can be listed.
 */
import { ProviderError } from '../../../base/errors/errors.ts';
import { type KubeObject, type ObjectKey, type ObjectMeta, wasDeleted } from '../../../kube/object/object.ts';
import { asController, controllerOf } from '../../../kube/object/ownership.ts';
import { apiVersionOf, type ResourceType } from '../../../kube/object/resource-type.ts';
import type { Managed } from '../../resource/managed.ts';
import type { ConfigRef, ProviderConfigUsage } from '../model/provider-config.ts';

export const labelConfig = 'crossplane.io/provider-config';
export const labelConfigKind = 'crossplane.io/provider-config-kind';

/** Keeps a deleted usage until its resource no longer needs the configuration. */
export const usageFinalizer = 'finalizer.providerconfigusage.crossplane.io';

/** The key of the usage of a resource. */
export function usageKeyOf(resource: KubeObject, type: ResourceType): ObjectKey {
  const { uid, namespace } = resource.metadata;
  if (uid === undefined) throw new ProviderError('bug', 'a resource without uid cannot use a ProviderConfig');
  return type.namespaced && namespace !== undefined ? { name: uid, namespace } : { name: uid };
}

/** The key of the resource of a usage. */
export function resourceKeyOf({ metadata, resourceRef }: ProviderConfigUsage): ObjectKey {
  const { namespace } = metadata;
  return namespace === undefined ? { name: resourceRef.name } : { name: resourceRef.name, namespace };
}

/** @param hold whether to add the finalizer */
export function newUsage(
  resource: Managed,
  type: ResourceType,
  ref: ConfigRef,
  hold: boolean,
): ProviderConfigUsage {
  const { apiVersion, kind, metadata } = resource;
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      ...usageKeyOf(resource, type),
      labels: labelsOf(ref),
      ownerReferences: [asController(resource)],
      ...(hold ? { finalizers: [usageFinalizer] } : {}),
    },
    providerConfigRef: refOf(ref),
    resourceRef: { apiVersion, kind, name: metadata.name },
  };
}

/** A merge patch of a usage. */
export interface UsageChanges {
  readonly metadata: Partial<Pick<ObjectMeta, 'labels' | 'finalizers' | 'ownerReferences'>>;
  readonly providerConfigRef?: ConfigRef;
}

/**
 * The changes of an existing usage; `undefined` if there are none. Finalizers of others stay. A usage that is being
 * deleted cannot get a finalizer. A resource that is being deleted is not made the owner again: a deletion with `--cascade=orphan`
 * has removed it.
 */
export function usageChanges(
  usage: ProviderConfigUsage,
  resource: Managed,
  ref: ConfigRef,
  hold: boolean,
): UsageChanges | undefined {
  const { labels = {}, finalizers = [], ownerReferences = [], deletionTimestamp } = usage.metadata;
  const wantedLabels = labelsOf(ref);
  const holds = !hold || deletionTimestamp !== undefined || finalizers.includes(usageFinalizer);
  const metadata = {
    ...(isSubset(wantedLabels, labels) ? {} : { labels: wantedLabels }),
    ...(holds ? {} : { finalizers: [...finalizers, usageFinalizer] }),
    ...(controllerOf(usage) || wasDeleted(resource)
      ? {}
      : { ownerReferences: [...ownerReferences, asController(resource)] }),
  };
  const sameRef = isSameRef(usage.providerConfigRef, ref);
  if (sameRef && Object.keys(metadata).length === 0) return undefined;
  return { ...(sameRef ? {} : { providerConfigRef: refOf(ref) }), metadata };
}

/** The same changes, except for the owner; `undefined` if there are no others. */
export function withoutOwner({ metadata, ...changes }: UsageChanges): UsageChanges | undefined {
  const { ownerReferences: _, ...rest } = metadata;
  const isEmpty = Object.keys(changes).length === 0 && Object.keys(rest).length === 0;
  return isEmpty ? undefined : { ...changes, metadata: rest };
}

/** The fields of a usage that informers keep: there is one usage for each resource. */
export function slimUsage(usage: ProviderConfigUsage): ProviderConfigUsage {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, labels, finalizers, ownerReferences } =
    usage.metadata;
  const { apiVersion, kind, providerConfigRef, resourceRef } = usage;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(labels === undefined ? {} : { labels }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    providerConfigRef,
    resourceRef,
  };
}

function labelsOf({ name, kind }: ConfigRef): Record<string, string> {
  return { [labelConfig]: name, ...(kind === undefined ? {} : { [labelConfigKind]: kind }) };
}

function refOf({ kind, name }: ConfigRef): ConfigRef {
  return kind === undefined ? { name } : { kind, name };
}

/** A `legacy` reference has no kind. */
function isSameRef(recorded: ConfigRef | undefined, wanted: ConfigRef): boolean {
  return recorded?.name === wanted.name && (wanted.kind === undefined || recorded.kind === wanted.kind);
}

function isSubset(wanted: Record<string, string>, there: Record<string, string>): boolean {
  return Object.entries(wanted).every(([name, value]) => there[name] === value);
}

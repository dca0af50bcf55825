/**
 * Reviews what an uninstallation of the provider would delete or block now. Crossplane deletes the CRDs of a package,
 * and so all resources, at the same time as the pod of the provider. External resources that the pod still handles
 * are deleted. Other resources keep their finalizer, which blocks the deletion of their CRD.
 */
import { objectCommand } from '../../../base/text/shell.ts';
import { hasFinalizer, managedFinalizer } from '../../../controller/reconcile/finalizer.ts';
import { listAll } from '../../../kube/cache/cache.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { isNotFound } from '../../../kube/errors/errors.ts';
import { type KubeObject, wasDeleted } from '../../../kube/object/object.ts';
import { apiVersionOf, groupResource, type ResourceType } from '../../../kube/object/resource-type.ts';
import { resolvePolicies } from '../../kind/policies.ts';
import {
  type ConfigKinds,
  configTypes,
  type ProviderConfig,
  type ProviderConfigUsage,
} from '../../providerconfig/model/provider-config.ts';
import type { Managed } from '../../resource/managed.ts';
import { isPaused, recordedExternalName } from '../../resource/meta.ts';

/**
 * - `lost`: the external resource would be deleted, or the object would keep its finalizer, whichever comes first
 * - `hangs`: the object would keep its finalizers; the external resource stays
 * - `goes`: the object would be deleted
 */
export type Fate = 'lost' | 'hangs' | 'goes';

export interface UninstallFinding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly fate: Fate;
  /** One line. */
  readonly why: string;
  readonly finalizers: readonly string[];
  /** Managed resources only. */
  readonly deletionPolicy?: string;
  readonly managementPolicies?: readonly string[];
  readonly externalName?: string;
  /** A command that prevents it, to be run while the provider is installed. */
  readonly remediation?: string;
}

export interface UninstallReview {
  /** Nothing would be lost or hang. */
  readonly safe: boolean;
  /** Objects that would be lost or hang, in this order. */
  readonly findings: readonly UninstallFinding[];
  /** Number of objects that would be deleted. */
  readonly unaffected: number;
  /** Kinds that are not installed, as `<plural>.<group>`. */
  readonly notInstalled: readonly string[];
}

export interface UninstallReviewOptions {
  readonly client: KubeClient;
  readonly managed: readonly ResourceType<Managed>[];
  readonly configs: readonly ConfigKinds[];
  readonly signal: AbortSignal;
}

const order: Readonly<Record<Fate, number>> = { lost: 0, hangs: 1, goes: 2 };

/** @throws if a kind cannot be listed: the review would be incomplete */
export async function reviewUninstall(options: UninstallReviewOptions): Promise<UninstallReview> {
  const { managed, configs } = options;
  const notInstalled: string[] = [];
  const review = async <T extends KubeObject>(
    type: ResourceType<T>,
    assess: (object: T) => UninstallFinding,
  ): Promise<UninstallFinding[]> => {
    try {
      return (await listAll<T>(options.client, type, options)).map(assess);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      notInstalled.push(groupResource(type));
      return [];
    }
  };
  const all = await Promise.all([
    ...managed.map((type) => review<Managed>(type, (object) => assessManaged(type, object))),
    ...configs.flatMap((kinds) => [
      ...configTypes(kinds).map((type) =>
        review<ProviderConfig>(type, (object) => assessConfig(type, object)),
      ),
      review<ProviderConfigUsage>(kinds.usage, (object) => assessUsage(kinds.usage, object)),
    ]),
  ]);
  const findings = all.flat();
  const affected = findings.filter(({ fate }) => fate !== 'goes');
  return {
    safe: affected.length === 0,
    findings: affected.sort((a, b) => order[a.fate] - order[b.fate]),
    unaffected: findings.length - affected.length,
    notInstalled: notInstalled.sort(),
  };
}

function assessManaged(type: ResourceType, resource: Managed): UninstallFinding {
  const finalizers = resource.metadata.finalizers ?? [];
  const policies = resolvePolicies(resource, { enabled: true });
  const { deletionPolicy, managementPolicies } = resource.spec;
  const externalName = recordedExternalName(resource);
  const common = {
    ...identity(type, resource),
    finalizers,
    ...(deletionPolicy === undefined ? {} : { deletionPolicy }),
    ...(managementPolicies === undefined ? {} : { managementPolicies }),
    ...(externalName === undefined || externalName === resource.metadata.name ? {} : { externalName }),
  };
  if (finalizers.length === 0) return { ...common, fate: 'goes', why: 'it has no finalizer' };
  const foreign = finalizers.filter((name) => name !== managedFinalizer);
  if (!hasFinalizer(resource, managedFinalizer)) {
    return { ...common, fate: 'hangs', why: `others hold it by ${foreign.join(', ')}` };
  }
  const command = commandFor(type, resource);
  if (wasDeleted(resource)) {
    const since = resource.metadata.deletionTimestamp ?? '';
    const why = `its deletion has been in progress since ${since}, and needs the provider`;
    return { ...common, fate: 'hangs', why, remediation: command('describe') };
  }
  if (policies.paused || isPaused(resource)) {
    return {
      ...common,
      fate: 'hangs',
      why: 'it is paused, so its finalizer is not removed',
      remediation: command('annotate', 'crossplane.io/paused-'),
    };
  }
  if (!policies.deletesExternal) {
    const why = 'its external resource stays, but only the provider removes the finalizer';
    return { ...common, fate: 'hangs', why, remediation: command('delete') };
  }
  return {
    ...common,
    fate: 'lost',
    why: 'its external resource would be deleted; if the provider is gone before, it hangs',
    remediation: command('patch', '--type=merge', '-p', JSON.stringify({ spec: keepingPatch(resource) })),
  };
}

/** The patch that orphans the external resource: the deletion policy if there is one. */
function keepingPatch(resource: Managed): object {
  const usual = resource.spec.managementPolicies?.includes('Delete') !== true;
  if (resource.metadata.namespace === undefined && usual) return { deletionPolicy: 'Orphan' };
  return { managementPolicies: ['Observe', 'Create', 'Update', 'LateInitialize'] };
}

function assessConfig(type: ResourceType, config: ProviderConfig): UninstallFinding {
  const finalizers = config.metadata.finalizers ?? [];
  const users = config.status?.users ?? 0;
  const common = { ...identity(type, config), finalizers };
  if (finalizers.length === 0) return { ...common, fate: 'goes', why: 'no resource uses it' };
  const why =
    users > 0 ? `${users} ${users === 1 ? 'resource uses' : 'resources use'} it` : 'it has finalizers';
  return { ...common, fate: 'hangs', why };
}

function assessUsage(type: ResourceType, usage: ProviderConfigUsage): UninstallFinding {
  const finalizers = usage.metadata.finalizers ?? [];
  const common = { ...identity(type, usage), finalizers };
  if (finalizers.length === 0) return { ...common, fate: 'goes', why: 'it has no finalizer' };
  const { kind, name } = usage.resourceRef;
  return { ...common, fate: 'hangs', why: `it goes with ${kind} ${name}` };
}

function identity(type: ResourceType, object: KubeObject) {
  const { name, namespace } = object.metadata;
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
  };
}

const commandFor =
  (type: ResourceType, { metadata }: KubeObject) =>
  (verb: string, ...more: readonly string[]) =>
    objectCommand(verb, groupResource(type), metadata, ...more);

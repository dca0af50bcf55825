/**
 * What would be lost, or hang, if the provider were uninstalled as things are. Crossplane deletes the CRDs of a package
 * with it, and so all resources, and the provider's pod at the same time: what the pod still gets to do in its last
 * moments is deleted on the other side, and what it does not get to hangs with its finalizer, and its CRD with it.
 * Rule: package-and-composition §3, "Deleting the Provider".
 */
import { kubectlArguments, objectArguments, shellCommand } from '../../base/text/shell.ts';
import { listAll } from '../../kube/cache/listed-cache.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isNotFound } from '../../kube/errors/errors.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import { apiVersionOf, groupResource, type ResourceType } from '../../kube/object/resource-type.ts';
import { resolvePolicies } from '../managed/kind/policies.ts';
import type { ProviderConfigUsage } from '../providerconfig/provider-config.ts';
import { type ConfigKinds, configTypes, type ProviderConfig } from '../providerconfig/provider-config.ts';
import type { Managed } from '../resource/managed.ts';
import { externalNameFrom, isPaused, wasDeleted } from '../resource/meta.ts';
import { hasFinalizer, managedFinalizer } from '../steps/finalizer.ts';

/**
 * `lost`: the external resource would be deleted, or the object would hang, whichever comes first. `hangs`: the object
 * would stay behind with its finalizers; the external resource is not touched. `goes`: nothing stands in the way.
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
  /** A command that mends it, run while the provider still works. */
  readonly mend?: string;
}

export interface UninstallReview {
  /** Nothing would be lost and nothing hang. */
  readonly safe: boolean;
  /** What would, in the order of `lost`, `hangs`. */
  readonly findings: readonly UninstallFinding[];
  /** Objects that would go without trouble. */
  readonly unaffected: number;
  /** Kinds that the cluster does not have, as `<plural>.<group>`. */
  readonly notInstalled: readonly string[];
}

export interface UninstallReviewOptions {
  readonly client: KubeClient;
  readonly managed: readonly ResourceType<Managed>[];
  readonly configs: readonly ConfigKinds[];
  readonly signal: AbortSignal;
}

const order: Readonly<Record<Fate, number>> = { lost: 0, hangs: 1, goes: 2 };

/** @throws where a kind cannot be listed: who cannot see everything cannot say that nothing is lost */
export async function reviewUninstall(options: UninstallReviewOptions): Promise<UninstallReview> {
  const { managed, configs } = options;
  const notInstalled: string[] = [];
  const review = async <T extends KubeObject>(
    type: ResourceType<T>,
    judge: (object: T) => UninstallFinding,
  ): Promise<UninstallFinding[]> => {
    try {
      return (await listAll<T>(options.client, type, options)).map(judge);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      notInstalled.push(groupResource(type));
      return [];
    }
  };
  const all = await Promise.all([
    ...managed.map((type) => review<Managed>(type, (object) => judgeManaged(type, object))),
    ...configs.flatMap((kinds) => [
      ...configTypes(kinds).map((type) =>
        review<ProviderConfig>(type, (object) => judgeConfig(type, object)),
      ),
      review<ProviderConfigUsage>(kinds.usage, (object) => judgeUsage(kinds.usage, object)),
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

function judgeManaged(type: ResourceType, resource: Managed): UninstallFinding {
  const finalizers = resource.metadata.finalizers ?? [];
  const policies = resolvePolicies(resource, { enabled: true });
  const { deletionPolicy, managementPolicies } = resource.spec;
  const externalName = externalNameFrom(resource);
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
    const why = `its deletion is under way since ${since} and needs the provider`;
    return { ...common, fate: 'hangs', why, mend: command('describe') };
  }
  if (policies.paused || isPaused(resource)) {
    return {
      ...common,
      fate: 'hangs',
      why: 'it is paused, so that nobody takes its finalizer away',
      mend: command('annotate', 'crossplane.io/paused-'),
    };
  }
  if (!policies.deletesExternal) {
    const why = 'its external resource stays, but somebody has to take its finalizer away';
    return { ...common, fate: 'hangs', why, mend: command('delete') };
  }
  return {
    ...common,
    fate: 'lost',
    why: 'its external resource would be deleted; if the provider is gone before, it hangs',
    mend: command('patch', '--type=merge', '-p', JSON.stringify({ spec: keepingPatch(resource) })),
  };
}

/** What has the external resource stay when the object goes: the deletion policy where there is one. */
function keepingPatch(resource: Managed): object {
  const usual = resource.spec.managementPolicies?.includes('Delete') !== true;
  if (resource.metadata.namespace === undefined && usual) return { deletionPolicy: 'Orphan' };
  return { managementPolicies: ['Observe', 'Create', 'Update', 'LateInitialize'] };
}

function judgeConfig(type: ResourceType, config: ProviderConfig): UninstallFinding {
  const finalizers = config.metadata.finalizers ?? [];
  const users = config.status?.users ?? 0;
  const common = { ...identity(type, config), finalizers };
  if (finalizers.length === 0) return { ...common, fate: 'goes', why: 'nobody uses it' };
  const why =
    users > 0 ? `${users} ${users === 1 ? 'resource uses' : 'resources use'} it` : 'it has finalizers';
  return { ...common, fate: 'hangs', why };
}

function judgeUsage(type: ResourceType, usage: ProviderConfigUsage): UninstallFinding {
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

const commandFor = (type: ResourceType, { metadata: { namespace, name } }: KubeObject) => {
  const object = objectArguments(groupResource(type), name);
  return (verb: string, ...more: readonly string[]) =>
    shellCommand(...kubectlArguments(namespace), verb, ...object, ...more);
};

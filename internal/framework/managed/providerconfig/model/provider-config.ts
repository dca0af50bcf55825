import { findCause, ProviderError } from '../../../base/errors/errors.ts';
import type { Condition } from '../../../kube/object/condition.ts';
import type { KubeObject, ObjectKey } from '../../../kube/object/object.ts';
import type { ResourceType } from '../../../kube/object/resource-type.ts';
import type { Managed } from '../../resource/managed.ts';
import * as messages from './messages.ts';

/** Address and credentials of an external API; kinds define its `spec`. */
export interface ProviderConfig extends KubeObject {
  spec?: object;
  status?: { conditions?: Condition[]; users?: number };
}

/**
 * The types of configurations and usages for managed resources of one scope. Cluster-scoped resources have
 * cluster-scoped configurations. Namespaced resources have configurations of a namespace and of the
 * cluster; the usages of both are of one type, in the namespace of the resource. `C` is the type of the
 * configurations.
 */
export type ConfigKinds<C extends ProviderConfig = ProviderConfig> =
  | {
      readonly scope: 'Cluster';
      readonly usage: ResourceType<ProviderConfigUsage>;
      readonly config: ResourceType<C>;
    }
  | {
      readonly scope: 'Namespaced';
      readonly usage: ResourceType<ProviderConfigUsage>;
      readonly config: ResourceType<C>;
      readonly clusterConfig: ResourceType<C>;
    };

export function configTypes(kinds: ConfigKinds): readonly ResourceType<ProviderConfig>[] {
  return kinds.scope === 'Cluster' ? [kinds.config] : [kinds.config, kinds.clusterConfig];
}

/** Records that a resource uses a configuration; see usage.ts. */
export interface ProviderConfigUsage extends KubeObject {
  providerConfigRef: ConfigRef;
  resourceRef: { apiVersion: string; kind: string; name: string; uid?: string };
}

/** A reference to a configuration, as usages record it: without `kind` in cluster-scoped usages. */
export interface ConfigRef {
  readonly kind?: string;
  readonly name: string;
}

/** The configuration of a resource. It need not exist. */
export interface UsedConfig<C extends ProviderConfig = ProviderConfig> {
  readonly type: ResourceType<C>;
  readonly key: ObjectKey;
  readonly ref: ConfigRef;
  /** Whether it is the default that the API server sets. */
  readonly isDefault: boolean;
}

/** The resource has no reference to a configuration, or an incomplete one. */
class MissingReferenceError extends ProviderError {
  constructor(message: string) {
    super('terminal', message);
  }
}

export function isMissingReference(error: unknown): boolean {
  return findCause(error, MissingReferenceError) !== undefined;
}

const DEFAULT_NAME = 'default';

/** The configuration that `spec.providerConfigRef` names. Throws if there is none. */
export function usedConfigOf<C extends ProviderConfig>(
  resource: Managed,
  kinds: ConfigKinds<C>,
): UsedConfig<C> {
  const ref = resource.spec.providerConfigRef;
  if (ref === undefined) throw new MissingReferenceError(messages.missingRefText);
  const { name, kind } = ref;
  if (kinds.scope === 'Cluster') {
    return { type: kinds.config, key: { name }, ref: { name }, isDefault: name === DEFAULT_NAME };
  }
  switch (kind) {
    case undefined:
    case '':
      throw new MissingReferenceError(messages.missingRefKindText);
    case kinds.clusterConfig.kind:
      return {
        type: kinds.clusterConfig,
        key: { name },
        ref: { kind, name },
        isDefault: name === DEFAULT_NAME,
      };
    case kinds.config.kind: {
      const { namespace = '' } = resource.metadata;
      return { type: kinds.config, key: { name, namespace }, ref: { kind, name }, isDefault: false };
    }
    default:
      throw new ProviderError('terminal', messages.unknownKindText(kind));
  }
}

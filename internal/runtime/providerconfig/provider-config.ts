import type { KubeObject, ObjectKey } from '../../kube/object/object.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import type { Condition } from '../resource/managed.ts';

/** How resources log on to their other side; what `spec` holds is for the provider's kinds to say. */
export interface ProviderConfig extends KubeObject {
  spec?: object;
  status?: { conditions?: Condition[]; users?: number };
}

/**
 * The kinds by which one generation of managed resources refers to its configurations. The legacy one is
 * cluster-scoped throughout. The modern one knows configurations of a namespace and of the cluster; the usages of
 * both are of one kind and lie in the namespace of the resource. `C` is the type of the configurations.
 */
export type ConfigKinds<C extends ProviderConfig = ProviderConfig> =
  | {
      readonly generation: 'legacy';
      readonly usage: ResourceType<ProviderConfigUsage>;
      readonly config: ResourceType<C>;
    }
  | {
      readonly generation: 'modern';
      readonly usage: ResourceType<ProviderConfigUsage>;
      readonly config: ResourceType<C>;
      readonly clusterConfig: ResourceType<C>;
    };

export function configTypes(kinds: ConfigKinds): readonly ResourceType<ProviderConfig>[] {
  return kinds.generation === 'legacy' ? [kinds.config] : [kinds.config, kinds.clusterConfig];
}

/** Records that a resource uses a configuration; see usage.ts. */
export interface ProviderConfigUsage extends KubeObject {
  providerConfigRef: ConfigRef;
  resourceRef: { apiVersion: string; kind: string; name: string; uid?: string };
}

/** A reference to a configuration, as usages record it: without `kind` in the legacy generation. */
export interface ConfigRef {
  readonly kind?: string;
  readonly name: string;
}

/** The configuration that a resource refers to. It need not exist. */
export interface UsedConfig<C extends ProviderConfig = ProviderConfig> {
  readonly type: ResourceType<C>;
  readonly key: ObjectKey;
  readonly ref: ConfigRef;
  /** It is the one that the API server fills in where users name none. */
  readonly isDefault: boolean;
}

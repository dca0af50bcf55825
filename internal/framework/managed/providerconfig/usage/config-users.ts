import type { KubeObject } from '../../../kube/object/object.ts';
import type { ConfigKinds, ProviderConfigUsage } from '../model/provider-config.ts';
import { labelConfig, labelConfigKind } from './usage.ts';

/** Selects the usages of one configuration, in its namespace if it has one. */
export interface UserSelection {
  readonly namespace?: string;
  readonly labelSelector: string;
}

export function usersOf(config: KubeObject, kinds: ConfigKinds): UserSelection {
  const { name, namespace } = config.metadata;
  const kind = kinds.scope === 'Namespaced' ? `,${labelConfigKind}=${config.kind}` : '';
  return {
    labelSelector: `${labelConfig}=${name}${kind}`,
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** Whether a usage in memory is one of the configuration. */
export function isUserOf(usage: KubeObject, config: KubeObject, kinds: ConfigKinds): boolean {
  const { namespace, labels = {} } = usage.metadata;
  return (
    labels[labelConfig] === config.metadata.name &&
    (kinds.scope === 'Cluster' || labels[labelConfigKind] === config.kind) &&
    (config.metadata.namespace === undefined || config.metadata.namespace === namespace)
  );
}

const DEFAULT_KIND = 'ProviderConfig';

/**
 * The key of the configuration of a usage; `undefined` for another kind, or if the object is no usage.
 *
 * @param kind default: any
 */
export function configKeyOf(
  usage: KubeObject & Partial<Pick<ProviderConfigUsage, 'providerConfigRef'>>,
  kind?: string,
): string | undefined {
  const { name, kind: stated } = usage.providerConfigRef ?? {};
  if (!name) return undefined;
  const used = stated || DEFAULT_KIND;
  if (kind !== undefined && kind !== used) return undefined;
  const { namespace } = usage.metadata;
  return namespace === undefined || used.startsWith('Cluster') ? name : `${namespace}/${name}`;
}

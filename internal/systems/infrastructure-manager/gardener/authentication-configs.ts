/** The ConfigMaps with the authentication configuration of Shoots. Of thousands of them only a digest is in memory. */
import {
  type ConfigMap,
  configMaps,
  type Informer,
  type Informers,
  type KubeObject,
  type ResourceType,
} from '../../../framework/kube/index.ts';
import { authenticationConfigName } from '../shoot-metadata.ts';
import { digestOf } from './applied-fields.ts';
import { type Gardener, namespaceOf } from './gardener.ts';

/** A ConfigMap without its content. */
export interface StoredAuthenticationConfig extends KubeObject {
  /** Of its data; undefined: it is another ConfigMap of the project. */
  readonly digest?: string;
}

const PREFIX = authenticationConfigName('');

/** ConfigMaps as this module reads them. */
const digested: ResourceType<StoredAuthenticationConfig> = {
  group: configMaps.group,
  version: configMaps.version,
  kind: configMaps.kind,
  plural: configMaps.plural,
  namespaced: configMaps.namespaced,
};

/** The name of the Shoot whose configuration it is; undefined: it is another ConfigMap. */
export const shootOfConfig = ({ metadata: { name } }: KubeObject): string | undefined =>
  name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;

export const digestOfConfig = ({ data }: Pick<ConfigMap, 'data'>): string => digestOf(data, 'data', '');

/** The ConfigMaps of the project. They have no label by which those of Shoots could be selected. */
export const authenticationConfigInformer = (
  informers: Informers,
  gardener: Pick<Gardener, 'project'>,
): Informer<StoredAuthenticationConfig> =>
  informers.of(digested, { selection: { namespace: namespaceOf(gardener) }, transform: withoutContent });

function withoutContent(config: ConfigMap): StoredAuthenticationConfig {
  const { apiVersion, kind } = config;
  const { name, namespace = '', uid = '', resourceVersion = '' } = config.metadata;
  const kept = { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
  return shootOfConfig(config) === undefined ? kept : { ...kept, digest: digestOfConfig(config) };
}

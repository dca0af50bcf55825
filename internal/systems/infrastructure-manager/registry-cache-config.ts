/** RegistryCacheConfigs: objects in a runtime by which its users ask for caches of image registries. */
import type { RuntimeSpec } from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { valueAt } from '../../framework/base/index.ts';

import type { KubeObject, ResourceType } from '../../framework/kube/index.ts';

/** A cache as the Runtime has it. */
export type WantedCache = NonNullable<RuntimeSpec['imageRegistryCache']>[number];

/** Written by users of the runtime, so nothing of its content is certain. */
export interface RegistryCacheConfig extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** Of the module registry-cache. Its CRD is only in runtimes. */
export const registryCacheConfigs: ResourceType<RegistryCacheConfig> & { readonly apiVersion: string } = {
  apiVersion: 'core.kyma-project.io/v1beta1',
  group: 'core.kyma-project.io',
  version: 'v1beta1',
  kind: 'RegistryCacheConfig',
  plural: 'registrycacheconfigs',
  namespaced: true,
};

/** Which modules a runtime has. */
export const kymas: ResourceType<KubeObject & { readonly spec?: unknown }> = {
  group: 'operator.kyma-project.io',
  version: 'v1beta2',
  kind: 'Kyma',
  plural: 'kymas',
  namespaced: true,
};

/** Characters of a field. */
const MAX_TEXT = 1024;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT ? value : undefined;

/** The texts of `names` that the object has; undefined if there is no object. */
function texts<K extends string>(value: unknown, names: readonly K[]): { [N in K]?: string } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: { [N in K]?: string } = {};
  for (const name of names) {
    const member = text(valueAt(value, [name]));
    if (member !== undefined) found[name] = member;
  }
  return found;
}

/** A size may be a number of bytes. */
function volumeOf(value: unknown): NonNullable<WantedCache['config']['volume']> | undefined {
  const bytes = valueAt(value, ['size']);
  const volume = texts(value, ['size', 'storageClassName']);
  if (volume === undefined || typeof bytes !== 'number' || !Number.isSafeInteger(bytes)) return volume;
  return { ...volume, size: bytes };
}

/** Undefined: it has no upstream. */
function cacheOf({ metadata, spec }: RegistryCacheConfig): WantedCache | undefined {
  const { upstream, ...own } = texts(spec, ['upstream', 'remoteURL', 'secretReferenceName']) ?? {};
  const { name, namespace = '', uid = '' } = metadata;
  if (upstream === undefined) return undefined;
  const volume = volumeOf(valueAt(spec, ['volume']));
  const ttl = text(valueAt(spec, ['garbageCollection', 'ttl']));
  const proxy = texts(valueAt(spec, ['proxy']), ['httpProxy', 'httpsProxy']);
  const tls = valueAt(spec, ['http', 'tls']);
  return {
    ...{ name, namespace, uid },
    config: {
      upstream,
      ...own,
      ...(volume === undefined ? {} : { volume }),
      ...(ttl === undefined ? {} : { garbageCollection: { ttl } }),
      ...(proxy === undefined ? {} : { proxy }),
      ...(typeof tls === 'boolean' ? { http: { tls } } : {}),
    },
  };
}

const keyOf = ({ metadata: { namespace, name } }: KubeObject) => `${namespace}/${name}`;

/**
 * The caches that the objects ask for, in the order of namespaces and names. Of two for the same upstream the first counts, since
 * Gardener refuses a second one; an object without an upstream is left out.
 */
export function wantedCaches(configs: readonly RegistryCacheConfig[]): WantedCache[] {
  const caches = new Map<string, WantedCache>();
  for (const config of configs.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
    const cache = cacheOf(config);
    if (cache !== undefined && !caches.has(cache.config.upstream)) caches.set(cache.config.upstream, cache);
  }
  return [...caches.values()];
}

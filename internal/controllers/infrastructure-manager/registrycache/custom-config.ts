/** CustomConfigs: objects in a runtime by which its users ask for caches of image registries. */
import { isObject, valueAt } from '../../../base/json/json-field.ts';
import type { KubeObject, ResourceType } from '../../../kube/index.ts';
import type { RegistryCache } from '../runtime/rendering.ts';

/** Written by users of the runtime, so nothing of its content is certain. */
export interface CustomConfig extends KubeObject {
  readonly spec?: unknown;
}

/** Of the module kim-snatch. Its CRD is only in runtimes. */
export const customConfigs: ResourceType<CustomConfig> & { readonly apiVersion: string } = {
  apiVersion: 'core.kyma-project.io/v1beta1',
  group: 'core.kyma-project.io',
  version: 'v1beta1',
  kind: 'CustomConfig',
  plural: 'customconfigs',
  namespaced: true,
};

/** Characters of a field. */
const MAX_TEXT = 1024;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT ? value : undefined;

/** The texts of `names` that the object has; undefined if it has none. */
function texts<K extends string>(value: unknown, names: readonly K[]): { [N in K]?: string } | undefined {
  const found: { [N in K]?: string } = {};
  for (const name of names) {
    const member = text(valueAt(value, [name]));
    if (member !== undefined) found[name] = member;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Undefined: the entry has no upstream. */
function cacheOf(entry: unknown): RegistryCache | undefined {
  const { upstream, ...own } = texts(entry, ['upstream', 'remoteURL', 'secretReferenceName']) ?? {};
  if (upstream === undefined) return undefined;
  const volume = texts(valueAt(entry, ['volume']), ['size', 'storageClassName']);
  const ttl = text(valueAt(entry, ['garbageCollection', 'ttl']));
  const proxy = texts(valueAt(entry, ['proxy']), ['httpProxy', 'httpsProxy']);
  return {
    upstream,
    ...own,
    ...(volume === undefined ? {} : { volume }),
    ...(ttl === undefined ? {} : { garbageCollection: { ttl } }),
    ...(proxy === undefined ? {} : { proxy }),
  };
}

const keyOf = ({ metadata: { namespace, name } }: CustomConfig) => `${namespace}/${name}`;

/**
 * The caches that CustomConfigs ask for, in the order of namespaces and names. Of two for the same upstream the first counts, since
 * Gardener refuses a second one; an entry without an upstream is left out.
 */
export function cachesOf(configs: readonly CustomConfig[]): readonly RegistryCache[] {
  const caches = new Map<string, RegistryCache>();
  for (const config of configs.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
    const entries = isObject(config.spec) ? config.spec.caches : undefined;
    for (const entry of Array.isArray(entries) ? entries : []) {
      const cache = cacheOf(entry);
      if (cache !== undefined && !caches.has(cache.upstream)) caches.set(cache.upstream, cache);
    }
  }
  return [...caches.values()];
}

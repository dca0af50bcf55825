import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import type { RegistryCache } from '../../runtime/rendering.ts';
import { rawDocument } from '../model/raw-document.ts';
import type { Extension } from './extension.ts';

export const REGISTRY_CACHE = 'registry-cache';

/** Caches of image registries inside of the runtime. */
export function registryCache(caches: readonly RegistryCache[]): Extension {
  const config: ExtensionSchemas['RegistryConfig'] = {
    apiVersion: 'registry.extensions.gardener.cloud/v1alpha3',
    kind: 'RegistryConfig',
    caches: caches.map(cacheOf),
  };
  return { type: REGISTRY_CACHE, providerConfig: rawDocument(config), disabled: false };
}

/** Field by field: a CustomConfig has further ones, which the extension does not know. */
function cacheOf(cache: RegistryCache): ExtensionSchemas['RegistryCache'] {
  const { upstream, remoteURL, volume, garbageCollection, secretReferenceName, proxy } = cache;
  return {
    upstream,
    ...(remoteURL === undefined ? {} : { remoteURL }),
    ...(volume === undefined ? {} : { volume: pick(volume, ['size', 'storageClassName']) }),
    ...(garbageCollection === undefined ? {} : { garbageCollection: { ttl: garbageCollection.ttl } }),
    ...(secretReferenceName === undefined ? {} : { secretReferenceName }),
    ...(proxy === undefined ? {} : { proxy: pick(proxy, ['httpProxy', 'httpsProxy']) }),
  };
}

const pick = <T extends object, K extends keyof T>(object: T, keys: readonly K[]): Pick<T, K> =>
  Object.fromEntries(
    keys.filter((key) => object[key] !== undefined).map((key) => [key, object[key]]),
  ) as Pick<T, K>;

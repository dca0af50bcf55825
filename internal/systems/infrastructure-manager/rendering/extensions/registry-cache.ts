import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import type { PatchInput } from '../model/extender.ts';
import { rawDocument } from '../model/raw-document.ts';
import { type CacheOfRuntime, cachesOf, secretOf } from '../model/registry-caches.ts';
import type { Extension } from './extension.ts';

export const REGISTRY_CACHE = 'registry-cache';

/** Caches of image registries inside of the runtime; undefined: it has none. */
export function registryCache(input: PatchInput): Extension | undefined {
  const caches = cachesOf(input);
  if (caches.length === 0) return undefined;
  const config: ExtensionSchemas['RegistryConfig'] = {
    apiVersion: 'registry.extensions.gardener.cloud/v1alpha3',
    kind: 'RegistryConfig',
    caches: caches.map((cache) => cacheOf(cache, secretOf(cache, input))),
  };
  return { type: REGISTRY_CACHE, providerConfig: rawDocument(config), disabled: false };
}

/** Field by field: the Runtime has further ones, which the extension does not know. */
function cacheOf({ config }: CacheOfRuntime, secret: string | undefined): ExtensionSchemas['RegistryCache'] {
  const { upstream, remoteURL, volume, garbageCollection, proxy } = config;
  const { size, storageClassName } = volume ?? {};
  const { httpProxy, httpsProxy } = proxy ?? {};
  return {
    upstream,
    ...(remoteURL ? { remoteURL } : {}),
    ...(volume === undefined
      ? {}
      : {
          volume: {
            ...(size === undefined ? {} : { size: String(size) }),
            ...(storageClassName ? { storageClassName } : {}),
          },
        }),
    // The CRD has a default for it.
    ...(garbageCollection?.ttl === undefined ? {} : { garbageCollection: { ttl: garbageCollection.ttl } }),
    ...(secret === undefined ? {} : { secretReferenceName: secret }),
    ...(proxy === undefined
      ? {}
      : { proxy: { ...(httpProxy ? { httpProxy } : {}), ...(httpsProxy ? { httpsProxy } : {}) } }),
  };
}

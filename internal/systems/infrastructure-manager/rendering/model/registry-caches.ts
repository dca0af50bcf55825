import type { RuntimeSpec } from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { RenderingInput } from './extender.ts';

export type CacheOfRuntime = NonNullable<RuntimeSpec['imageRegistryCache']>[number];

/** Begins the names of the Secrets with the credentials of registry caches in the project, and of references to them. */
export const CACHE_SECRET_PREFIX = 'reg-cache-';

/** The caches of the Runtime. Before 1.41 the field was an object: then there are none. */
export const cachesOf = ({ spec }: Pick<RenderingInput, 'spec'>): readonly CacheOfRuntime[] =>
  Array.isArray(spec.imageRegistryCache) ? spec.imageRegistryCache : [];

/** The Secret in the project with the credentials of the cache; undefined: it needs none, or there is none yet. */
export const secretOf = (
  { uid, config }: CacheOfRuntime,
  { cacheSecrets }: Pick<RenderingInput, 'cacheSecrets'>,
): string | undefined => (config.secretReferenceName ? cacheSecrets.get(uid) : undefined);

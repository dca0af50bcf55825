import { createLruCache } from '../../../../framework/base/collections/lru-cache.ts';
import { createSharedCalls, type Deps } from '../../../../framework/base/index.ts';

import { type KubeClient, keyString, type ObjectKey, secrets } from '../../../../framework/kube/index.ts';
import { managedByLabel } from '../../metadata.ts';

/**
 * Which names of Secrets are free in a namespace. Bindings that are created at the same time share one list of the Secrets that are
 * of no binding: mostly few, while bindings may be thousands.
 */
export interface FreeNames {
  /**
   * Whether certainly no Secret without the label of bindings has the name, after the call. False: there may be one. Secrets with
   * the label are in a cache.
   */
  isFree(key: ObjectKey, signal: AbortSignal): Promise<boolean>;
  /**
   * Keeps a name for a binding that is about to be created: its Secret is written when Service Manager has made it.
   *
   * @param stillClaims whether a binding exists, and has a Secret of the name
   * @returns the binding that has claimed it before; undefined: it is the caller's now
   */
  claim(
    key: ObjectKey,
    binding: ClaimingBinding,
    stillClaims: (other: ClaimingBinding) => boolean,
  ): ClaimingBinding | undefined;
}

export interface ClaimingBinding {
  readonly name: string;
  readonly uid: string;
}

export interface FreeNamesOptions extends Pick<Deps, 'clock'> {
  readonly client: Pick<KubeClient, 'listMetadata'>;
  /** Between two lists of a namespace, in ms. Default 100. */
  readonly spacingMs?: number;
}

/** In a namespace with more Secrets, a read of one Secret is cheaper. */
const FEW = 50;
/** How long a namespace counts as one with more, in ms. */
const MANY_MS = 600_000;
const MAX_BYTES = 256 * 1024;
const NAMESPACE_BYTES = 100;
/** Claims of bindings that are being created, about 300 bytes each. */
const MAX_CLAIMS = 20_000;

export function createFreeNames({ client, clock, spacingMs = 100 }: FreeNamesOptions): FreeNames {
  const lists = createSharedCalls<ReadonlySet<string> | undefined>({
    joins: 'next',
    spacing: { clock, ms: spacingMs },
  });
  /** When they were found to have more. */
  const withMany = createLruCache<string, number>({ maxBytes: MAX_BYTES, bytesOf: () => NAMESPACE_BYTES });
  const claims = new Map<string, ClaimingBinding>();
  return {
    claim: (key, binding, stillClaims) => {
      const name = keyString(key);
      const other = claims.get(name);
      if (other !== undefined && other.uid !== binding.uid && stillClaims(other)) return other;
      claims.delete(name);
      for (const oldest of claims.keys()) {
        if (claims.size < MAX_CLAIMS) break;
        claims.delete(oldest);
      }
      claims.set(name, binding);
      return undefined;
    },
    isFree: async ({ namespace = '', name }, signal) => {
      const foundAt = withMany.get(namespace);
      if (foundAt !== undefined && clock.monotonic() - foundAt < MANY_MS) return false;
      const list = async (shared: AbortSignal) => {
        const labelSelector = `${managedByLabel}!=true`;
        const page = await client.listMetadata(secrets, {
          namespace,
          labelSelector,
          limit: FEW,
          signal: shared,
        });
        if (page.continue !== undefined) {
          withMany.set(namespace, clock.monotonic());
          return undefined;
        }
        return new Set(page.items.map(({ metadata }) => metadata.name));
      };
      const taken = await lists.join(namespace, list, signal);
      return taken !== undefined && !taken.has(name);
    },
  };
}

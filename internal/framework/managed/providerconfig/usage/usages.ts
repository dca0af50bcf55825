import { wrap } from '../../../base/errors/errors.ts';
import { jsonPointer } from '../../../kube/apply/patches.ts';
import type { ObjectCache } from '../../../kube/cache/cache.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  isPatchRefused,
  isUnknownKind,
} from '../../../kube/errors/errors.ts';
import { type KubeObject, keyString, type ObjectKey, wasDeleted } from '../../../kube/object/object.ts';
import { assertControllable } from '../../../kube/object/ownership.ts';
import type { ResourceType } from '../../../kube/object/resource-type.ts';
import type { Managed } from '../../resource/managed.ts';
import type { ConfigRef, ProviderConfigUsage } from '../model/provider-config.ts';
import {
  newUsage,
  type UsageChanges,
  usageChanges,
  usageFinalizer,
  usageKeyOf,
  withoutOwner,
} from './usage.ts';

/** Writes the usages of resources, with one request if something changed and none otherwise. */
export interface Usages {
  /**
   * Creates or updates the usage of the resource and returns it. None is created for a resource that is being
   * deleted, because its namespace may be terminating.
   */
  record(resource: Managed, ref: ConfigRef, options: RecordOptions): Promise<ProviderConfigUsage | undefined>;
  /** Removes the finalizer from the usage with this key, if it has one. */
  release(key: ObjectKey, signal: AbortSignal): Promise<void>;
}

export interface RecordOptions {
  /** Whether the usage has the finalizer until `release`. An existing finalizer stays. */
  readonly hold: boolean;
  /** The usage, if it was written too recently for the cache. */
  readonly known?: ProviderConfigUsage | undefined;
  readonly signal: AbortSignal;
}

export interface UsagesOptions {
  readonly client: KubeClient;
  readonly type: ResourceType<ProviderConfigUsage>;
  /** Saves a read for each reconcile. Until it has synced, usages are read one by one. */
  readonly cache: ObjectCache<ProviderConfigUsage>;
}

/** The cache may be outdated; one read is usually enough. */
const ATTEMPTS = 3;

export function createUsages({ client, type, cache }: UsagesOptions): Usages {
  const readNow = async (key: ObjectKey, signal: AbortSignal): Promise<ProviderConfigUsage | undefined> => {
    try {
      return await client.get(type, key, { signal });
    } catch (error) {
      if (isNotFound(error) && !isUnknownKind(error)) return undefined;
      throw error;
    }
  };
  const cached = async (key: ObjectKey, signal: AbortSignal) =>
    cache.hasSynced() ? cache.get(keyString(key)) : readNow(key, signal);
  /** Writes based on the known usage, and on a fresh read if that is outdated. */
  const bring = async <T>(
    key: ObjectKey,
    { known, signal }: { known?: ProviderConfigUsage | undefined; signal: AbortSignal },
    write: (usage: ProviderConfigUsage | undefined) => Promise<T>,
    refusesOutdated = isOutdated,
  ): Promise<T> => {
    let usage = known ?? (await cached(key, signal));
    for (let attempt = 1; ; attempt++) {
      try {
        return await write(usage);
      } catch (error) {
        if (attempt === ATTEMPTS || !refusesOutdated(error)) throw error;
      }
      usage = await readNow(key, signal);
    }
  };
  const patch = (usage: KubeObject, key: ObjectKey, changes: UsageChanges, signal: AbortSignal) => {
    const { resourceVersion } = usage.metadata;
    // With the version a concurrent change of finalizers is a conflict.
    const body = { ...changes, metadata: { ...changes.metadata, resourceVersion } };
    return client.mergePatch(type, key, body, { signal });
  };
  /**
   * Without the owner if only that is refused: with the admission plugin OwnerReferencesPermissionEnforcement it needs the right to
   * delete usages, which Crossplane does not grant.
   */
  const change = async (
    usage: ProviderConfigUsage,
    key: ObjectKey,
    changes: UsageChanges,
    signal: AbortSignal,
  ) => {
    try {
      return await patch(usage, key, changes, signal);
    } catch (error) {
      if (!isForbidden(error) || changes.metadata.ownerReferences === undefined) throw error;
    }
    const others = withoutOwner(changes);
    return others === undefined ? usage : await patch(usage, key, others, signal);
  };
  return {
    record: async (resource, ref, { hold, known, signal }) => {
      const key = usageKeyOf(resource, type);
      try {
        return await bring(key, { known, signal }, async (usage) => {
          if (usage === undefined) {
            if (wasDeleted(resource)) return undefined;
            return await client.create(type, newUsage(resource, type, ref, hold), { signal });
          }
          assertControllable(usage, key.name);
          const changes = usageChanges(usage, resource, ref, hold);
          return changes === undefined ? usage : await change(usage, key, changes, signal);
        });
      } catch (error) {
        throw wrap(error, 'cannot apply ProviderConfigUsage');
      }
    },
    release: async (key, signal) => {
      try {
        const removeFinalizer = async (usage: ProviderConfigUsage | undefined) => {
          const index = usage?.metadata.finalizers?.indexOf(usageFinalizer) ?? -1;
          if (index < 0) return;
          // Without the version: the garbage collector changes the usage as soon as its resource is gone.
          const path = jsonPointer('/metadata/finalizers', index);
          const operations = [
            { op: 'test', path: '/metadata/uid', value: usage?.metadata.uid } as const,
            { op: 'test', path, value: usageFinalizer } as const,
            { op: 'remove', path } as const,
          ];
          await client.jsonPatch(type, key, operations, { signal });
        };
        // A cache that has not heard of the finalizer yet would leave it to the garbage collector to remind of the usage.
        const heard = cache.hasSynced() ? cache.get(keyString(key)) : undefined;
        const known = ifHeld(heard) ?? (await readNow(key, signal));
        if (known === undefined) return;
        const refusesOutdated = (error: unknown) => isPatchRefused(error) || isOutdated(error);
        await bring(key, { known, signal }, removeFinalizer, refusesOutdated);
      } catch (error) {
        throw wrap(error, 'cannot remove ProviderConfigUsage finalizer');
      }
    },
  };
}

/** The usage, if it has the finalizer. */
const ifHeld = (usage: ProviderConfigUsage | undefined): ProviderConfigUsage | undefined =>
  usage?.metadata.finalizers?.includes(usageFinalizer) ? usage : undefined;

/** The usage has changed since it was read. */
function isOutdated(error: unknown): boolean {
  return isConflict(error) || isAlreadyExists(error) || (isNotFound(error) && !isUnknownKind(error));
}

import type { Deps } from '../../base/deps.ts';
import { messageOf, ProviderError, type WatchedObject } from '../../base/errors/errors.ts';
import type { Logger } from '../../base/telemetry/telemetry.ts';
import { type Clock, sleep } from '../../base/time/clock.ts';
import type { Source } from '../../controller/sources/source.ts';
import type { ObjectCache } from '../../kube/cache/cache.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isNotFound } from '../../kube/errors/errors.ts';
import { keyOf, keyString, wasDeleted } from '../../kube/object/object.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import type { Managed } from '../resource/managed.ts';
import { configMissingText } from './model/messages.ts';
import {
  type ConfigKinds,
  type ProviderConfig,
  type ProviderConfigUsage,
  type UsedConfig,
  usedConfigOf,
} from './model/provider-config.ts';
import { createTerminatingUsages } from './usage/terminating-usages.ts';
import { resourceKeyOf, usageKeyOf } from './usage/usage.ts';
import type { Usages } from './usage/usages.ts';

/** Records resources of a kind as users of their provider configurations. */
export interface ConfigUse {
  /** Connects and records the use, also if Connect fails. */
  connect<C>(resource: Managed, connection: Connection<C>, call: ConfigCall): Promise<C>;
  /** Ends the use of a resource whose finalizer was removed. */
  end(resource: Managed, signal: AbortSignal): Promise<void>;
  /**
   * Ends the uses of deleted resources with this key whose own reconcile did not end them.
   *
   * @param found the resource that has the key now, if known
   */
  endForDeleted(key: string, found: Managed | undefined, signal: AbortSignal): Promise<void>;
  /** Adds requests for which `endForDeleted` has usages to release. */
  readonly source: Source;
}

export interface Connection<C> {
  open(): Promise<C>;
  /** Called if the connection is not used. */
  close(client: C): Promise<void>;
}

export interface ConfigCall {
  readonly signal: AbortSignal;
  readonly log: Logger;
}

export interface ConfigUseOptions extends Pick<Deps, 'clock'> {
  readonly client: KubeClient;
  readonly kinds: ConfigKinds;
  /** Type of the resources. */
  readonly type: ResourceType;
  readonly usages: Usages;
  readonly usageCache: ObjectCache<ProviderConfigUsage>;
  /** Cache of the configurations of a type. */
  readonly configCache: (type: ResourceType) => ObjectCache<ProviderConfig> | undefined;
  /**
   * Whether Connect reads the configuration. If so, the use is recorded first. If not, Connect comes first, which
   * saves a write, and only a configuration other than the default must exist.
   */
  readonly readsConfig: boolean;
}

/** Time to wait for the list of usages before usages are read one by one, in ms. */
const SYNC_TIMEOUT_MS = 5000;

export function createConfigUse(options: ConfigUseOptions): ConfigUse {
  const { client, clock, kinds, type, usages, usageCache } = options;
  const terminating = createTerminatingUsages(usageCache, type);
  const connectFirst: ConfigUse['connect'] = async (resource, connection, { signal, log }) => {
    const used = usedConfigOf(resource, kinds);
    const record = (hold: boolean) => usages.record(resource, used.ref, { hold, signal });
    const open = async () => {
      try {
        if (!wasDeleted(resource)) await assertExists(options, used, signal);
        return await connection.open();
      } catch (error) {
        // A resource that cannot connect is a user as well. The error of Connect is the one to report.
        await record(false).catch((problem: unknown) =>
          log.info('cannot record the use of a ProviderConfig', { error: messageOf(problem) }),
        );
        throw error;
      }
    };
    return closedOnFailure(await open(), connection, () => record(true));
  };
  const recordFirst: ConfigUse['connect'] = async (resource, connection, { signal }) => {
    const { ref } = usedConfigOf(resource, kinds);
    const known = await usages.record(resource, ref, { hold: false, signal });
    const hold = () => usages.record(resource, ref, { hold: true, known, signal });
    return closedOnFailure(await connection.open(), connection, hold);
  };
  return {
    connect: options.readsConfig ? recordFirst : connectFirst,
    end: (resource, signal) => usages.release(usageKeyOf(resource, kinds.usage), signal),
    endForDeleted: async (key, found, signal) => {
      for (const usage of terminating.of(key)) {
        const owner = usage.metadata.name;
        if (found?.metadata.uid === owner) continue;
        if (await isGone(client, type, usage, signal)) await usages.release(keyOf(usage), signal);
      }
    },
    source: {
      ...terminating.source,
      // The controller works without the list if it does not arrive.
      hasSynced: () => true,
      whenSynced: (signal) => withTimeout(clock, usageCache.whenSynced(signal), signal),
    },
  };
}

async function closedOnFailure<C>(
  opened: C,
  connection: Connection<C>,
  work: () => Promise<unknown>,
): Promise<C> {
  try {
    await work();
    return opened;
  } catch (error) {
    await connection.close(opened);
    throw error;
  }
}

async function assertExists(
  { client, configCache }: ConfigUseOptions,
  { type, key, isDefault }: UsedConfig,
  signal: AbortSignal,
): Promise<void> {
  const cache = configCache(type);
  // The cache is not read while nothing watches configurations, e.g. without their CRD.
  if (isDefault || (cache?.hasSynced() && cache.get(keyString(key)) !== undefined)) return;
  try {
    await client.getMetadata(type, key, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const targets = cache === undefined ? [] : [whenAdded(cache, type.kind, keyString(key))];
    throw new ProviderError('terminal', configMissingText(type.kind, keyString(key)), { targets });
  }
}

function whenAdded(cache: ObjectCache<ProviderConfig>, kind: string, key: string): WatchedObject {
  return {
    description: `${kind} ${key}`,
    watch: (onChange) =>
      cache.subscribe(({ object }) => {
        if (keyString(keyOf(object)) === key) onChange();
      }),
  };
}

/** Asks the API server, because caches may hold only a part of the resources. */
async function isGone(
  client: KubeClient,
  type: ResourceType,
  usage: ProviderConfigUsage,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { metadata } = await client.getMetadata(type, resourceKeyOf(usage), { signal });
    return metadata.uid !== usage.metadata.name;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

async function withTimeout(clock: Clock, work: Promise<void>, signal: AbortSignal): Promise<void> {
  const settled = new AbortController();
  const timeout = sleep(clock, SYNC_TIMEOUT_MS, AbortSignal.any([signal, settled.signal]));
  try {
    await Promise.race([work, timeout]);
  } finally {
    settled.abort();
  }
}

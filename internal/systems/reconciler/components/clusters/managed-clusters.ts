import { createHash } from 'node:crypto';
import {
  type ByteBudget,
  compoundKey,
  createShares,
  type Deps,
  type HeldBytes,
  holdBytes,
  memoryOf,
  ProviderError,
  sleep,
} from '../../../../framework/base/index.ts';
import type { KubeClient, Transport } from '../../../../framework/kube/index.ts';

import type { ClusterPart, ManagedCluster, PartOptions } from '../model/component.ts';
import { createAnswerTurns } from './answers-in-turns.ts';
import { noMemoryFor } from './cached-kinds.ts';
import { type ManagedClusterOptions, openManagedCluster } from './open-managed-cluster.ts';

export interface ManagedClustersOptions extends ManagedClusterOptions {
  /** How long an unused cluster keeps its connections and kinds, in ms; default 30 seconds. */
  readonly idleMs?: number;
}

/**
 * Managed clusters by their kubeconfigs: tasks of a tenant for the same one share its connections, and what is known of its kinds. What
 * the clusters of a tenant send has a share of the memory.
 */
export interface ManagedClusters {
  /**
   * Opens the cluster of a kubeconfig; its caller closes it.
   *
   * @throws KubeconfigError, EndpointRefusedError without a part of the kubeconfig that may be secret
   */
  open(kubeconfig: string, tenant: string): ManagedCluster;
  /** Closes all, also those in use. */
  close(): Promise<void>;
}

interface SharedCluster {
  readonly cluster: ManagedCluster;
  /** Of the tenant. */
  readonly memory: ByteBudget;
  /** How much of it parts may have from their begin. */
  readonly ofParts: ByteBudget;
  users: number;
  /** Cancels the close of an unused one. */
  cancelClose: () => void;
}

const IDLE_MS = 30_000;
const MIB = 1024 * 1024;
/**
 * For what clusters have sent, for the objects that are made of it, as long as they are used, and for their kinds. A CRD has up to a MiB, and 8
 * objects are applied at a time.
 */
const MEMORY = { maxBytes: 64 * MIB, maxBytesPerTenant: 40 * MIB };
/** What all parts have from their begin: the rest is for the answers that they read. */
const MEMORY_OF_PARTS = { maxBytes: 32 * MIB, maxBytesPerTenant: 20 * MIB };
/** What a part of a task has from its begin: a usual object takes less. Others take more as they need it. */
const PART_BYTES = MIB / 16;
/** Until a part is tried again for which a tenant has no memory, in ms. */
const RETRY_MS = 100;
/** How long it is tried, in ms. */
const WAIT_MS = 30_000;

export function createManagedClusters(options: ManagedClustersOptions): ManagedClusters {
  const { clock, log, idleMs = IDLE_MS } = options;
  const shared = new Map<string, SharedCluster>();
  const memoryOfTenants = createShares(MEMORY);
  const partsOfTenants = createShares(MEMORY_OF_PARTS);
  const inTurns = createAnswerTurns();

  const openNew = (kubeconfig: string, tenant: string): SharedCluster => {
    const memory = memoryOfTenants.of(tenant);
    const wrapTransport = (direct: Transport) =>
      inTurns(options.wrapTransport?.(direct) ?? direct, { tenant, memory });
    const cluster = openManagedCluster(kubeconfig, { ...options, memory, wrapTransport });
    return { cluster, memory, ofParts: partsOfTenants.of(tenant), users: 0, cancelClose: () => undefined };
  };
  const release = (key: string, of: SharedCluster) => {
    of.users--;
    if (of.users > 0) return;
    of.cancelClose = clock.after(idleMs, () => {
      shared.delete(key);
      of.cluster.close().catch(() => log.debug('cannot close connections to a managed cluster'));
    });
  };
  return {
    open: (kubeconfig, tenant) => {
      // Not the text: it is a credential, and would stay in memory.
      const key = compoundKey(createHash('sha256').update(kubeconfig).digest('base64'), tenant);
      const used = shared.get(key) ?? openNew(kubeconfig, tenant);
      shared.set(key, used);
      used.cancelClose();
      used.users++;
      const { memory, ofParts } = used;
      const task = holdBytes(memory);
      let isOpen = true;
      return {
        ...used.cluster,
        ...counted(used.cluster, { memory, ofParts, clock, held: task, isOpen: () => isOpen }),
        close: async () => {
          if (isOpen) release(key, used);
          isOpen = false;
          task[Symbol.dispose]();
        },
      };
    },
    close: async () => {
      const open = [...shared.values()];
      shared.clear();
      for (const { cancelClose } of open) cancelClose();
      await Promise.all(open.map(({ cluster }) => cluster.close()));
    },
  };
}

interface CountOptions extends Pick<Deps, 'clock'>, Pick<SharedCluster, 'memory' | 'ofParts'> {
  /** What is used of it until the task or the part ends. */
  readonly held: HeldBytes;
  readonly isOpen: () => boolean;
}

/** The cluster of a task, or of a part of it, whose answers are counted. */
function counted(
  cluster: ManagedCluster,
  options: CountOptions,
): Pick<ManagedCluster, 'client' | 'keep' | 'part'> {
  const { memory, ofParts, clock, held, isOpen } = options;
  const keep = (value: unknown) => {
    if (!held.take(memoryOf(value))) throw noMemoryFor(`an answer of ${cluster.name}`);
  };
  return {
    client: countedClient(cluster.client, keep, isOpen),
    keep,
    part: async ({ signal, bytes = PART_BYTES }: PartOptions): Promise<ClusterPart> => {
      const deadline = clock.monotonic() + WAIT_MS;
      const begins = () => {
        if (!ofParts.take(bytes)) return false;
        if (memory.take(bytes)) return true;
        ofParts.give(bytes);
        return false;
      };
      while (!begins()) {
        // Parts in parts could wait for each other.
        if (clock.monotonic() >= deadline) throw noMemoryFor(`an answer of ${cluster.name}`);
        await sleep(clock, RETRY_MS, signal);
      }
      const part = holdBytes(memory, bytes);
      let isEnded = false;
      const { name, kinds, capabilities } = cluster;
      return {
        name,
        kinds,
        capabilities,
        ...counted(cluster, { ...options, held: part, isOpen: () => !isEnded && isOpen() }),
        [Symbol.dispose]: () => {
          if (!isEnded) ofParts.give(bytes);
          isEnded = true;
          part[Symbol.dispose]();
        },
      };
    },
  };
}

/**
 * A client that counts what it returns, and refuses calls once its user has closed the cluster: a cancelled action that goes on must not
 * write.
 */
function countedClient(
  client: KubeClient,
  count: (value: unknown) => void,
  isOpen: () => boolean,
): KubeClient {
  return new Proxy(client, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (!isOpen()) throw new ProviderError('transient', `${target.clusterName} was closed by its user`);
        const result: unknown = Reflect.apply(value, target, args);
        if (!(result instanceof Promise)) return result;
        return result.then((answer: unknown) => {
          count(answer);
          return answer;
        });
      };
    },
  });
}

import { createHash } from 'node:crypto';
import { type ByteBudget, createByteBudget, ProviderError } from '../../../../framework/base/index.ts';
import type { KubeClient } from '../../../../framework/kube/index.ts';

import type { ManagedCluster } from '../model/component.ts';
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
  readonly tenant: string;
  users: number;
  /** Cancels the close of an unused one. */
  cancelClose: () => void;
}

const IDLE_MS = 30_000;
const MIB = 1024 * 1024;
/** For what clusters have sent and is not read yet, and for their kinds. A CRD has up to a MiB, and 8 objects are applied at a time. */
const MAX_BYTES = 64 * MIB;
const MAX_BYTES_PER_TENANT = 40 * MIB;

export function createManagedClusters(options: ManagedClustersOptions): ManagedClusters {
  const { clock, log, idleMs = IDLE_MS } = options;
  const shared = new Map<string, SharedCluster>();
  const all = createByteBudget(MAX_BYTES);
  const tenants = new Map<string, { readonly memory: ByteBudget; clusters: number }>();

  const openNew = (kubeconfig: string, tenant: string): SharedCluster => {
    const share = tenants.get(tenant) ?? { memory: createByteBudget(MAX_BYTES_PER_TENANT, all), clusters: 0 };
    const cluster = openManagedCluster(kubeconfig, { ...options, memory: share.memory });
    share.clusters++;
    tenants.set(tenant, share);
    return { cluster, tenant, users: 0, cancelClose: () => undefined };
  };
  const forget = (key: string, { tenant }: SharedCluster) => {
    const share = tenants.get(tenant);
    if (shared.delete(key) && share !== undefined && --share.clusters === 0) tenants.delete(tenant);
  };
  const release = (key: string, of: SharedCluster) => {
    of.users--;
    if (of.users > 0) return;
    of.cancelClose = clock.after(idleMs, () => {
      forget(key, of);
      of.cluster.close().catch(() => log.debug('cannot close connections to a managed cluster'));
    });
  };
  return {
    open: (kubeconfig, tenant) => {
      // Not the text: it is a credential, and would stay in memory.
      const key = `${createHash('sha256').update(kubeconfig).digest('base64')} ${tenant}`;
      const used = shared.get(key) ?? openNew(kubeconfig, tenant);
      shared.set(key, used);
      used.cancelClose();
      used.users++;
      let isOpen = true;
      return {
        ...used.cluster,
        client: fenced(used.cluster.client, () => isOpen),
        close: async () => {
          if (isOpen) release(key, used);
          isOpen = false;
        },
      };
    },
    close: async () => {
      const open = [...shared.values()];
      shared.clear();
      tenants.clear();
      for (const { cancelClose } of open) cancelClose();
      await Promise.all(open.map(({ cluster }) => cluster.close()));
    },
  };
}

/** A client that refuses calls once its user has closed the cluster: a cancelled action that goes on must not write. */
function fenced(client: KubeClient, isOpen: () => boolean): KubeClient {
  return new Proxy(client, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (!isOpen()) throw new ProviderError('transient', `${target.clusterName} was closed by its user`);
        return Reflect.apply(value, target, args);
      };
    },
  });
}

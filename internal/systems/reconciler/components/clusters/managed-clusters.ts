import { createHash } from 'node:crypto';
import { ProviderError } from '../../../../framework/base/index.ts';
import type { KubeClient } from '../../../../framework/kube/index.ts';

import type { ManagedCluster } from '../model/component.ts';
import { type ManagedClusterOptions, openManagedCluster } from './open-managed-cluster.ts';

export interface ManagedClustersOptions extends ManagedClusterOptions {
  /** How long an unused cluster keeps its connections and kinds, in ms; default 30 seconds. */
  readonly idleMs?: number;
}

/** Managed clusters by their kubeconfigs: tasks for the same one share its connections, and what is known of its kinds. */
export interface ManagedClusters {
  /**
   * Opens the cluster of a kubeconfig; its caller closes it.
   *
   * @throws KubeconfigError, EndpointRefusedError without a part of the kubeconfig that may be secret
   */
  open(kubeconfig: string): ManagedCluster;
  /** Closes all, also those in use. */
  close(): Promise<void>;
}

interface SharedCluster {
  readonly cluster: ManagedCluster;
  users: number;
  /** Cancels the close of an unused one. */
  cancelClose: () => void;
}

const IDLE_MS = 30_000;

export function createManagedClusters(options: ManagedClustersOptions): ManagedClusters {
  const { clock, log, idleMs = IDLE_MS } = options;
  const shared = new Map<string, SharedCluster>();

  const release = (key: string, of: SharedCluster) => {
    of.users--;
    if (of.users > 0) return;
    of.cancelClose = clock.after(idleMs, () => {
      shared.delete(key);
      of.cluster.close().catch(() => log.debug('cannot close connections to a managed cluster'));
    });
  };
  return {
    open: (kubeconfig) => {
      // Not the text: it is a credential, and would stay in memory.
      const key = createHash('sha256').update(kubeconfig).digest('base64');
      const used = shared.get(key) ?? {
        cluster: openManagedCluster(kubeconfig, options),
        users: 0,
        cancelClose: () => undefined,
      };
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
      const all = [...shared.values()];
      shared.clear();
      for (const { cancelClose } of all) cancelClose();
      await Promise.all(all.map(({ cluster }) => cluster.close()));
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

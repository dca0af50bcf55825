/** A pool of clusters in memory, with a management cluster that the test controls. */
import { expect } from '@jest/globals';
import { findCause, ProviderError } from '../../base/errors/errors.ts';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { createMemoryClient, type MemoryClient } from '../fakes/memory-client.ts';
import type { Secret } from '../object/object.ts';
import { configMaps, secrets } from '../object/resource-type.ts';
import { createObjectWatcher, type ObjectWatcher } from '../watched-objects/object-watcher.ts';
import { type ClusterSettings, createCluster } from './cluster.ts';
import { type ClusterPool, type ClusterRef, createClusterPool } from './cluster-pool.ts';

export const key = { namespace: 'crossplane-system', name: 'kyma-1' };
export const ref: ClusterRef = { secret: key, kubeconfigKey: 'kubeconfig' };
export const { signal } = new AbortController();

export const kubeconfig = (server: string, user = '{token: abc}') => `
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: ${server}}}]
users: [{name: u, user: ${user}}]
`;
export const one = 'https://one.example';
export const two = 'https://two.example';

export function secret(text: string, more: Record<string, string> = {}): Secret {
  const data = { kubeconfig: text, ...more };
  const encoded = Object.entries(data).map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
  return { apiVersion: 'v1', kind: 'Secret', metadata: { ...key }, data: Object.fromEntries(encoded) };
}

export interface PoolHarness {
  readonly clock: FakeClock;
  readonly management: MemoryClient;
  readonly objectWatcher: ObjectWatcher;
  readonly pool: ClusterPool;
  /** Clusters in the order of connection. */
  readonly connected: ClusterConfig[];
  readonly settings: ClusterSettings[];
  /** The servers of those that were closed. */
  readonly closed: string[];
  /** Replaces the kubeconfig of the Secret. */
  put(text: string): Promise<unknown>;
  /** GETs of the management cluster. */
  reads(): number;
  /** Long enough for a watch's account to count as complete. */
  settle(): Promise<void>;
  /** The error with which the pool refuses the kubeconfig. */
  refused(of?: ClusterRef): Promise<unknown>;
  /** Subscribes to an object of the cluster; returns the number of notifications. */
  wait(): Promise<() => number>;
  /** Whether a change of the Secret wakes up who waits as the error says. */
  wakesUp(error: unknown, change: () => Promise<unknown>): Promise<boolean>;
  close(): void;
}

/** @param idleMs of the pool; default one minute */
export function createPoolHarness(idleMs = 60_000): PoolHarness {
  const clock = createFakeClock();
  const management = createMemoryClient({ clock, clusterName: 'management cluster' });
  const objectWatcher = createObjectWatcher({ client: management, clock, random: () => 0.5 });
  const connected: ClusterConfig[] = [];
  const connectedWith: ClusterSettings[] = [];
  const closed: string[] = [];
  const pool = createClusterPool({
    client: management,
    objectWatcher,
    clock,
    random: () => 0.5,
    idleMs,
    connect: (config, settings) => {
      connected.push(config);
      connectedWith.push(settings);
      const client = createMemoryClient({ clock, clusterName: config.server });
      const cluster = createCluster({ clock, random: () => 0.5, client, ...settings });
      const { close } = cluster;
      return Object.assign(cluster, {
        close: () => {
          closed.push(config.server);
          return close();
        },
      });
    },
  });
  const settle = () => clock.advance(1000);
  return {
    clock,
    management,
    objectWatcher,
    pool,
    connected,
    settings: connectedWith,
    closed,
    put: (text) => {
      const { metadata: _, ...rest } = secret(text);
      return management.mergePatch(secrets, key, rest);
    },
    reads: () => management.requests.filter(({ verb }) => verb === 'get').length,
    settle,
    refused: (of = ref) =>
      pool.acquire(of, signal).then(
        () => {
          throw new Error('it was accepted');
        },
        (error: unknown) => error,
      ),
    wait: async () => {
      const { cluster, release } = await pool.acquire(ref, signal);
      let woken = 0;
      cluster.objectWatcher.target(configMaps, { namespace: 'a', name: 'b' }, 'absent').watch(() => woken++);
      release();
      await settle();
      return () => woken;
    },
    wakesUp: async (error, change) => {
      let woken = false;
      const targets = findCause(error, ProviderError)?.targets ?? [];
      const stops = targets.map((target) => target.watch(() => (woken = true)));
      await settle();
      expect(woken).toBe(false);
      await change();
      await settle();
      for (const stop of stops) stop();
      return woken;
    },
    close: () => {
      pool.close();
      objectWatcher.close();
    },
  };
}

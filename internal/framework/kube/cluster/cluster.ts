/**
 * An API server and everything by which a program uses it, as controller-runtime's `cluster.Cluster`. The management cluster
 * is the first and required; others are optional, or belong to tenants and come from a ClusterPool. A part that is not used
 * starts nothing and costs next to nothing.
 */
import { type ByteBudget, createByteBudget } from '../../base/collections/byte-budget.ts';
import type { TokenBucket } from '../../base/concurrency/token-bucket.ts';
import { createDeps, type DepsWith } from '../../base/deps.ts';
import type { CacheProblem, ClusterInfo } from '../cache/cache.ts';
import { createInformers, type Informers } from '../cache/informers.ts';
import { type KubeClient, MANAGEMENT_CLUSTER } from '../client/client.ts';
import { CLUSTER_LIMITS, type ClusterLimits, type Trust } from '../client/cluster-limits.ts';
import { createKubeClient } from '../client/rest-client.ts';
import {
  createPolledReads,
  createSharedReads,
  type PolledReads,
  type SharedReads,
} from '../client/shared-reads.ts';
import { limitWrites } from '../client/write-limit.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { createEventBroadcaster, type EventBroadcaster } from '../events/event-broadcaster.ts';
import type { Transport } from '../transport/transport.ts';
import { createObjectWatcher, type ObjectWatcher } from '../watched-objects/object-watcher.ts';

export interface Cluster extends ClusterInfo {
  readonly trust: Trust;
  readonly limits: ClusterLimits;
  /** Its writes of each object are limited (write-limit.ts). */
  readonly client: KubeClient;
  readonly informers: Informers;
  /** Watches single objects, without a copy of them. */
  readonly objectWatcher: ObjectWatcher;
  readonly reads: SharedReads;
  /** For polls, which may use a response that is a few seconds old (`createPolledReads`). */
  readonly polledReads: PolledReads;
  /** Created by its first use. */
  readonly events: EventBroadcaster;
  /**
   * Why the cluster does not serve its informers, and for how long. Undefined while one of them works, or none is started. A
   * kind that the server does not have is no problem of the cluster.
   */
  problem(): CacheProblem | undefined;
  /** Calls `listener` when `problem` is defined and when it is not any more, until the returned function is called. */
  onProblem(listener: () => void): () => void;
  /**
   * Ends watches and informers, and closes the connections that it has opened.
   *
   * @param signal when to give up on pending events; default: after 5 s
   */
  close(signal?: AbortSignal): Promise<void>;
}

export interface ClusterSettings {
  /** Default `management`. */
  readonly name?: string;
  /** Default: `management cluster` for the management cluster, `cluster <server host>` for others. A given client has its own. */
  readonly displayName?: string;
  /** Default true. */
  readonly required?: boolean;
  /** Default `trusted`. */
  readonly trust?: Trust;
  /** Memory for names that it shares with other clusters, in addition to its own limit; default: none. */
  readonly names?: ByteBudget;
  /** Memory for watches of single objects, that it shares with other clusters; default: no limit. */
  readonly watches?: ByteBudget;
  /** Memory for what is received and not read yet, that it shares with other clusters; default: none but those of each. */
  readonly buffers?: ByteBudget;
  /** The rate of what watches receive, in bytes, that it shares with other clusters, in addition to its own; default: none. */
  readonly watchRate?: TokenBucket;
}

export type ClusterOptions = DepsWith<'clock'> &
  ClusterSettings &
  (
    | {
        /** A client that is not closed; its limits are its own. */
        readonly client: KubeClient;
      }
    | {
        readonly config: ClusterConfig;
        /** Default: connections to the config's server. */
        readonly transport?: Transport;
      }
  );

/** Opens another cluster in the way of the program, e.g. read-only. */
export type ConnectCluster = (config: ClusterConfig, settings: ClusterSettings) => Cluster;

/** Time to write pending events, in ms. */
const FLUSH_EVENTS_MS = 5000;

/** Sends no request. */
export function createCluster(options: ClusterOptions): Cluster {
  const { name = MANAGEMENT_CLUSTER, required = true, trust = 'trusted' } = options;
  const limits = CLUSTER_LIMITS[trust];
  const deps = createDeps(options);
  const { client: unlimited, closeClient } = clientOf(options);
  const client = limitWrites(unlimited, deps);
  const info = { name, displayName: client.clusterName, required };
  const common = { ...deps, client };
  const informers = createInformers({ ...common, cluster: info });
  const names =
    limits.maxNameBytes === undefined ? options.names : createByteBudget(limits.maxNameBytes, options.names);
  const objectWatcher = createObjectWatcher({
    ...common,
    ...(names ? { names } : {}),
    ...(options.watches ? { watches: options.watches } : {}),
  });
  const reads = createSharedReads(common);
  let events: EventBroadcaster | undefined;
  return {
    ...info,
    trust,
    limits,
    client,
    informers,
    objectWatcher,
    reads,
    polledReads: createPolledReads({ ...common, reads, memory: options.buffers }),
    get events() {
      // Events have limits of their own.
      events ??= createEventBroadcaster({ ...common, client: unlimited, cluster: name });
      return events;
    },
    problem: informers.problem,
    onProblem: informers.onProblem,
    close: async (signal) => {
      await events?.close(signal ?? AbortSignal.timeout(FLUSH_EVENTS_MS));
      objectWatcher.close();
      informers.close();
      await closeClient();
    },
  };
}

function clientOf(options: ClusterOptions): {
  readonly client: KubeClient;
  readonly closeClient: () => Promise<void>;
} {
  if ('client' in options) return { client: options.client, closeClient: async () => undefined };
  const { name = MANAGEMENT_CLUSTER, trust = 'trusted', transport } = options;
  const displayName = options.displayName ?? (name === MANAGEMENT_CLUSTER ? 'management cluster' : undefined);
  const client = createKubeClient({
    ...createDeps(options),
    ...CLUSTER_LIMITS[trust],
    config: options.config,
    sharedWatchRate: options.watchRate,
    memory: options.buffers,
    cluster: name,
    // Names of tenants' servers would be series that never end, readable without authentication.
    ...(trust === 'hostile' ? { metricsHost: name } : {}),
    ...(displayName === undefined ? {} : { clusterName: displayName }),
    ...(transport === undefined ? {} : { transport }),
  });
  return { client, closeClient: client.close };
}

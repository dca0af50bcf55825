import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { createByteBudget } from '../../base/collections/byte-budget.ts';
import { abandonable } from '../../base/concurrency/abandonable.ts';
import { createDeps, type DepsWith } from '../../base/deps.ts';
import { ProviderError, WaitingError, type WatchedObject } from '../../base/errors/errors.ts';
import type { KubeClient } from '../client/client.ts';
import { createKubeClient, type RestClient, type RestClientOptions } from '../client/rest-client.ts';
import type { SharedReads } from '../client/shared-reads.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { parseUntrustedKubeconfig } from '../config/untrusted-kubeconfig.ts';
import { keyString } from '../object/object.ts';
import { secrets } from '../object/resource-type.ts';
import type { ObjectWatcher } from '../watched-objects/object-watcher.ts';
import type { ObjectWatch } from '../watched-objects/shared-watch.ts';
import { attemptAt, type CallOutcome } from './cluster-attempt.ts';
import {
  type ClusterRef,
  createKubeconfigSecrets,
  describeRef,
  type SecretTarget,
} from './kubeconfig-secret.ts';
import { createRemoteCluster, type RemoteCluster } from './remote-cluster.ts';

/** A remote cluster in use. It must be released; watched objects of its watcher stay valid afterwards. */
export interface ClusterLease {
  readonly client: KubeClient;
  readonly reads: SharedReads;
  readonly objectWatcher: ObjectWatcher;
  /** The kubeconfig Secret in the version in use: watched if the cluster refuses requests or does not respond. */
  readonly secretTarget: WatchedObject;
  /** Reports the outcome to the circuit breaker of the cluster. If it is not called, this use does not count. */
  report(outcome: CallOutcome): void;
  release(): void;
}

/**
 * Remote clusters by the Secret with their kubeconfig. All users of one kubeconfig share connections and watches, which
 * are closed when they are idle. The Secret is read again after a change, or if it is not watched. If it then contains
 * another kubeconfig, subscribers to objects of the old cluster are notified. Its text is not kept.
 */
export interface ClusterPool {
  /**
   * Sends no request to the remote cluster.
   *
   * @throws WaitingError if the Secret, its key or the key's content is missing, with the Secret as watched object
   * @throws a `terminal` ProviderError, with a KubeconfigError as cause, if the kubeconfig is invalid or refused
   * @throws WaitingError while the circuit is open: requests to the cluster timed out several times in a row
   * @throws other errors of the read of the Secret
   */
  acquire(ref: ClusterRef, signal: AbortSignal): Promise<ClusterLease>;
  close(): void;
}

export interface ClusterPoolOptions extends DepsWith<'clock'> {
  /** The client of the cluster with the Secrets. */
  readonly client: KubeClient;
  readonly objectWatcher: ObjectWatcher;
  /** Default: `createKubeClient`. */
  readonly connect?: (config: ClusterConfig, limits: ConnectionLimits) => RestClient;
  /** Default: `parseUntrustedKubeconfig`. */
  readonly parse?: (kubeconfig: string) => ClusterConfig;
  /** An unused cluster is closed after this, in ms; default 15 minutes, longer than the usual poll intervals. */
  readonly idleMs?: number;
}

/**
 * Limits of one cluster. All clusters share one value of `metricsHost`: their names come from Secrets, metrics are readable
 * without authentication, and a series stays until the process ends.
 */
export type ConnectionLimits = Required<
  Pick<
    RestClientOptions,
    'connections' | 'maxResponseBytes' | 'maxWatchLineBytes' | 'jsonLimits' | 'metricsHost'
  >
>;

const MIB = 1024 * 1024;

/**
 * The server is not trusted, since a kubeconfig Secret names it. The objects that are read there have a few KiB.
 *
 * For a hundred clusters with 100 KiB for each connection. Eight connections are enough for hundreds of calls a second,
 * even between continents.
 */
const LIMITS: ConnectionLimits = {
  connections: 8,
  maxResponseBytes: MIB,
  maxWatchLineBytes: MIB / 2,
  jsonLimits: { maxDepth: 64, maxValues: 20_000 },
  metricsHost: 'remote',
};

/** Memory for the names of the watches of one cluster, about 10,000, and of all clusters. */
const MAX_NAME_BYTES = 2 * MIB;
const MAX_ALL_NAME_BYTES = 32 * MIB;

/** The state of one Secret and key. */
interface Entry {
  readonly ref: ClusterRef;
  inUse?: {
    readonly cluster: RemoteCluster;
    readonly uid: string;
    readonly digest: string;
    readonly version: string;
    readonly observation: ObjectWatch;
  };
  reading?: Promise<void>;
}

export function createClusterPool(options: ClusterPoolOptions): ClusterPool {
  const { client, objectWatcher } = options;
  const deps = createDeps(options);
  const connect = options.connect ?? ((config, limits) => createKubeClient({ ...deps, config, ...limits }));
  const digestOf = createDigest();
  const allNames = createByteBudget(MAX_ALL_NAME_BYTES);
  const entries = new Map<string, Entry>();
  let closed = false;

  const targetOf: SecretTarget = (ref, version) => objectWatcher.target(secrets, ref.secret, version);
  const parse = options.parse ?? parseUntrustedKubeconfig;
  const kubeconfigs = createKubeconfigSecrets({ client, targetOf, parse });

  const forget = (entry: Entry) => {
    entry.inUse?.observation.stop();
    entry.inUse?.cluster.retire();
    delete entry.inUse;
  };

  const open = (entry: Entry, config: ClusterConfig): RemoteCluster => {
    const cluster = createRemoteCluster({
      ...deps,
      config,
      connect: (of) => connect(of, LIMITS),
      names: createByteBudget(MAX_NAME_BYTES, allNames),
      idleMs: options.idleMs ?? 15 * 60_000,
      onIdle: () => {
        if (entry.inUse?.cluster !== cluster) return;
        forget(entry);
        entries.delete(idOf(entry.ref));
      },
    });
    return cluster;
  };

  /** Brings the entry up to date with its Secret. */
  const refresh = async (entry: Entry): Promise<void> => {
    const { ref } = entry;
    const found = await kubeconfigs.read(ref).catch((error: unknown) => {
      if (error instanceof WaitingError) forget(entry);
      throw error;
    });
    const { uid, version } = found;
    try {
      const digest = digestOf(found.text);
      const known =
        entry.inUse?.uid === uid && entry.inUse.digest === digest ? entry.inUse.cluster : undefined;
      const cluster = known ?? open(entry, kubeconfigs.parse(found));
      if (known) entry.inUse?.observation.stop();
      else forget(entry);
      if (closed) {
        cluster.retire();
        throw new ProviderError('transient', shuttingDown);
      }
      // Without subscribers the next `acquire` reads the Secret.
      const onChange = () => {
        if (cluster.objectWatcher.size() > 0) update(entry).catch(() => cluster.objectWatcher.notifyAll());
      };
      const observation = objectWatcher.watch(secrets, ref.secret, version, onChange, { poll: false });
      entry.inUse = { cluster, uid, digest, version, observation };
    } catch (error) {
      forget(entry);
      throw error;
    }
  };

  /** One refresh at a time, shared by all calls of `acquire`. */
  const update = (entry: Entry): Promise<void> => {
    entry.reading ??= refresh(entry).finally(() => {
      delete entry.reading;
      const id = idOf(entry.ref);
      if (!entry.inUse && entries.get(id) === entry) entries.delete(id);
    });
    return entry.reading;
  };

  return {
    acquire: async (ref, signal) => {
      signal.throwIfAborted();
      if (closed) throw new ProviderError('transient', shuttingDown);
      const id = idOf(ref);
      const entry: Entry = entries.get(id) ?? { ref };
      entries.set(id, entry);
      if (!entry.inUse?.observation.isCurrent()) await abandonable(update(entry), signal);
      const { inUse } = entry;
      if (!inUse)
        throw new ProviderError('transient', `the connection to ${describeRef(ref)} was closed meanwhile`);
      const { cluster, version } = inUse;
      const { client: remote, reads, objectWatcher: watches } = cluster;
      const secretTarget = targetOf(ref, version);
      const attempt = attemptAt(cluster, secretTarget, deps.clock);
      const end = cluster.use();
      return {
        client: remote,
        reads,
        objectWatcher: watches,
        secretTarget,
        report: attempt.report,
        release: () => {
          attempt.end();
          end();
        },
      };
    },
    close: () => {
      closed = true;
      for (const entry of entries.values()) forget(entry);
      entries.clear();
    },
  };
}

const shuttingDown = 'cannot connect to a remote cluster: the provider is shutting down';

const idOf = (ref: ClusterRef): string => JSON.stringify([keyString(ref.secret), ref.kubeconfigKey]);

/** A keyed hash to compare kubeconfigs without keeping their text. */
function createDigest(): (text: string) => string {
  const key = createSecretKey(randomBytes(32));
  return (text) => createHmac('sha256', key).update(text).digest('base64');
}

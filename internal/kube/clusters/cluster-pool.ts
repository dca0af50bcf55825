import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { createByteBudget } from '../../base/collections/byte-budget.ts';
import { createLruCache } from '../../base/collections/lru-cache.ts';
import { abandonable } from '../../base/concurrency/abandonable.ts';
import { createDeps, type DepsWith } from '../../base/deps.ts';
import { ProviderError, WaitingError, type WatchedObject } from '../../base/errors/errors.ts';
import { ownMember } from '../../base/json/json-field.ts';
import type { Clock } from '../../base/time/clock.ts';
import { startStopwatch } from '../../base/time/stopwatch.ts';
import { type Attempt, SLOW_SHARE } from '../../http/limits/circuit-breaker.ts';
import type { KubeClient } from '../client/client.ts';
import {
  CALL_TIMEOUT_MS,
  createKubeClient,
  type RestClient,
  type RestClientOptions,
} from '../client/rest-client.ts';
import type { SharedReads } from '../client/shared-reads.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { KubeconfigError } from '../config/kubeconfig-error.ts';
import { parseUntrustedKubeconfig } from '../config/untrusted-kubeconfig.ts';
import { isNotFound } from '../errors/errors.ts';
import { keyString, type ObjectKey, type Secret } from '../object/object.ts';
import { secrets } from '../object/resource-type.ts';
import type { ObjectWatcher } from '../watched-objects/object-watcher.ts';
import type { ObjectWatch } from '../watched-objects/shared-watch.ts';
import { createRemoteCluster, type RemoteCluster } from './remote-cluster.ts';

/** The Secret key with the kubeconfig of a remote cluster. */
export interface ClusterRef {
  readonly secret: ObjectKey;
  readonly kubeconfigKey: string;
}

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
 * How a cluster responded. `answered`: a response other than a server error. `failed`: a server error or no connection; it
 * counts as `timed-out` if it took long, and not at all otherwise. `timed-out`: no response in time.
 */
export type CallOutcome = 'answered' | 'failed' | 'timed-out';

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

/** Memory for about 1000 errors of invalid kubeconfigs. Without an entry the kubeconfig is parsed again. */
const MAX_REFUSAL_BYTES = 2 * 1024 * 1024;
/** Memory of one error with its stack. */
const REFUSAL_BYTES = 1500;

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
  const parse = rememberRefusals(options.parse ?? parseUntrustedKubeconfig);
  const digestOf = createDigest();
  const allNames = createByteBudget(MAX_ALL_NAME_BYTES);
  const entries = new Map<string, Entry>();
  let closed = false;

  const targetOf = (ref: ClusterRef, version: string) => objectWatcher.target(secrets, ref.secret, version);

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
    const secret = await readSecret(client, ref, targetOf(ref, 'absent')).catch((error: unknown) => {
      if (error instanceof WaitingError) forget(entry);
      throw error;
    });
    const { uid = '', resourceVersion: version = '' } = secret.metadata;
    try {
      const text = kubeconfigIn(secret, ref, client.clusterName, targetOf(ref, version));
      const digest = digestOf(text);
      const known =
        entry.inUse?.uid === uid && entry.inUse.digest === digest ? entry.inUse.cluster : undefined;
      const cluster =
        known ??
        open(
          entry,
          usable(
            () => parse(text, uid, version, ref.kubeconfigKey),
            ref,
            client.clusterName,
            targetOf(ref, version),
          ),
        );
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
        throw new ProviderError('transient', `the connection to ${describe(ref)} was closed meanwhile`);
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

/** A failure that takes this long counts as a timeout, in ms. */
const SLOW_MS = SLOW_SHARE * CALL_TIMEOUT_MS;

/** One use of a cluster, counted by its circuit breaker. */
function attemptAt({ breaker, client }: RemoteCluster, target: WatchedObject, clock: Clock) {
  const elapsedMs = startStopwatch(clock);
  let attempt: Attempt | undefined;
  try {
    attempt = breaker.enter();
  } catch (cause) {
    // A constant text, so that the condition does not change with each attempt.
    const message = `${client.clusterName} is unreachable: it has not answered for a while and is left alone for now (circuit open)`;
    throw new WaitingError(message, { targets: [target], retry: true, cause });
  }
  return {
    report: (outcome: CallOutcome) => {
      if (outcome === 'answered') attempt?.succeeded();
      else if (outcome === 'timed-out' || elapsedMs() >= SLOW_MS) attempt?.failedSlowly();
      else attempt?.inconclusive();
      attempt = undefined;
    },
    end: () => {
      attempt?.inconclusive();
      attempt = undefined;
    },
  };
}

const shuttingDown = 'cannot connect to a remote cluster: the provider is shutting down';

async function readSecret(client: KubeClient, ref: ClusterRef, target: WatchedObject): Promise<Secret> {
  try {
    return await client.get(secrets, ref.secret);
  } catch (cause) {
    if (!isNotFound(cause)) throw cause;
    const message = `Secret ${keyString(ref.secret)} with the kubeconfig not found on ${client.clusterName}`;
    throw new WaitingError(message, { targets: [target], cause });
  }
}

function kubeconfigIn(secret: Secret, ref: ClusterRef, clusterName: string, target: WatchedObject): string {
  const encoded = ownMember(secret.data, ref.kubeconfigKey);
  const text = typeof encoded !== 'string' ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
  if (text !== undefined && text.trim() !== '') return text;
  const lack =
    text === undefined ? `has no key ${ref.kubeconfigKey}` : `has an empty key ${ref.kubeconfigKey}`;
  const message = `Secret ${keyString(ref.secret)} on ${clusterName} ${lack}`;
  throw new WaitingError(message, { targets: [target] });
}

/** A refused kubeconfig is not parsed again before its Secret has another version. */
function rememberRefusals(parse: (text: string) => ClusterConfig) {
  const refusals = createLruCache<string, KubeconfigError>({
    maxBytes: MAX_REFUSAL_BYTES,
    bytesOf: () => REFUSAL_BYTES,
  });
  return (text: string, uid: string, version: string, key: string): ClusterConfig => {
    const id = JSON.stringify([uid, version, key]);
    const refused = refusals.get(id);
    if (refused !== undefined) throw refused;
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof KubeconfigError) refusals.set(id, error);
      throw error;
    }
  };
}

/** What `parse` returns; its refusal becomes an error that names the Secret. */
function usable(
  parse: () => ClusterConfig,
  ref: ClusterRef,
  clusterName: string,
  target: WatchedObject,
): ClusterConfig {
  try {
    return parse();
  } catch (cause) {
    const why = cause instanceof ProviderError ? cause.message : 'kubeconfig cannot be read';
    const message = `cannot use ${describe(ref)} on ${clusterName}: ${why}`;
    throw new ProviderError('terminal', message, { targets: [target], cause });
  }
}

const describe = (ref: ClusterRef): string => `key ${ref.kubeconfigKey} of Secret ${keyString(ref.secret)}`;

const idOf = (ref: ClusterRef): string => JSON.stringify([keyString(ref.secret), ref.kubeconfigKey]);

/** A keyed hash to compare kubeconfigs without keeping their text. */
function createDigest(): (text: string) => string {
  const key = createSecretKey(randomBytes(32));
  return (text) => createHmac('sha256', key).update(text).digest('base64');
}

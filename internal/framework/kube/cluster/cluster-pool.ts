import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { createByteBudget, createShares } from '../../base/collections/byte-budget.ts';
import { createLruCache } from '../../base/collections/lru-cache.ts';
import { abandonable } from '../../base/concurrency/abandonable.ts';
import { createTokenBucket } from '../../base/concurrency/token-bucket.ts';
import { createDeps, type Deps, type DepsWith } from '../../base/deps.ts';
import { ProviderError, WaitingError, type WatchedObject } from '../../base/errors/errors.ts';
import { ownMember } from '../../base/json/json-value.ts';
import { type Clock, startStopwatch } from '../../base/time/clock.ts';
import {
  type Attempt,
  type CircuitBreaker,
  createCircuitBreaker,
  SLOW_SHARE,
} from '../../http/limits/circuit-breaker.ts';
import type { KubeClient } from '../client/client.ts';
import { CALL_TIMEOUT_MS } from '../client/rest-client.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { KubeconfigError } from '../config/kubeconfig-document.ts';
import { parseUntrustedKubeconfig } from '../config/untrusted-kubeconfig.ts';
import { isNotFound } from '../errors/errors.ts';
import {
  impossibleKey,
  isOlder,
  type KubeObject,
  keyString,
  type ObjectKey,
  type Secret,
} from '../object/object.ts';
import { secrets } from '../object/resource-type.ts';
import type { ObjectWatch } from '../watched-objects/shared-watch.ts';
import { absent, type ReadVersion } from '../watched-objects/watched-versions.ts';
import { type Cluster, type ClusterSettings, type ConnectCluster, createCluster } from './cluster.ts';

/**
 * Clusters by the Secret with their kubeconfig, which are hostile and not required. All users of one kubeconfig share connections and watches, which
 * are closed when they are idle. The Secret is read again after a change, or if it is not watched. If it then contains
 * another kubeconfig, subscribers to objects of the old cluster are notified. Its text is not kept.
 */
export interface ClusterPool {
  /**
   * Sends no request to the remote cluster.
   *
   * @param informed instead of a watch of the Secret. Default: it is watched
   * @throws WaitingError if the Secret, its key or the key's content is missing, with the Secret as watched object
   * @throws a `terminal` ProviderError, with a KubeconfigError as cause, if the kubeconfig is invalid or refused
   * @throws WaitingError while the circuit is open: requests to the cluster timed out several times in a row
   * @throws other errors of the read of the Secret
   */
  acquire(ref: ClusterRef, signal: AbortSignal, informed?: InformedOfSecret): Promise<ClusterUse>;
  /**
   * Takes the Secret as this process has just stored it, so that callers with an informer need not read it. Sends no request, and leaves
   * it to `acquire` to report what is wrong with it.
   */
  learn(ref: ClusterRef, stored: Secret): void;
  close(): void;
}

/** For callers with an informer of the Secrets: a connection is kept until that has a newer version. */
export interface InformedOfSecret {
  /** Undefined: the informer does not have it. */
  readonly secret: KubeObject | undefined;
}

/** `client` and `objectWatcher` are those of the cluster with the Secrets. */
export interface ClusterPoolOptions extends DepsWith<'clock'>, Pick<Cluster, 'client' | 'objectWatcher'> {
  /** Default: `createCluster`. */
  readonly connect?: ConnectCluster;
  /** Default: `parseUntrustedKubeconfig`. */
  readonly parse?: (kubeconfig: string) => ClusterConfig;
  /** An unused cluster is closed after this, in ms; default 15 minutes, longer than the usual poll intervals. */
  readonly idleMs?: number;
}

/** The name of all clusters of a pool: their own come from Secrets, and a series stays until the process ends. */
const REMOTE = 'remote';

const MIB = 1024 * 1024;
/** Memory for the names of the watches of all clusters. */
const MAX_ALL_NAME_BYTES = 32 * MIB;
/** The same for the watches themselves: enough for 128 clusters, each with an instance, a binding, a Secret and a ConfigMap. */
const MAX_ALL_WATCH_BYTES = 64 * MIB;
/** For responses and lists while they are received and used. */
const MEMORY_OF_RESPONSES = { maxBytes: 64 * MIB, maxBytesPerTenant: 16 * MIB };
/**
 * Clusters of one namespace that are kept for later uses. Who writes Secrets there can make thousands in the time after which an unused one
 * is closed, each with 110 KiB.
 */
const MAX_UNUSED = 256;
/** Of these so many are looked at to find one that is not watched. */
const MAX_LOOKED_AT = 16;

/**
 * Of all clusters whose Secrets are in one namespace: who writes Secrets there can name one server by hundreds of them. The burst is
 * enough for the start of a hundred clusters, the rate for 1,200 changes a second.
 */
const NAMESPACE = {
  nameBytes: MAX_ALL_NAME_BYTES / 2,
  watchBytes: MAX_ALL_WATCH_BYTES / 2,
  bytesPerSecond: MIB,
  burstBytes: 64 * MIB,
};

/** What the clusters of one namespace share. */
interface Share extends Required<Pick<ClusterSettings, 'names' | 'watches' | 'buffers' | 'watchRate'>> {
  /** Without users, those that are unused longest first. They may be watched. */
  readonly unused: Set<Entry>;
}

/** The state of one Secret and key. */
interface Entry {
  readonly ref: ClusterRef;
  inUse?: {
    readonly pooled: PooledCluster;
    readonly uid: string;
    readonly digest: string;
    readonly version: string;
    /** Undefined: the caller is informed. */
    readonly observation: ObjectWatch | undefined;
    /** The informer of the caller may not have the Secret yet. */
    isAhead: boolean;
  };
  reading?: Promise<void>;
}

export function createClusterPool(options: ClusterPoolOptions): ClusterPool {
  const { client, objectWatcher } = options;
  const deps = createDeps(options);
  const connect = options.connect ?? ((config, settings) => createCluster({ ...deps, config, ...settings }));
  const digestOf = createDigest();
  const allNames = createByteBudget(MAX_ALL_NAME_BYTES);
  const allWatches = createByteBudget(MAX_ALL_WATCH_BYTES);
  const buffers = createShares(MEMORY_OF_RESPONSES);
  const shares = new Map<string, Share>();
  const entries = new Map<string, Entry>();
  let closed = false;

  const targetOf: SecretTarget = (ref, version) => objectWatcher.target(secrets, ref.secret, version);
  const parse = options.parse ?? parseUntrustedKubeconfig;
  const kubeconfigs = createKubeconfigSecrets({ client, targetOf, parse });

  const forget = (entry: Entry) => {
    shares.get(namespaceOf(entry.ref))?.unused.delete(entry);
    entry.inUse?.observation?.stop();
    entry.inUse?.pooled.retire();
    delete entry.inUse;
  };

  /** The last cluster of a namespace takes the share of that namespace with it. */
  const drop = (id: string, { ref }: Entry) => {
    entries.delete(id);
    const namespace = namespaceOf(ref);
    if (![...entries.values()].some((other) => namespaceOf(other.ref) === namespace))
      shares.delete(namespace);
  };
  const shareOf = (namespace: string): Share => {
    const { nameBytes, watchBytes, bytesPerSecond, burstBytes } = NAMESPACE;
    const known: Share = shares.get(namespace) ?? {
      unused: new Set(),
      names: createByteBudget(nameBytes, allNames),
      watches: createByteBudget(watchBytes, allWatches),
      buffers: buffers.of(namespace),
      watchRate: createTokenBucket({ ...deps, ratePerSecond: bytesPerSecond, burst: burstBytes }),
    };
    shares.set(namespace, known);
    return known;
  };
  /** Ends what is in use now. */
  const end = (entry: Entry) => {
    forget(entry);
    // One that is opened again stays, so that later calls find its connection, and `close` closes it.
    if (entry.reading === undefined) drop(idOf(entry.ref), entry);
  };
  /** The entry has no user any more: beyond a number, the one of its namespace ends that is unused longest. */
  const onReleased = (entry: Entry, { unused }: Share) => {
    unused.delete(entry);
    unused.add(entry);
    if (unused.size <= MAX_UNUSED) return;
    for (const oldest of [...unused].slice(0, MAX_LOOKED_AT)) {
      if (oldest.inUse?.pooled.isUnused() !== false) return end(oldest);
      unused.delete(oldest);
      unused.add(oldest);
    }
  };
  const open = (entry: Entry, config: ClusterConfig): PooledCluster => {
    const share = shareOf(namespaceOf(entry.ref));
    const { names, watches, buffers, watchRate } = share;
    const ifInUse = (act: () => void) => () => {
      if (entry.inUse?.pooled === pooled) act();
    };
    const pooled: PooledCluster = createPooledCluster({
      ...deps,
      cluster: connect(config, {
        name: REMOTE,
        required: false,
        trust: 'hostile',
        names,
        watches,
        buffers,
        watchRate,
      }),
      idleMs: options.idleMs ?? 15 * 60_000,
      onIdle: ifInUse(() => end(entry)),
      onReleased: ifInUse(() => onReleased(entry, share)),
    });
    return pooled;
  };

  /** Brings the entry up to date with its Secret. */
  const refresh = async (entry: Entry, isInformed: boolean): Promise<void> => {
    const found = await kubeconfigs.read(entry.ref).catch((error: unknown) => {
      if (error instanceof WaitingError) forget(entry);
      throw error;
    });
    use(entry, found, isInformed);
  };

  /** Connects the entry with the kubeconfig, unless it is. */
  const use = (entry: Entry, found: FoundKubeconfig, isInformed: boolean) => {
    const { ref, uid, version } = found;
    try {
      const digest = digestOf(found.text);
      const known =
        entry.inUse?.uid === uid && entry.inUse.digest === digest ? entry.inUse.pooled : undefined;
      const pooled = known ?? open(entry, kubeconfigs.parse(found));
      if (known) entry.inUse?.observation?.stop();
      else forget(entry);
      if (closed) {
        pooled.retire();
        throw new ProviderError('transient', shuttingDown);
      }
      const watches = pooled.cluster.objectWatcher;
      const onChange = (now: ReadVersion) => {
        if (watches.size() > 0) update(entry, false).catch(() => watches.notifyAll());
        // Without subscribers the next `acquire` reads the Secret, if there is one.
        else if (now === absent && entry.inUse?.pooled === pooled && pooled.isUnused()) end(entry);
      };
      const observation = isInformed
        ? undefined
        : objectWatcher.watch(secrets, ref.secret, version, onChange, { poll: false });
      entry.inUse = { pooled, uid, digest, version, observation, isAhead: false };
    } catch (error) {
      forget(entry);
      throw error;
    }
  };

  /** One refresh at a time, shared by all calls of `acquire`. */
  const update = (entry: Entry, isInformed: boolean): Promise<void> => {
    entry.reading ??= refresh(entry, isInformed).finally(() => {
      delete entry.reading;
      const id = idOf(entry.ref);
      if (!entry.inUse && entries.get(id) === entry) drop(id, entry);
    });
    return entry.reading;
  };

  return {
    acquire: async (ref, signal, informed) => {
      signal.throwIfAborted();
      if (closed) throw new ProviderError('transient', shuttingDown);
      const id = idOf(ref);
      const entry: Entry = entries.get(id) ?? { ref };
      entries.set(id, entry);
      const isCurrent =
        informed === undefined
          ? entry.inUse?.observation?.isCurrent()
          : isNewest(entry.inUse, informed.secret);
      if (!isCurrent) await abandonable(update(entry, informed !== undefined), signal);
      const { inUse } = entry;
      if (!inUse)
        throw new ProviderError('transient', `the connection to ${describeRef(ref)} was closed meanwhile`);
      return beginUse(inUse.pooled, targetOf(ref, inUse.version), deps.clock);
    },
    learn: (ref, stored) => {
      const id = idOf(ref);
      const entry: Entry = entries.get(id) ?? { ref };
      // A read that is under way, and a watch, find the newest version themselves.
      if (closed || entry.reading !== undefined || entry.inUse?.observation !== undefined) return;
      try {
        use(entry, kubeconfigs.of(ref, stored), true);
        if (entry.inUse !== undefined) entry.inUse.isAhead = true;
        entries.set(id, entry);
      } catch {
        drop(id, entry);
      }
    },
    close: () => {
      closed = true;
      for (const entry of entries.values()) forget(entry);
      entries.clear();
      shares.clear();
    },
  };
}

const namespaceOf = ({ secret }: ClusterRef): string => secret.namespace ?? '';

function isNewest(inUse: Entry['inUse'], secret: KubeObject | undefined): boolean {
  if (inUse === undefined) return false;
  if (secret === undefined && inUse.isAhead) return true;
  inUse.isAhead = false;
  const { uid = '', resourceVersion = '' } = secret?.metadata ?? {};
  if (inUse.uid !== uid) return false;
  // The informer may be behind.
  return inUse.version === resourceVersion || isOlder(resourceVersion, inUse.version);
}

const shuttingDown = 'cannot connect to a remote cluster: the provider is shutting down';

const idOf = (ref: ClusterRef): string => JSON.stringify([keyString(ref.secret), ref.kubeconfigKey]);

/** A keyed hash to compare kubeconfigs without keeping their text. */
function createDigest(): (text: string) => string {
  const key = createSecretKey(randomBytes(32));
  return (text) => createHmac('sha256', key).update(text).digest('base64');
}

/**
 * How a cluster responded. `answered`: a response other than a server error. `failed`: a server error or no connection; it
 * counts as `timed-out` if it took long, and not at all otherwise. `timed-out`: no response in time.
 */
export type CallOutcome = 'answered' | 'failed' | 'timed-out';

/** A failure that takes this long counts as a timeout, in ms. */
const SLOW_MS = SLOW_SHARE * CALL_TIMEOUT_MS;

/**
 * One use of a Cluster of a pool. It must be released; watched objects of the cluster's watcher stay valid afterwards.
 * Informers must be ended before.
 */
export interface ClusterUse {
  readonly cluster: Cluster;
  /** The kubeconfig Secret in the version in use: watched if the cluster refuses requests or does not respond. */
  readonly secretTarget: WatchedObject;
  /** Reports the outcome to the circuit breaker of the cluster. If it is not called, this use does not count. */
  report(outcome: CallOutcome): void;
  release(): void;
}

/**
 * @param secretTarget is watched while the circuit is open
 * @throws WaitingError while the circuit is open
 */
function beginUse(
  { breaker, cluster, use }: PooledCluster,
  secretTarget: WatchedObject,
  clock: Clock,
): ClusterUse {
  const elapsedMs = startStopwatch(clock);
  let attempt: Attempt | undefined;
  try {
    attempt = breaker.enter();
  } catch (cause) {
    // A constant text, so that the condition does not change with each attempt.
    const message = `${cluster.displayName} is unreachable: it has not answered for a while and is left alone for now (circuit open)`;
    throw new WaitingError(message, { targets: [secretTarget], retry: true, cause });
  }
  const endUse = use();
  return {
    cluster,
    secretTarget,
    report: (outcome) => {
      if (outcome === 'answered') attempt?.succeeded();
      else if (outcome === 'timed-out' || elapsedMs() >= SLOW_MS) attempt?.failedSlowly();
      else attempt?.inconclusive();
      attempt = undefined;
    },
    release: () => {
      attempt?.inconclusive();
      attempt = undefined;
      endUse();
    },
  };
}

/** A Cluster with its users. */
interface PooledCluster {
  readonly cluster: Cluster;
  /** Open while requests to the cluster time out. */
  readonly breaker: CircuitBreaker;
  /** Counts a user; the returned function ends its use, once. */
  use(): () => void;
  /** It has neither users nor subscribers. */
  isUnused(): boolean;
  /** Ends the watches at once, after a last call of each subscriber. The cluster is closed with its last user. */
  retire(): void;
}

interface PooledClusterOptions extends Pick<Deps, 'clock' | 'random'> {
  readonly cluster: Cluster;
  readonly idleMs: number;
  /** Called once, after `idleMs` without users and subscribers. */
  readonly onIdle: () => void;
  /** Its last user has gone. */
  readonly onReleased: () => void;
}

/** Until the first use of what was learned, in ms: many Secrets may be stored at once, and there is no connection yet. */
const UNUSED_MS = 60_000;

function createPooledCluster(options: PooledClusterOptions): PooledCluster {
  const { cluster, clock, random } = options;
  const { objectWatcher } = cluster;
  let idleMs = Math.max(options.idleMs, UNUSED_MS);
  let users = 0;
  let usedAt = clock.monotonic();
  let retired = false;
  let cancelIdle: () => void;
  const isUnused = () => users === 0 && objectWatcher.size() === 0;
  const checkIdle = () => {
    const idle = isUnused() ? clock.monotonic() - usedAt : 0;
    if (idle >= idleMs) options.onIdle();
    else cancelIdle = clock.after(idleMs - idle, checkIdle);
  };
  cancelIdle = clock.after(idleMs, checkIdle);
  const closeIfUnused = () => {
    if (retired && users === 0) void cluster.close();
  };
  return {
    cluster,
    breaker: createCircuitBreaker({ clock, random, name: cluster.displayName }),
    use: () => {
      users++;
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        users--;
        usedAt = clock.monotonic();
        if (!retired && idleMs !== options.idleMs) {
          idleMs = options.idleMs;
          cancelIdle();
          cancelIdle = clock.after(idleMs, checkIdle);
        }
        closeIfUnused();
        if (users === 0) options.onReleased();
      };
    },
    isUnused,
    retire: () => {
      if (retired) return;
      retired = true;
      cancelIdle();
      objectWatcher.close();
      closeIfUnused();
    },
  };
}

/** The Secret key with the kubeconfig of a remote cluster. */
export interface ClusterRef {
  readonly secret: ObjectKey;
  readonly kubeconfigKey: string;
}

/** The text of a kubeconfig, and the version of its Secret. */
interface FoundKubeconfig {
  readonly ref: ClusterRef;
  readonly text: string;
  readonly uid: string;
  readonly version: string;
}

/** The Secret in this version, as watched object. */
type SecretTarget = (ref: ClusterRef, version: string) => WatchedObject;

interface KubeconfigSecretsOptions {
  /** The client of the cluster with the Secrets. */
  readonly client: KubeClient;
  readonly targetOf: SecretTarget;
  readonly parse: (kubeconfig: string) => ClusterConfig;
}

/** Kubeconfigs in Secrets. Errors name the Secret, and have it as watched object. */
interface KubeconfigSecrets {
  /**
   * @throws WaitingError if the Secret, its key or the key's content is missing
   * @throws other errors of the read of the Secret
   */
  read(ref: ClusterRef): Promise<FoundKubeconfig>;
  /**
   * The same of a Secret that was just stored, without a request.
   *
   * @throws WaitingError if its key or the key's content is missing
   */
  of(ref: ClusterRef, secret: Secret): FoundKubeconfig;
  /**
   * A refused kubeconfig is not parsed again before its Secret has another version.
   *
   * @throws a `terminal` ProviderError, with a KubeconfigError as cause, if the kubeconfig is invalid or refused
   */
  parse(found: FoundKubeconfig): ClusterConfig;
}

function createKubeconfigSecrets({ client, targetOf, parse }: KubeconfigSecretsOptions): KubeconfigSecrets {
  const parseOnce = rememberRefusals(parse);
  const of: KubeconfigSecrets['of'] = (ref, secret) => {
    const { uid = '', resourceVersion: version = '' } = secret.metadata;
    const text = kubeconfigIn(secret, ref, client.clusterName, targetOf(ref, version));
    return { ref, text, uid, version };
  };
  return {
    read: async (ref) => of(ref, await readSecret(client, ref, targetOf(ref, 'absent'))),
    of,
    parse: (found) => {
      try {
        return parseOnce(found);
      } catch (cause) {
        const { ref, version } = found;
        const why = cause instanceof ProviderError ? cause.message : 'kubeconfig cannot be read';
        const message = `cannot use ${describeRef(ref)} on ${client.clusterName}: ${why}`;
        throw new ProviderError('terminal', message, { targets: [targetOf(ref, version)], cause });
      }
    },
  };
}

/** For messages. */
export const describeRef = (ref: ClusterRef): string =>
  `key ${ref.kubeconfigKey} of Secret ${keyString(ref.secret)}`;

async function readSecret(client: KubeClient, ref: ClusterRef, target: WatchedObject): Promise<Secret> {
  try {
    return await client.get(secrets, ref.secret);
  } catch (cause) {
    if (!isNotFound(cause)) throw cause;
    const why = impossibleKey(keyString(ref.secret));
    const found = `Secret ${keyString(ref.secret)} with the kubeconfig not found on ${client.clusterName}`;
    const message = why === undefined ? found : `${found}: ${why}`;
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

/** Memory for about 1000 errors of invalid kubeconfigs. Without an entry the kubeconfig is parsed again. */
const MAX_REFUSAL_BYTES = 2 * 1024 * 1024;
/** Memory of one error with its stack. */
const REFUSAL_BYTES = 1500;

function rememberRefusals(parse: (text: string) => ClusterConfig) {
  const refusals = createLruCache<string, KubeconfigError>({
    maxBytes: MAX_REFUSAL_BYTES,
    bytesOf: () => REFUSAL_BYTES,
  });
  return ({ ref, text, uid, version }: FoundKubeconfig): ClusterConfig => {
    const id = JSON.stringify([uid, version, ref.kubeconfigKey]);
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

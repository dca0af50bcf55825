/** Registry caches of a Runtime: credentials from the runtime to Gardener before a patch, and the state that their users see. */
import { randomUUID } from 'node:crypto';
import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import {
  cutText,
  findCause,
  formatTimestamp,
  isObject,
  jsonEqual,
  messageOf,
  ProviderError,
  valueAt,
  WaitingError,
} from '../../../framework/base/index.ts';
import { isNoFailure } from '../../../framework/controller/index.ts';
import { listAll } from '../../../framework/kube/cache/cache.ts';
import {
  getIfExists,
  isNotFound,
  keyOf,
  keyString,
  type ObjectKey,
  type Secret,
  secrets,
} from '../../../framework/kube/index.ts';
import { placedRecord } from '../../../framework/ownership/ownership.ts';
import { ask, gardenerRefusal, namespaceOf, refusalOf } from '../gardener/gardener.ts';
import { annotationRuntime } from '../gardenercluster/metadata.ts';
import { labels, runtimeIdOf } from '../metadata.ts';
import { registryCacheConfigs } from '../registry-cache-config.ts';
import { cachesOfShoot } from '../rendering/extensions.ts';
import { CACHE_SECRET_PREFIX, type CacheOfRuntime, cachesOf } from '../rendering/model/extender.ts';
import { type RuntimeClusterUse, useRuntimeCluster } from './cluster/runtime-cluster.ts';
import { messages } from './messages.ts';
import { runtimeOwner } from './ownership.ts';
import { next, type RuntimeRun, type StepOf } from './run.ts';
import { cacheSecretsOf } from './shoot-of-runtime.ts';
import { conditionTypes, type Reason, reasons } from './status.ts';

/** The caches of the Runtime. */
export const cachesOfRuntime = ({ object: { spec } }: RuntimeRun): readonly CacheOfRuntime[] =>
  spec === undefined ? [] : cachesOf({ spec });

/**
 * Before a patch: copies the credentials of registry caches from the runtime to Gardener.
 *
 * @returns the names of the Secrets, by the uid of the cache; undefined: those that the Shoot has, also because the cluster is away
 * @throws the error, after it is shown: a retry may help
 */
export async function syncRegistryCacheSecrets(
  run: RuntimeRun,
  live: Shoot,
): Promise<ReadonlyMap<string, string> | undefined> {
  const caches = cachesOfRuntime(run);
  if (!run.settings.registryCaches || caches.length === 0) return undefined;
  try {
    const credentials = await useRuntimeCluster(run, async (cluster) => {
      await showConfigState(cluster, caches, { state: 'Pending', ...beingConfigured });
      return readCredentials(cluster, caches);
    });
    if (credentials.length === 0) return new Map();
    await recordSecrets(run);
    return await storeGardenSecrets(run, credentials);
  } catch (error) {
    if (isNoFailure(error)) throw error;
    const reason = reasons.registryCacheConfigurationFailed;
    run.status.pending({ type, reason, status: 'False', message: messageOf(error) });
    await run.status.store();
    const known = cacheSecretsOf(run.object, live);
    const isComplete = caches.every(({ uid, config }) => !config.secretReferenceName || known.has(uid));
    // The cluster may be away because of what the patch corrects.
    if (isComplete && isClusterAway(error)) return undefined;
    throw error;
  }
}

const beingConfigured = {
  status: 'Unknown',
  reason: reasons.registryCacheConfigured,
  message: 'The registry cache is being configured',
} as const;

/** Stores the condition that says that there may be Secrets, before there is one: the patch that follows may fail for good. */
async function recordSecrets(run: RuntimeRun): Promise<void> {
  if (hadCaches(run)) return;
  run.status.keepState({ type, ...beingConfigured });
  await run.status.store({ isStep: true });
}

/** Whether the cluster does not respond, is left alone for now, or has no kubeconfig. */
const isClusterAway = (error: unknown): boolean =>
  gardenerRefusal(error) === undefined &&
  (refusalOf(error) === 'transient' || findCause(error, WaitingError) !== undefined);

/** Of one Secret, in base64. It is copied to Gardener, which keeps the Secrets of all runtimes, and credentials of a registry are short. */
const MAX_CREDENTIALS = 16_384;

async function readCredentials(
  { client, signal }: RuntimeClusterUse,
  caches: readonly CacheOfRuntime[],
): Promise<CacheCredentials[]> {
  const found: CacheCredentials[] = [];
  for (const cache of caches) {
    const { secretReferenceName: name } = cache.config;
    if (!name) continue;
    const { namespace } = cache;
    const secret = await getIfExists(client, secrets, { namespace, name }, { signal });
    if (secret === undefined)
      throw new ProviderError('waiting', `Secret ${namespace}/${name} of a registry cache is missing`);
    const { data = {} } = secret;
    if (Buffer.byteLength(JSON.stringify(data)) > MAX_CREDENTIALS)
      throw new ProviderError(
        'waiting',
        `Secret ${namespace}/${name} of a registry cache has more than ${MAX_CREDENTIALS} bytes`,
      );
    found.push({ cache, data });
  }
  return found;
}

/** The Shoot could not be rendered with the caches: their users see it. */
export async function showCachesFailed(run: RuntimeRun): Promise<void> {
  const caches = cachesOfRuntime(run);
  if (!run.settings.registryCaches || caches.length === 0) return;
  const { registryCacheRefused: reason } = reasons;
  const message = 'failed to apply registry cache configuration';
  try {
    await useRuntimeCluster(run, (cluster) =>
      showConfigState(cluster, caches, { state: 'Failed', status: 'False', reason, message }),
    );
  } catch (error) {
    run.context.log.info('cannot show that registry caches failed', { error: messageOf(error) });
  }
}

interface RefusedCaches {
  readonly live: Shoot;
  readonly wanted: Shoot;
  readonly error: unknown;
}

/** Gardener refused caches, and the Shoot keeps those that it has: the Runtime and the users of those that differ see why. */
export async function showCachesRefused(
  run: RuntimeRun,
  { live, wanted, error }: RefusedCaches,
): Promise<void> {
  const { registryCacheRefused: reason, registryCacheConfigured: isConfigured } = reasons;
  const message = `${messages.registryCacheRefused}: ${cutText(messageOf(error), MAX_MESSAGE)}`;
  run.status.keepState({ type, reason, status: 'False', message });
  const [known, asked] = [live, wanted].map((shoot) => byUpstream(cachesOfShoot(shoot)));
  const isSame = ({ config: { upstream } }: CacheOfRuntime) =>
    jsonEqual(known?.get(upstream), asked?.get(upstream));
  const { true: same = [], false: others = [] } = Object.groupBy(
    cachesOfRuntime(run),
    (cache) => `${isSame(cache)}` as const,
  );
  try {
    await useRuntimeCluster(run, async (cluster) => {
      await showConfigState(cluster, others, { state: 'Failed', status: 'False', reason, message });
      const ready = { reason: isConfigured, message: messages.registryCacheConfigured };
      await showConfigState(cluster, same, { state: 'Ready', status: 'True', ...ready });
    });
  } catch (failure) {
    run.context.log.info('cannot show that registry caches were refused', { error: messageOf(failure) });
  }
}

/** Gardener has accepted the caches. */
export const forgetCachesRefused = (run: RuntimeRun): void => {
  if (areCachesRefused(run)) run.status.keepState({ type, ...beingConfigured });
};

const areCachesRefused = ({ status }: RuntimeRun): boolean =>
  status.condition(type)?.reason === reasons.registryCacheRefused;

const MAX_MESSAGE = 1024;

const byUpstream = (caches: unknown): ReadonlyMap<unknown, unknown> =>
  new Map(Array.isArray(caches) ? caches.map((cache) => [valueAt(cache, ['upstream']), cache]) : []);

const { registryCacheConfigured: type } = conditionTypes;

/** The Shoot has its caches: deletes Secrets in Gardener that it does not need, and shows users that the caches are ready. */
export async function cleanupRegistryCacheGardenSecrets(
  run: RuntimeRun,
): Promise<StepOf<'CleanupRegistryCacheGardenSecrets'>> {
  const caches = cachesOfRuntime(run);
  // A Runtime without caches never had Secrets unless its condition says so, and Gardener is not asked.
  if (!run.settings.registryCaches || (caches.length === 0 && !hadCaches(run))) return next('ConfigureSKR');
  const isClean = await attempt(run, reasons.registryCacheCleanupFailed, async () => {
    await run.context.guard.acquireOwnership();
    await run.context.guard.beforeWrite();
    return deleteGardenSecrets(run, caches);
  });
  if (caches.length === 0) {
    // Only the condition says that there may be Secrets.
    if (isClean) run.status.remove(type);
    return next('ConfigureSKR');
  }
  if (areCachesRefused(run)) return next('ConfigureSKR');
  const { registryCacheConfigured: reason } = reasons;
  const { registryCacheConfigured: message } = messages;
  await attempt(run, reasons.registryCacheConfigurationFailed, () =>
    useRuntimeCluster(run, (cluster) =>
      showConfigState(cluster, caches, { state: 'Ready', status: 'True', reason, message }),
    ),
  );
  // What the cluster asks for now is not known: its controller shows that.
  if (run.status.condition(type)?.reason === reasons.registryCacheError) return next('ConfigureSKR');
  // Stored together with the result of a later state.
  run.status.keepState({ type, reason, status: 'True', message });
  return next('ConfigureSKR');
}

/** Whether the Runtime had registry caches, so that there may be Secrets. */
export const hadCaches = ({ status }: RuntimeRun): boolean => status.condition(type) !== undefined;

/** @throws the error, after it is shown: a retry may help */
async function attempt<T>(run: RuntimeRun, reason: Reason, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (isNoFailure(error)) throw error;
    const stated = { type, reason, status: 'False', message: messageOf(error) } as const;
    if (run.object.status?.state === 'Ready') run.status.keepState(stated);
    else run.status.pending(stated);
    await run.status.store();
    throw error;
  }
}

// What RegistryCacheConfigs of a runtime show their users. *
/** The CRD of the module has no other states. */
export interface ConfigState {
  readonly state: 'Pending' | 'Ready' | 'Failed';
  readonly status: 'Unknown' | 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const TYPE = 'RegistryCacheConfigured';

/** Stores the state of all caches, where it differs. An object that is gone is left out. */
async function showConfigState(
  { client, signal, assertMayWrite }: RuntimeClusterUse,
  caches: readonly CacheOfRuntime[],
  { state, ...shown }: ConfigState,
): Promise<void> {
  for (const { namespace, name, uid } of caches) {
    const found = await getIfExists(client, registryCacheConfigs, { namespace, name }, { signal });
    if (found === undefined || found.metadata.uid !== uid) continue;
    const before = valueAt(found.status, ['conditions']);
    const others = Array.isArray(before) ? before : [];
    const own = others.find((each) => isObject(each) && each.type === TYPE);
    const isSame =
      valueAt(found.status, ['state']) === state &&
      Object.entries(shown).every(([member, value]) => valueAt(own, [member]) === value);
    if (isSame) continue;
    const lastTransitionTime =
      valueAt(own, ['status']) === shown.status
        ? valueAt(own, ['lastTransitionTime'])
        : formatTimestamp(client.now());
    const condition = { type: TYPE, ...shown, lastTransitionTime };
    const conditions = [...others.filter((each) => each !== own), condition];
    const { managedFields: _, ...metadata } = found.metadata;
    assertMayWrite();
    const status = { ...(isObject(found.status) ? found.status : {}), state, conditions };
    await client.updateStatus(registryCacheConfigs, { ...found, metadata, status }, { signal });
  }
}

// Secrets in the project of Gardener with the credentials of registry caches. A Shoot refers to them, so their content never changes:
// other credentials are another Secret, and the one before is dirty until the Shoot does not need it.
//
const labelCache = 'kyma-project.io/registry-cache-id';
const labelManagedBy = 'app.kubernetes.io/managed-by';
const MANAGER = 'infrastructure-manager';
const labelDirty = 'kyma-project.io/dirty';
const annotationName = 'kyma-project.io/registry-cache-name';
const annotationNamespace = 'kyma-project.io/registry-cache-namespace';

/** Credentials of a cache, as they are in the runtime. */
export interface CacheCredentials {
  readonly cache: CacheOfRuntime;
  readonly data: NonNullable<Secret['data']>;
}

const idOf = ({ object }: RuntimeRun): string => runtimeIdOf(object) ?? object.metadata.name;

const recordOf = ({ object }: RuntimeRun, key: ObjectKey): string =>
  placedRecord(runtimeOwner(object), keyString(key));

/** Those of the Runtime. */
async function listGardenSecrets(run: RuntimeRun): Promise<Secret[]> {
  const { gardener, context } = run;
  const labelSelector = `${labels.runtimeId}=${idOf(run)},${labelManagedBy}=${MANAGER}`;
  const selection = { namespace: namespaceOf(gardener), labelSelector };
  const found = await ask(() => listAll(gardener.client, secrets, { signal: context.signal, ...selection }));
  return found.filter((secret) => {
    const record = secret.metadata.annotations?.[annotationRuntime];
    return record === undefined || record === recordOf(run, keyOf(secret));
  });
}

const isDirty = ({ metadata }: Secret): boolean => metadata.labels?.[labelDirty] === 'true';
const cacheIdOf = ({ metadata }: Secret): string | undefined => metadata.labels?.[labelCache];

/** Copies the credentials. @returns the names of the Secrets, by the uid of the cache */
async function storeGardenSecrets(
  run: RuntimeRun,
  credentials: readonly CacheCredentials[],
): Promise<ReadonlyMap<string, string>> {
  const found = await listGardenSecrets(run);
  const names = new Map<string, string>();
  for (const { cache, data } of credentials) {
    const own = found.filter((each) => cacheIdOf(each) === cache.uid && !isDirty(each));
    const current = own.find((each) => jsonEqual(each.data ?? {}, data));
    const { metadata } = current ?? (await create(run, cache, data));
    names.set(cache.uid, metadata.name);
    for (const each of own) if (each !== current) await markDirty(run, each);
  }
  return names;
}

async function create(
  run: RuntimeRun,
  cache: CacheOfRuntime,
  data: CacheCredentials['data'],
): Promise<Secret> {
  const { gardener, context } = run;
  const key = { namespace: namespaceOf(gardener), name: `${CACHE_SECRET_PREFIX}${randomUUID()}` };
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...key,
      labels: { [labels.runtimeId]: idOf(run), [labelCache]: cache.uid, [labelManagedBy]: MANAGER },
      annotations: {
        [annotationName]: cache.name,
        [annotationNamespace]: cache.namespace,
        [annotationRuntime]: recordOf(run, key),
      },
    },
    immutable: true,
    data,
  };
  context.guard.assertMayWrite();
  return ask(() => gardener.client.create(secrets, secret, context));
}

async function markDirty({ gardener, context }: RuntimeRun, { metadata }: Secret): Promise<void> {
  const { namespace = '', name, uid } = metadata;
  const patch = { metadata: { uid, labels: { [labelDirty]: 'true' } } };
  context.guard.assertMayWrite();
  await ask(() => gardener.client.mergePatch(secrets, { namespace, name }, patch, context));
}

/**
 * Deletes what no cache of the Runtime needs any more: dirty ones, and those of caches that are not `kept`. What the Shoot still refers
 * to stays: patches may be suspended, or the one with the other credentials has failed.
 *
 * @returns whether nothing of these is left
 */
export async function deleteGardenSecrets(
  run: RuntimeRun,
  kept: readonly CacheOfRuntime[],
): Promise<boolean> {
  const uids = new Set(kept.filter(({ config }) => config.secretReferenceName).map(({ uid }) => uid));
  const used = new Set(run.shoot?.spec?.resources?.map(({ resourceRef }) => resourceRef.name));
  const unneeded = (await listGardenSecrets(run)).filter(
    (each) => isDirty(each) || !uids.has(cacheIdOf(each) ?? ''),
  );
  const unused = unneeded.filter(({ metadata }) => !used.has(metadata.name));
  const { gardener, context } = run;
  for (const { metadata } of unused) {
    const { namespace = '', name, uid = '', resourceVersion = '' } = metadata;
    const options = { ...context, preconditions: { uid, resourceVersion } };
    context.guard.assertMayWrite();
    await ask(() => gardener.client.delete(secrets, { namespace, name }, options)).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
  return unused.length === unneeded.length;
}

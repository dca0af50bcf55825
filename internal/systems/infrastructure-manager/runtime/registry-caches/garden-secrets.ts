/**
 * Secrets in the project of Gardener with the credentials of registry caches. A Shoot refers to them, so their content never changes:
 * other credentials are another Secret, and the one before is dirty until the Shoot does not need it.
 */
import { randomUUID } from 'node:crypto';
import { jsonEqual } from '../../../../framework/base/json/json-equal.ts';
import { listAll } from '../../../../framework/kube/cache/listed-cache.ts';
import {
  isNotFound,
  keyOf,
  keyString,
  type ObjectKey,
  type Secret,
  secrets,
} from '../../../../framework/kube/index.ts';
import { placedRecord } from '../../../../framework/ownership/ownership.ts';
import { namespaceOf } from '../../gardener/gardener.ts';
import { ask } from '../../gardener/refusal.ts';
import { annotationRuntime } from '../../gardenercluster/metadata.ts';
import { labels } from '../../labels.ts';
import { CACHE_SECRET_PREFIX, type CacheOfRuntime } from '../../rendering/model/registry-caches.ts';
import { runtimeIdOf } from '../metadata.ts';
import { runtimeOwner } from '../ownership/runtime-owner.ts';
import type { RuntimeRun } from '../run.ts';

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
export async function storeGardenSecrets(
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

/** Deletes what no cache of the Runtime needs any more: dirty ones, and those of caches that are not `kept`. */
export async function deleteGardenSecrets(run: RuntimeRun, kept: readonly CacheOfRuntime[]): Promise<void> {
  const uids = new Set(kept.filter(({ config }) => config.secretReferenceName).map(({ uid }) => uid));
  const unused = (await listGardenSecrets(run)).filter(
    (each) => isDirty(each) || !uids.has(cacheIdOf(each) ?? ''),
  );
  const { gardener, context } = run;
  for (const { metadata } of unused) {
    const { namespace = '', name, uid = '', resourceVersion = '' } = metadata;
    const options = { ...context, preconditions: { uid, resourceVersion } };
    context.guard.assertMayWrite();
    await ask(() => gardener.client.delete(secrets, { namespace, name }, options)).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

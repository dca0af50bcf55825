import { inParallel } from '../../../../../framework/base/index.ts';
import { type KubeObject, namespaces } from '../../../../../framework/kube/index.ts';
import type { DeployOptions, DeployTarget, Manifest } from '../../model/component.ts';
import { identityOfObject, objectOfEntry } from '../inventory/inventory.ts';
import { openInventory } from '../inventory/inventory-secret.ts';
import { resolveAnyVersion } from '../known-types.ts';
import { resolveManifest } from '../prepare-manifest.ts';
import { identityOf, nameOf, type PreparedObject } from '../prepared-object.ts';
import { awaitGone, type GoingObject } from '../removal/await-gone.ts';
import { deleteObject, isKeptByHelm } from '../removal/delete-object.ts';
import { removeNamespace } from '../removal/remove-namespace.ts';
import { ApplyError } from './apply-object.ts';
import type { DeploySettings } from './deployer-options.ts';
import { stagesOf } from './stages.ts';

/** Objects that are deleted at a time. */
const WIDTH = 8;
/** For custom resources whose controllers are deleted after them, in ms. */
const CUSTOM_RESOURCES_MS = 60_000;

/**
 * Deletes the objects of the manifest and of the inventory by stages, the last one first, and waits until they are gone; then
 * their namespaces, unless something else is in them. Kinds that the cluster does not serve have no objects. What Helm keeps stays.
 *
 * @returns what was deleted
 */
export async function removeComponent(
  target: DeployTarget,
  manifest: Manifest,
  options: DeploySettings & DeployOptions,
): Promise<readonly GoingObject[]> {
  const { cluster, component, namespace } = target;
  const { signal, log, clock, progressIntervalMs, progressTimeoutMs } = options;
  const stored = await openInventory({ cluster, component, log, signal });
  const place = namespace || 'default';
  const { prepared } = await resolveManifest(manifest, {
    kinds: cluster.kinds,
    namespace: place,
    clock,
    signal,
  });
  const known = new Set([
    ...prepared.map(({ type, object }) => identityOf(type, object.metadata)),
    ...(options.released ?? []).map(({ object }) => identityOfObject(object)),
  ]);
  const others: PreparedObject[] = [];
  for (const [identity, entry] of stored.current) {
    const type = known.has(identity) ? undefined : await resolveAnyVersion(cluster.kinds, entry, signal);
    if (type !== undefined) others.push({ object: objectOfEntry(entry), type, source: 'the inventory' });
  }

  const wait = { ...options, cluster, intervalMs: progressIntervalMs, timeoutMs: progressTimeoutMs };
  const emptied = new Set([place]);
  const going: GoingObject[] = [];
  const keptIn = new Set<string | undefined>();
  for (const { name, objects } of stagesOf([...prepared, ...others]).toReversed()) {
    if (name === 'namespaces') {
      for (const { object } of objects) emptied.add(object.metadata.name);
      continue;
    }
    const { deleted, kept } = await deleteStage(objects.toReversed(), target, signal);
    going.push(...deleted);
    for (const { object } of kept) {
      keptIn.add(object.metadata.namespace);
      log.info('an object of a removed component is kept', { cluster: cluster.name, object: nameOf(object) });
    }
    const timeoutMs = Math.min(CUSTOM_RESOURCES_MS, progressTimeoutMs);
    if (name === 'custom resources' && deleted.length > 0) await awaitGone(deleted, { ...wait, timeoutMs });
  }
  if (going.length > 0) await awaitGone(going, wait);

  const goingNamespaces: GoingObject[] = [];
  for (const name of emptied) {
    if (keptIn.has(name) || !(await removeNamespace(name, { cluster, component, log, signal }))) continue;
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    goingNamespaces.push({ type: namespaces, key: { name }, object });
  }
  if (goingNamespaces.length > 0) await awaitGone(goingNamespaces, wait);
  await stored.delete(signal);
  return [...going, ...goingNamespaces];
}

/** @throws ApplyError after all objects were tried */
async function deleteStage(
  objects: readonly PreparedObject[],
  { cluster, component }: DeployTarget,
  signal: AbortSignal,
): Promise<{ readonly deleted: readonly GoingObject[]; readonly kept: readonly PreparedObject[] }> {
  const deleted: GoingObject[] = [];
  const kept: PreparedObject[] = [];
  const failures: unknown[] = [];
  const isKept = async (live: KubeObject) => isKeptByHelm(live);
  await inParallel(objects, WIDTH, async (each) => {
    const { object, type } = each;
    signal.throwIfAborted();
    const { name, namespace } = object.metadata;
    const key = type.namespaced && namespace !== undefined ? { name, namespace } : { name };
    try {
      const deletion = await deleteObject(type, key, { cluster, component, signal, isKept });
      if (deletion.state === 'kept') kept.push(each);
      if (deletion.state === 'deleted') {
        const { uid } = deletion.live.metadata;
        const metadata = { ...key, ...(uid === undefined ? {} : { uid }) };
        deleted.push({ type, key, object: { apiVersion: object.apiVersion, kind: object.kind, metadata } });
      }
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
    }
  });
  if (failures.length > 0) throw new ApplyError(failures);
  return { deleted, kept };
}

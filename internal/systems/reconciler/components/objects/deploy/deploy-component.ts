import type { DeployOptions, DeployTarget } from '../../model/deployer.ts';
import type { Manifest } from '../../model/manifest.ts';
import { COMPLETE, type Inventory } from '../inventory/inventory.ts';
import { openInventory } from '../inventory/inventory-secret.ts';
import { prepareManifest, withNamespace } from '../prepare-manifest.ts';
import { identityOf, type PreparedObject } from '../prepared-object.ts';
import { awaitReady } from '../readiness/await-ready.ts';
import { hasTimeToLive } from '../readiness/job.ts';
import { prune } from '../removal/prune.ts';
import { applyStages, entriesOf } from './apply-stages.ts';
import type { DeploySettings } from './deployer-options.ts';
import { intercept } from './intercept.ts';

export interface Deployed {
  /** All objects of the component, as they were applied. */
  readonly objects: readonly PreparedObject[];
  /** Those that were written. */
  readonly changed: readonly PreparedObject[];
}

/**
 * Applies the manifest, deletes what left it, and waits until its objects are ready.
 *
 * 1. All kinds are resolved, and all interceptors have run, before the first write.
 * 2. The inventory has every object before it is applied, so that an attempt which ends at any request leaves no object that
 *    no inventory has.
 * 3. Objects that left the manifest are deleted when all others are applied.
 * 4. The inventory has the new objects alone, before their readiness is awaited.
 * 5. It has which Jobs were complete that the cluster will delete: they do not run again.
 */
export async function deployComponent(
  target: DeployTarget,
  manifest: Manifest,
  options: DeploySettings & DeployOptions,
): Promise<Deployed> {
  const { cluster, component, namespace } = target;
  const { signal, log, clock, interceptors, discoveryTries, progressIntervalMs, progressTimeoutMs } = options;
  const [objects, stored] = await Promise.all([
    prepareManifest(withNamespace(manifest, namespace), {
      kinds: cluster.kinds,
      namespace: namespace || 'default',
      clock,
      signal,
      tries: discoveryTries,
    }),
    openInventory({ cluster, component, log, signal }),
  ]);
  await intercept(objects, { target, interceptors, signal });

  const before = stored.current;
  const planned = entriesOf(objects, (identity) => before.get(identity)?.applied);
  // Without a new object the inventory has them all already.
  const hasNew = [...planned.keys()].some((identity) => !before.has(identity));
  if (hasNew) await stored.write(new Map([...before, ...planned]), signal);

  const { states, changed } = await applyStages(objects, { ...options, target, inventory: before });
  const left = [...before].flatMap(([identity, entry]) => (planned.has(identity) ? [] : [entry]));
  const staying = await prune(left, { target, signal, log });
  const after = new Map(entriesOf(objects, (identity) => states.get(identity)));
  for (const [identity, entry] of before) if (staying.includes(entry)) after.set(identity, entry);
  await stored.write(after, signal);

  const isEnded = ({ type, object }: PreparedObject) =>
    states.get(identityOf(type, object.metadata))?.owned === COMPLETE;
  const awaited = objects.filter((each) => !isEnded(each));
  const seen = await awaitReady(awaited, {
    ...options,
    cluster,
    intervalMs: progressIntervalMs,
    timeoutMs: progressTimeoutMs,
  });
  const complete = [...seen].filter(({ object }) => hasTimeToLive(object));
  if (complete.length > 0) await stored.write(withComplete(complete, after), signal);
  return { objects, changed };
}

function withComplete(jobs: readonly PreparedObject[], inventory: Inventory): Inventory {
  const entries = new Map(inventory);
  for (const { type, object } of jobs) {
    const identity = identityOf(type, object.metadata);
    const entry = entries.get(identity);
    if (entry?.applied !== undefined)
      entries.set(identity, { ...entry, applied: { ...entry.applied, owned: COMPLETE } });
  }
  return entries;
}

import { inParallel } from '../../../../../framework/base/concurrency/in-parallel.ts';
import type { DeployOptions, DeployTarget } from '../../model/deployer.ts';
import type { AppliedState, Inventory, InventoryEntry } from '../inventory/inventory.ts';
import { IMPLICIT_NAMESPACE } from '../prepare-manifest.ts';
import { identityOf, type PreparedObject } from '../prepared-object.ts';
import { awaitReady } from '../readiness/await-ready.ts';
import { ApplyError } from './apply-error.ts';
import { applyObject } from './apply-object.ts';
import type { DeploySettings } from './deployer-options.ts';
import { createLiveMetadata, type LiveMetadata } from './live-metadata.ts';
import { type Stage, stagesOf } from './stages.ts';

export interface ApplyStagesOptions extends DeploySettings, DeployOptions {
  readonly target: DeployTarget;
  /** What was applied before. */
  readonly inventory: Inventory;
}

export interface AppliedStages {
  /** By identity. */
  readonly states: ReadonlyMap<string, AppliedState | undefined>;
  /** Objects that were written. */
  readonly changed: readonly PreparedObject[];
}

/** Objects of a stage that are applied at a time: the connections to the cluster. */
const WIDTH = 8;

/**
 * Applies the objects by stages. CRDs are established before the next stage.
 *
 * @throws ApplyError after all objects of a stage were tried; later stages are not begun
 */
export async function applyStages(
  objects: readonly PreparedObject[],
  options: ApplyStagesOptions,
): Promise<AppliedStages> {
  const states = new Map<string, AppliedState | undefined>();
  const changed: PreparedObject[] = [];
  const { target, inventory, signal } = options;
  const applied = objects.filter(
    ({ type, object }) => inventory.get(identityOf(type, object.metadata))?.applied !== undefined,
  );
  const live = createLiveMetadata(applied, target, signal);
  for (const stage of stagesOf(objects)) {
    const written = await applyStage(stage, states, { ...options, live });
    changed.push(...written);
    if (stage.name === 'CRDs' && written.length > 0) await established(written, options);
  }
  return { states, changed };
}

async function applyStage(
  { objects }: Stage,
  states: Map<string, AppliedState | undefined>,
  options: ApplyStagesOptions & { readonly live: LiveMetadata },
): Promise<readonly PreparedObject[]> {
  const { target, inventory, signal } = options;
  const failures = new Map<PreparedObject, unknown>();
  const written: PreparedObject[] = [];
  await inParallel(objects, WIDTH, async (each) => {
    signal.throwIfAborted();
    const identity = identityOf(each.type, each.object.metadata);
    try {
      const before = inventory.get(identity)?.applied;
      const { state, isChanged } = await applyObject(each, before, { ...options, cluster: target.cluster });
      states.set(identity, state);
      if (isChanged) written.push(each);
    } catch (error) {
      signal.throwIfAborted();
      failures.set(each, error);
    }
  });
  if (failures.size > 0) throw new ApplyError(objects.flatMap((each) => failures.get(each) ?? []));
  return written;
}

async function established(crds: readonly PreparedObject[], options: ApplyStagesOptions): Promise<void> {
  const { target, progressIntervalMs, progressTimeoutMs } = options;
  await awaitReady(crds, {
    ...options,
    cluster: target.cluster,
    intervalMs: progressIntervalMs,
    timeoutMs: progressTimeoutMs,
  });
  target.cluster.kinds.forget();
}

/** The entries of objects, with what is known of them. A namespace that only the component's place needs has none. */
export function entriesOf(
  objects: readonly PreparedObject[],
  stateOf: (identity: string) => AppliedState | undefined,
): Inventory {
  return new Map(
    objects
      .filter(({ source }) => source !== IMPLICIT_NAMESPACE)
      .map(({ object, type }): [string, InventoryEntry] => {
        const { name, namespace } = object.metadata;
        const identity = identityOf(type, object.metadata);
        const applied = stateOf(identity);
        return [
          identity,
          {
            apiVersion: object.apiVersion,
            kind: object.kind,
            key: type.namespaced && namespace !== undefined ? { name, namespace } : { name },
            ...(applied === undefined ? {} : { applied }),
          },
        ];
      }),
  );
}

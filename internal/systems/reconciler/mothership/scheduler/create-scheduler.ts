import { type Deps, inParallel, messageOf } from '../../../../framework/base/index.ts';
import type { Runnable } from '../../../../framework/process/index.ts';

import { planOperations } from '../../operations/plan-operations.ts';
import { createBatcher } from '../database/create-batcher.ts';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { decryptComponents } from '../inventory/cluster-states.ts';
import { RefusedError } from '../model/refused-error.ts';
import type { Settings } from '../model/settings.ts';
import { type StartInput, startReconciliations } from '../reconciliations/start-reconciliations.ts';
import { createEventLoop } from '../triggers/event-loop.ts';
import { type DueCluster, dueClusters, holdClusters, nextDueMs } from './due-clusters.ts';

export interface SchedulerOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly settings: Pick<Settings, 'sequence' | 'maxParallel' | 'reconcileIntervalMs' | 'watchIntervalMs'>;
}

/** Clusters of one query, and those that are planned at the same moment. */
const BATCH = 50;
const WIDTH = 16;
/** The shortest delay before a periodic run, so that due times that are close to each other cost one query. */
const MIN_DELAY_MS = 100;

/** Time between rounds, in ms: a burst of registrations is planned in a few, and leaves time for the requests. */
const SPACING_MS = 100;

/** A round ends when it skipped so many clusters. The next one follows after a delay, in ms. */
const MAX_SKIPPED = 200;
const SKIPPED_DELAY_MS = 1000;

/** Starts the runs of clusters that are due: when a cluster changes, and when the time of a periodic run has come. */
export function createScheduler(options: SchedulerOptions): Runnable {
  const { database, settings } = options;
  const { runnable } = createEventLoop({
    ...options,
    name: 'scheduler',
    topics: ['mothership_clusters'],
    spacingMs: SPACING_MS,
    // A run that ends between two rounds is due after the interval at the earliest: the next round knows its time.
    intervalMs: Math.min(settings.watchIntervalMs, settings.reconcileIntervalMs || settings.watchIntervalMs),
    run: async (signal) => {
      const { skipped } = await startRound(options, signal);
      if (skipped > 0) return SKIPPED_DELAY_MS;
      const delayMs = await nextDueMs(database.queries);
      return delayMs === undefined ? undefined : Math.max(delayMs, MIN_DELAY_MS);
    },
  });
  return runnable;
}

/** Starts all runs that are due now. Returns their scheduling ids. */
export async function startDue(options: SchedulerOptions, signal: AbortSignal): Promise<string[]> {
  return (await startRound(options, signal)).started;
}

/** @returns `skipped`: clusters that changed meanwhile, or whose row another transaction has locked */
async function startRound(
  options: SchedulerOptions,
  signal: AbortSignal,
): Promise<{ readonly started: string[]; readonly skipped: number }> {
  const { database, settings, log } = options;
  const start = createBatcher({
    keyOf: ({ runtimeId }: StartInput) => runtimeId,
    run: (inputs) => startReconciliations(database, inputs),
  });
  const started: string[] = [];
  const excluded: string[] = [];
  /** Those that had a batch of their own: they wait for the clusters of others. */
  const deferred: string[] = [];
  let skipped = 0;
  await holdClusters(database, settings.reconcileIntervalMs);
  while (!signal.aborted) {
    const due = await dueClusters(database.queries, {
      intervalMs: settings.reconcileIntervalMs,
      limit: BATCH,
      excluded,
      deferred,
    });
    await inParallel(due, WIDTH, async (cluster) => {
      try {
        const schedulingId = await start(await plan(cluster, options));
        if (schedulingId !== undefined) {
          started.push(schedulingId);
          return;
        }
        excluded.push(cluster.runtime_id);
        skipped++;
      } catch (error) {
        excluded.push(cluster.runtime_id);
        if (error instanceof RefusedError && error.refusal === 'running') return;
        log.error('cannot start a reconciliation', {
          runtimeId: cluster.runtime_id,
          error: messageOf(error),
        });
      }
    });
    if (skipped >= MAX_SKIPPED) break;
    const [first] = due;
    if (due.length === BATCH && first !== undefined) {
      if (due.every(({ tenant }) => tenant === first.tenant)) deferred.push(first.tenant);
    } else if (deferred.length > 0) {
      // Nobody else waits any more: each of them has another batch.
      deferred.length = 0;
    } else break;
  }
  return { started, skipped };
}

async function plan(
  cluster: DueCluster,
  { keyring, settings }: Pick<SchedulerOptions, 'keyring' | 'settings'>,
): Promise<StartInput> {
  const { sequence, maxParallel } = settings;
  const type = cluster.status.startsWith('delete') ? 'delete' : 'reconcile';
  const components = componentNames(cluster, keyring);
  const operations = planOperations({
    components,
    type,
    preComponents: sequence.preComponents,
    deleteStrategy: sequence.deleteStrategy,
    skipped: await skippedOf(cluster.runtime_id, components, sequence),
  });
  return {
    runtimeId: cluster.runtime_id,
    clusterVersion: cluster.cluster_version,
    configVersion: cluster.config_version,
    statusId: cluster.status_id,
    kymaVersion: cluster.kyma_version,
    type,
    rank: cluster.rank,
    operations,
    maxParallel,
  };
}

function componentNames({ components, sealed, sealed_key }: DueCluster, keyring: Keyring): readonly string[] {
  if (sealed === null || sealed_key === null) return components;
  return decryptComponents({ components: sealed, components_key: sealed_key }, keyring).map(
    ({ component }) => component,
  );
}

async function skippedOf(
  runtimeId: string,
  components: readonly string[],
  { skippedComponents, isMigrated }: Settings['sequence'],
): Promise<ReadonlySet<string>> {
  const migrated = (await isMigrated?.(runtimeId, components)) ?? new Set<string>();
  const skipped = components.filter((name) =>
    skippedComponents.includes(name.toLowerCase().replaceAll('_', '-')),
  );
  return new Set([...migrated, ...skipped]);
}

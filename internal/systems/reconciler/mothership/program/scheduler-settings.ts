import { hostname } from 'node:os';
import { skippedComponents } from '../../operations/operation.ts';
import type { MothershipSection } from '../config/mothership-file.ts';
import type { MothershipFlags } from '../config/start-flags.ts';
import {
  type CleanerSettings,
  defaultSettings,
  type SequenceSettings,
  type Settings,
} from '../model/settings.ts';

export interface SettingsSources {
  readonly flags: MothershipFlags;
  readonly file: MothershipSection;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isMigrated: SequenceSettings['isMigrated'];
}

/** What flags, file and environment say about scheduling. */
export function schedulerSettings({ flags, file, env, isMigrated }: SettingsSources): Settings {
  const { scheduler, baseUrl } = file;
  return {
    ...defaultSettings,
    // Several processes of a host are different ones.
    processName: `${hostname()}-${process.pid}`,
    workers: flags.workerCount,
    maxParallel: flags.maxParallel === 0 ? defaultSettings.maxParallel : flags.maxParallel,
    maxParallelByComponent: Object.fromEntries(scheduler.maxParallel),
    orphanTimeoutMs: flags.orphanTimeout,
    reconcileIntervalMs: flags.reconcileInterval,
    watchIntervalMs: flags.watchInterval,
    cleaner: {
      ...statusBounds(flags),
      intervalMs: flags.cleanerInterval,
      purgeOlderThanMs: flags.purgeOlderThan,
      keepLatest: flags.reconciliationsKeepNLatest,
      maxReconciliationAgeDays: flags.reconMaxAgeDays,
      maxInventoryAgeDays: flags.inventoryMaxAgeDays,
      statusBatchSize: flags.statusCleanupBatchSize,
    },
    sequence: {
      preComponents: scheduler.preComponents,
      deleteStrategy: scheduler.deleteStrategy,
      skippedComponents: skippedComponents(env),
      ...(isMigrated === undefined || scheduler.componentCrds.size === 0 ? {} : { isMigrated }),
    },
    reconcilers: Object.fromEntries(scheduler.reconcilers),
    callbackBaseUrl: baseUrl,
    rollouts: { minClusters: flags.rolloutMinClusters, maxFailedPercent: flags.rolloutMaxFailedPercent },
  };
}

const DAY_MS = 24 * 3_600_000;

/** What the flags say about statuses that a newer one has replaced. */
export const statusBounds = ({
  statusesKeepNLatest,
  statusesMaxAgeDays,
}: Pick<MothershipFlags, 'statusesKeepNLatest' | 'statusesMaxAgeDays'>): Pick<
  CleanerSettings,
  'keepStatuses' | 'maxStatusAgeMs'
> => ({ keepStatuses: statusesKeepNLatest, maxStatusAgeMs: statusesMaxAgeDays * DAY_MS });

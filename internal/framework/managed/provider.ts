/** A provider is a program that runs kinds of managed resources against one API server. */
import {
  type ControllerManager,
  type ControllerManagerOptions,
  type ControllerSettings,
  createControllerManager,
} from '../controller/controller-manager.ts';
import type { ChangeLog } from './changelog/change-log.ts';
import type { ManagedKind } from './kind/managed-kind.ts';
import { jitterFraction } from './kind/poll.ts';
import { startStateMetrics } from './metrics/state-metrics.ts';
import type { ConfigKinds } from './providerconfig/model/provider-config.ts';
import { createProviderConfigs, type ProviderConfigs } from './providerconfig/provider-configs.ts';
import { reconciledManagedKind } from './reconciled-kind.ts';
import type { Managed } from './resource/managed.ts';

export interface ProviderSettings extends ControllerSettings {
  /** Interval between polls of a settled resource, in ms; default 60000. */
  readonly pollIntervalMs: number;
  /** Jitter of the poll interval in either direction, as a share from 0 to 1; default 0.1. */
  readonly pollJitter: number;
  /** Lower bound for the annotation `crossplane.io/poll-interval`, in ms; default 1000. */
  readonly minPollIntervalMs: number;
  /** Interval between counts of resources for metrics, in ms; default 5000. */
  readonly stateMetricsIntervalMs: number;
  /** Whether `spec.managementPolicies` is respected; default true. */
  readonly managementPolicies: boolean;
}

export type ProviderOptions = ControllerManagerOptions & {
  readonly settings?: Partial<ProviderSettings>;
  /** Receives each attempt to change an external resource, and is not closed; default: none. */
  readonly changeLog?: ChangeLog;
};

export interface Provider extends ControllerManager {
  /** With the defaults. */
  readonly settings: ProviderSettings;
  /**
   * Reconciles the configurations of managed resources of one scope. Returns the same result for the same kinds.
   * Before `run`.
   */
  addConfigs(kinds: ConfigKinds): ProviderConfigs;
  /** Reconciles resources of a kind while its CRD is served. Before `run`. */
  addKind<R extends Managed>(kind: ManagedKind<R>, use?: KindUse): void;
}

/** Records resources of a kind as users of their provider configurations. */
export interface KindUse {
  readonly configs: ProviderConfigs;
  /** Whether its Connect reads the configuration. */
  readonly readsConfig: boolean;
}

/** Starts nothing before `run`, which resolves when everything has ended. */
export function createProvider(options: ProviderOptions): Provider {
  const manager = createControllerManager(options);
  const { common } = manager;
  const settings = { ...DEFAULTS, ...manager.settings, ...options.settings };
  const added = new Map<ConfigKinds, ProviderConfigs>();
  return {
    ...manager,
    settings,
    addConfigs: (kinds) => {
      const known = added.get(kinds);
      if (known !== undefined) return known;
      const configs = createProviderConfigs({ ...common, kinds });
      for (const kind of configs.kinds) manager.addReconciled(kind);
      added.set(kinds, configs);
      return configs;
    },
    addKind: (kind, use) => {
      const { type } = kind;
      const configUse = use && { configUse: use.configs.useOf(type, use) };
      const reconciled = reconciledManagedKind(
        { ...kind, ...configUse },
        {
          ...common,
          ...settings,
          objectWatcher: manager.cluster.objectWatcher,
          changeLog: options.changeLog,
          pollIntervalHook: jitterFraction(settings.pollJitter, common.random),
        },
      );
      const intervalMs = settings.stateMetricsIntervalMs;
      manager.addReconciled({
        ...reconciled,
        whileRunning: (cache) => startStateMetrics({ ...common, type, cache, intervalMs }),
      });
    },
  };
}

const DEFAULTS = {
  pollIntervalMs: 60_000,
  pollJitter: 0.1,
  minPollIntervalMs: 1000,
  stateMetricsIntervalMs: 5000,
  managementPolicies: true,
};

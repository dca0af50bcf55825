import { createDeps, type Deps } from '../../../framework/base/index.ts';
import type { ComponentActions } from './model/component.ts';
import { type RunnerSettings, runnerSettings } from './model/settings.ts';
import { openParts } from './program/open-parts.ts';
import {
  type ClusterRequest,
  type ClusterResult,
  type ComponentStatus,
  reconcileCluster,
} from './reconcile-cluster.ts';
import { componentReconcilers } from './reconcilers/component-reconcilers.ts';

export interface ClusterReconcilerOptions extends Partial<Deps> {
  /** Folder of charts; one that is not there is fetched into it. Several processes may share it. */
  readonly workspace: string;
  /** Whether kubeconfigs and charts may have loopback and link-local addresses. Default false. */
  readonly allowPrivateEndpoints?: boolean;
  /** Whether charts are rendered as without a cluster, whatever versions it serves. Default false. */
  readonly defaultCapabilities?: boolean;
  /** With proxies (HTTPS_PROXY, NO_PROXY) GIT_CLONE_TOKEN and GIT_CLONE_TOKEN_HOSTS. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: as `provider-kyma local`. */
  readonly settings?: Partial<RunnerSettings>;
  /** The longest time between two reads of objects that are awaited, in ms. Default 15 seconds. */
  readonly progressIntervalMs?: number;
  /** Own component reconcilers by component, besides those of this package. */
  readonly reconcilers?: Readonly<Record<string, ComponentActions>>;
  /** Components that are left out: in lower case, with hyphens. */
  readonly skippedComponents?: readonly string[];
}

/** Reconciles the components of clusters, without a server and without a database. */
export interface ClusterReconciler {
  /**
   * Brings a cluster to what the request says, and waits until it is ready. Resolves whether that succeeds or not: the result
   * has the reasons. It may be called for several clusters at the same time, and again for a cluster after any failure.
   *
   * @param options.signal cancels it; it resolves within seconds, with an error
   * @param options.onStatus gets the status of each component when it changes, and every 30 seconds
   */
  reconcile(
    request: ClusterRequest,
    options?: {
      readonly signal?: AbortSignal;
      readonly onStatus?: (status: ComponentStatus) => void | Promise<void>;
    },
  ): Promise<ClusterResult>;
  /** Closes connections. */
  close(): Promise<void>;
}

/** @throws InvalidConfigurationError for settings that cannot work */
export function createClusterReconciler(options: ClusterReconcilerOptions): ClusterReconciler {
  const deps = createDeps(options);
  const settings = runnerSettings(options.settings);
  const parts = openParts({
    ...deps,
    workspace: options.workspace,
    progressIntervalMs: options.progressIntervalMs ?? 0,
    allowPrivateEndpoints: options.allowPrivateEndpoints ?? false,
    defaultCapabilities: options.defaultCapabilities,
    env: options.env ?? {},
  });
  const reconcilers = { ...componentReconcilers, ...options.reconcilers };
  return {
    reconcile: (request, { signal = new AbortController().signal, onStatus } = {}) =>
      reconcileCluster(request, {
        ...deps,
        parts,
        reconcilers,
        settings,
        skippedComponents: options.skippedComponents ?? [],
        signal,
        ...(onStatus === undefined ? {} : { onStatus }),
      }),
    close: () => parts.close(),
  };
}

/**
 * Creates the provider: one client, the framework and the selected modules. Used by the command `start`, and by
 * integration tests within their own process.
 */
import { createDeps, type DepsWith } from '../../framework/base/index.ts';

import { type ChangeLog, createProvider } from '../../framework/managed/index.ts';
import { createPrometheusMetrics, type Manager } from '../../framework/process/index.ts';
import { openProgramConnections, type ProgramConnectionsOptions } from './connections/program-connections.ts';
import type { StartFlags } from './flags.ts';
import { leaderLease } from './leader-lease.ts';
import { ownLeaseOf } from './modules.ts';
import { loadModules, openModules } from './open-modules.ts';

export interface KymaProviderOptions
  extends Pick<ProgramConnectionsOptions, 'config' | 'env' | 'trustedCertificates'>,
    Omit<DepsWith<'log'>, 'metrics'> {
  readonly flags: StartFlags;
  /** Gets an entry for each attempt to change an external resource. Default: no change log. */
  readonly changeLog?: ChangeLog;
}

/** A provider with everything added, not running yet. */
export async function createKymaProvider(options: KymaProviderOptions): Promise<Manager> {
  const { flags, changeLog } = options;
  const modules = await loadModules(flags.controllers);
  const metrics = createPrometheusMetrics({ processMetrics: true });
  const deps = createDeps({ ...options, metrics });
  const connections = openProgramConnections({ ...options, deps });
  const { cluster, limiter } = connections;
  const provider = createProvider({
    ...deps,
    metrics,
    program: 'provider-kyma',
    cluster,
    limiter,
    ...(changeLog ? { changeLog } : {}),
    ...(flags.leaderElection
      ? { leaderElection: leaderLease(flags, options.config, options.env, ownLeaseOf(flags.controllers)) }
      : {}),
    settings: {
      pollIntervalMs: flags.poll,
      pollJitter: flags.pollJitterPercentage / 100,
      minPollIntervalMs: flags.minPollInterval,
      maxReconcileRate: flags.maxReconcileRate,
      externalTimeoutMs: flags.externalTimeout,
      stateMetricsIntervalMs: flags.pollStateMetric,
      managementPolicies: flags.enableManagementPolicies,
      labelSelector: flags.watchLabelSelector,
      metricsAddress: flags.metricsBindAddress,
      healthAddress: flags.healthProbeBindAddr,
      webhookAddress: `:${flags.webhookPort}`,
      webhookCertificateFolder: flags.webhookTlsCertDir,
    },
  });
  const opened = await openModules(modules, { ...connections, flags }).catch(async (error: unknown) => {
    await connections.close();
    throw error;
  });
  for (const module of opened.modules) module.register(provider);
  return {
    ...provider,
    // Closed last: events and the release of the Lease use these connections.
    run: async (signal) => {
      try {
        await provider.run(signal);
      } finally {
        await opened.close();
        await connections.close();
      }
    },
  };
}

import { systemClock } from '../base/clock.ts';
import { type Logger, nopLogger } from '../base/logger.ts';
import { loadClusterConfig } from '../kube/load-cluster-config.ts';
import { createLogger } from '../runtime/json-logger.ts';
import { createPrometheusMetrics } from '../runtime/metrics/prometheus.ts';
import type { ConnectionFlags } from './flags.ts';
import type { ProcessLike } from './process-like.ts';
import { type Connections, openConnections } from './provider.ts';
import { trustEnvironmentCertificates } from './trust.ts';

/** The way to the clusters and to HANA Cloud for commands that change nothing. */
export interface ReadOnlyConnections extends Connections, AsyncDisposable {
  /** The namespace of `-n`, else that of the context, else `default`: what kubectl would take. */
  readonly namespace: string;
  readonly log: Logger;
}

/** Calls in flight to HANA Cloud. */
const MAX_CALLS = 8;

/** As flags and environment have it, over transports that refuse whatever is not a read. */
export async function openReadOnlyConnections(
  flags: ConnectionFlags,
  host: ProcessLike,
): Promise<ReadOnlyConnections> {
  trustEnvironmentCertificates(host.env);
  const log = flags.debug ? createLogger({ debug: true }) : nopLogger;
  const config = await loadClusterConfig({
    clock: systemClock,
    kubeconfig: flags.kubeconfig,
    context: flags.context,
    env: host.env,
  });
  const { allowPrivateEndpoints } = flags;
  const connections = openConnections({
    config,
    env: host.env,
    flags: { allowPrivateEndpoints, maxExternalCalls: MAX_CALLS, tokenCache: true },
    log,
    metrics: createPrometheusMetrics(),
    readOnly: true,
  });
  const namespace = flags.namespace || config.namespace || 'default';
  return { ...connections, namespace, log, [Symbol.asyncDispose]: connections.close };
}

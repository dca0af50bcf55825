import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { kindOf, messageOf } from '../base/errors/errors.ts';
import { systemClock } from '../base/time/clock.ts';
import { createKubeClient, loadClusterConfig } from '../kube/index.ts';
import { createProvider } from '../managed/index.ts';
import { addFlags, boolean, duration, type FlagValues, integer, string } from '../process/flag.ts';
import { createLogger, createPrometheusMetrics } from '../process/index.ts';
import { addRestProvider, type RestProvider } from './rest-provider.ts';

const address = {
  description: 'host:port, :port, or 0 for none',
  accepts: (text: string) => /^\S{1,255}$/.test(text),
};
const name = {
  description: 'a name of Kubernetes',
  accepts: (text: string) => /^[a-z0-9.-]{0,63}$/.test(text),
};

const flags = {
  debug: boolean(false, 'log debug lines', { short: 'd', env: 'DEBUG_LOG' }),
  poll: duration('1m', '1s', '24h', 'interval between reconciles of a settled resource', { env: 'POLL' }),
  'max-reconcile-rate': integer(100, 1, 1000, 'workers of each kind', { env: 'MAX_RECONCILE_RATE' }),
  'leader-election': boolean(false, 'only one replica reconciles', { short: 'l', env: 'LEADER_ELECTION' }),
  'lease-namespace': string('crossplane-system', name, 'namespace of the Lease', { env: 'POD_NAMESPACE' }),
  'metrics-bind-address': string(':8080', address, 'address of /metrics', { env: 'METRICS_BIND_ADDRESS' }),
  'health-probe-bind-address': string(':8081', address, 'address of /healthz and /readyz', {
    env: 'HEALTH_PROBE_BIND_ADDRESS',
  }),
  'allow-private-endpoints': boolean(false, 'allow an API with a private or loopback address', {
    env: 'ALLOW_PRIVATE_ENDPOINTS',
  }),
} as const;

/**
 * The program of a provider: reads flags and their environment variables, and runs until SIGTERM or SIGINT. Errors of flags, and the loss
 * of leadership, end the process with one line; others are thrown.
 *
 * @param args default: those of the process
 */
export async function runRestProvider(provider: RestProvider, args = process.argv.slice(2)): Promise<void> {
  const command = addFlags(new Command(`${provider.system}-provider`), flags).parse(args, { from: 'user' });
  const given = command.opts<FlagValues<typeof flags>>();
  const clock = systemClock;
  const config = await loadClusterConfig({ clock });
  const userAgent = `provider-${provider.system}`;
  const metrics = createPrometheusMetrics({ processMetrics: true });
  const client = createKubeClient({ config, clusterName: 'the cluster', clock, userAgent, metrics });
  const log = createLogger({ debug: given.debug });
  const program = createProvider({
    client,
    log,
    metrics,
    program: userAgent,
    ...(given.leaderElection
      ? {
          leaderElection: {
            lease: { namespace: given.leaseNamespace, name: `${provider.system}-provider` },
            identity: randomUUID(),
          },
        }
      : {}),
    settings: {
      pollIntervalMs: given.poll,
      maxReconcileRate: given.maxReconcileRate,
      metricsAddress: given.metricsBindAddress,
      healthAddress: given.healthProbeBindAddress,
    },
  });
  const api = addRestProvider(provider, program, {
    allowPrivateEndpoints: given.allowPrivateEndpoints,
    env: process.env,
  });
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort());
  try {
    await program.run(stopping.signal);
  } catch (error) {
    // Another replica may lead: its end is expected, and its stack says nothing.
    if (kindOf(error) !== 'terminal') throw error;
    log.error('ended', { error: messageOf(error) });
    process.exitCode = 1;
  } finally {
    await api.close();
    await client.close();
  }
}

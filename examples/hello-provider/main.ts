/** The process: starts the provider with the kind, and stops it on a signal. */
import { systemClock } from 'provider-kyma/base';
import { createKubeClient, loadClusterConfig } from 'provider-kyma/kube';
import { createProvider } from 'provider-kyma/managed';
import { createLogger, createPrometheusMetrics } from 'provider-kyma/process';
import { greetingKind } from './greeting.ts';

const { env } = process;
const clock = systemClock;
const config = await loadClusterConfig({ clock });
const metrics = createPrometheusMetrics({ processMetrics: true });
const client = createKubeClient({ config, clusterName: 'management cluster', clock, metrics });
const provider = createProvider({
  client,
  program: 'provider-hello',
  log: createLogger({ debug: false }),
  metrics,
  settings: {
    metricsAddress: env.METRICS_BIND_ADDRESS ?? ':8080',
    healthAddress: env.HEALTH_PROBE_BIND_ADDRESS ?? ':8081',
  },
});
const url = env.GREETER_URL ?? 'http://127.0.0.1:8000';
provider.addKind(greetingKind({ url, client, objectWatcher: provider.cluster.objectWatcher }));

const stopping = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stopping.abort());
await provider.run(stopping.signal);
await client.close();

/** The process: starts the controller with its webhook, and stops it on a signal. */
import { systemClock } from 'provider-kyma/base';
import { createControllerManager } from 'provider-kyma/controller';
import { createKubeClient, loadClusterConfig } from 'provider-kyma/kube';
import { createLogger, createPrometheusMetrics } from 'provider-kyma/process';
import { welcomeKind, welcomeWebhook } from './welcome.ts';

const { env } = process;
const config = await loadClusterConfig({ clock: systemClock });
const metrics = createPrometheusMetrics({ processMetrics: true });
const client = createKubeClient({ config, clock: systemClock, metrics });
const log = createLogger({ debug: false });
const manager = createControllerManager({
  client,
  log,
  metrics,
  program: 'hello-controller',
  settings: {
    metricsAddress: env.METRICS_BIND_ADDRESS ?? ':8080',
    healthAddress: env.HEALTH_PROBE_BIND_ADDRESS ?? ':8081',
    webhookAddress: env.WEBHOOK_BIND_ADDRESS ?? ':9443',
    webhookCertificateFolder: env.WEBHOOK_TLS_CERT_DIR ?? '',
  },
});
manager.addReconciled(welcomeKind((guest) => log.info('farewell', { guest })));
// Without a certificate there is no webhook, only the schema.
if (env.WEBHOOK_TLS_CERT_DIR) manager.addWebhook(welcomeWebhook);

const stopping = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stopping.abort());
await manager.run(stopping.signal);
await client.close();

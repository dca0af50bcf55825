import { systemClock } from '../base/clock.ts';
import { nopLogger } from '../base/logger.ts';
import { diagnose } from '../controllers/inventory/kymainstancemapping/diagnose.ts';
import { loadClusterConfig } from '../kube/load-cluster-config.ts';
import { createLogger } from '../runtime/json-logger.ts';
import { createPrometheusMetrics } from '../runtime/metrics/prometheus.ts';
import { doctorExitCodes, formatDiagnosis } from './doctor.ts';
import type { DoctorFlags } from './flags.ts';
import { printed } from './output/format.ts';
import { styleFor } from './output/style.ts';
import type { ProcessLike } from './process-like.ts';
import { openConnections } from './provider.ts';
import { reporting } from './reporting-command.ts';
import { trustEnvironmentCertificates } from './trust.ts';

/** All checks together, in ms. */
const TIMEOUT_MS = 60_000;

/** Prints the report and returns the exit code. */
export function runDoctor(mapping: string, flags: DoctorFlags, host: ProcessLike): Promise<number> {
  return reporting({ name: 'doctor', host, failed: doctorExitCodes.usage }, async ({ print }) => {
    trustEnvironmentCertificates(host.env);
    const config = await loadClusterConfig({
      clock: systemClock,
      kubeconfig: flags.kubeconfig,
      context: flags.context,
      env: host.env,
    });
    // Not read-only: asking whose rights suffice is a create.
    const connections = openConnections({
      config,
      env: host.env,
      flags: { allowPrivateEndpoints: flags.allowPrivateEndpoints, maxExternalCalls: 8, tokenCache: false },
      log: flags.debug ? createLogger({ debug: true }) : nopLogger,
      metrics: createPrometheusMetrics(),
    });
    try {
      const { clusters, hanaCloud } = connections;
      const diagnosis = await diagnose({
        clusters,
        hanaCloud,
        name: mapping,
        ...(flags.namespace === undefined ? {} : { namespace: flags.namespace }),
        ...(flags.as === undefined ? {} : { user: flags.as }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const style = styleFor(host.stdout, host.env);
      print(printed(flags.output, diagnosis, () => formatDiagnosis(diagnosis, style)));
      return diagnosis.healthy ? doctorExitCodes.healthy : doctorExitCodes.unhealthy;
    } finally {
      await connections.close();
    }
  });
}

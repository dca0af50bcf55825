import type { Logger } from '../../base/telemetry/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import type { ProcessLike } from '../../console/process-like.ts';
import { loadClusterConfig } from '../../kube/config/load-cluster-config.ts';
import { createLogger } from '../../process/index.ts';
import { trustEnvironmentCertificates } from '../../provider/connections/trust.ts';
import type { StartFlags } from '../../provider/flags.ts';
import { createKymaProvider } from '../../provider/kyma-provider.ts';
import { version } from '../../provider/version.ts';
import { logEnd } from './log-end.ts';
import { logTo } from './log-format.ts';
import { keepHeapSmall } from './small-heap.ts';
import { openTelemetry } from './telemetry.ts';
import { untilStopped } from './until-stopped.ts';

/** Runs until SIGTERM or SIGINT and resolves after the shutdown. A second signal exits at once. */
export async function start(flags: StartFlags, host: ProcessLike): Promise<void> {
  const log = createLogger({ debug: flags.debug, ...logTo(flags.logFormat, host) });
  await logEnd(log, 'provider-kyma ends', () => serve(flags, host, log));
}

async function serve(flags: StartFlags, host: ProcessLike, log: Logger): Promise<void> {
  trustEnvironmentCertificates(host.env);
  const config = await loadClusterConfig({
    clock: systemClock,
    kubeconfig: flags.kubeconfig,
    env: host.env,
  });
  const { changeLog, traces } = await openTelemetry({ flags, env: host.env, log, version });
  const provider = await createKymaProvider({
    config,
    flags,
    log,
    env: host.env,
    ...(changeLog ? { changeLog } : {}),
    ...(traces ? { tracer: traces.tracer } : {}),
  });
  keepHeapSmall();
  try {
    await untilStopped(host, log, async (signal) => {
      log.info('starting provider-kyma', { version, server: config.server });
      await provider.run(signal);
    });
  } finally {
    changeLog?.close();
    await traces?.close();
  }
}

import { type Logger, systemClock } from '../../framework/base/index.ts';
import { loadClusterConfig } from '../../framework/kube/index.ts';

import { logEnd } from '../../framework/module/commands/log-end.ts';
import { logTo } from '../../framework/module/commands/log-format.ts';
import { untilStopped } from '../../framework/module/commands/until-stopped.ts';
import { version } from '../../framework/module/commands/version.ts';
import type { ProcessLike } from '../../framework/module/console/process-like.ts';
import { createLogger } from '../../framework/process/index.ts';
import { trustEnvironmentCertificates } from '../provider/connections/trust.ts';
import type { StartFlags } from '../provider/flags.ts';
import { createKymaProvider } from '../provider/kyma-provider.ts';
import { keepHeapSmall } from './small-heap.ts';
import { openTelemetry } from './telemetry.ts';

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
  // What follows loads the modules and reads the files of their flags.
  log.info('starting provider-kyma', { version, server: config.server });
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
    await untilStopped(host, log, (signal) => provider.run(signal));
  } finally {
    changeLog?.close();
    await traces?.close();
  }
}

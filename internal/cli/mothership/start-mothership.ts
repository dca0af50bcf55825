import type { ProcessLike } from '../../console/process-like.ts';
import type { MothershipFlags } from '../../mothership/config/start-flags.ts';
import { runMothership } from '../../mothership/program/run-mothership.ts';
import { createLogger } from '../../process/telemetry/json-logger.ts';
import { version } from '../../provider/version.ts';
import { logEnd } from '../start/log-end.ts';
import { logTo } from '../start/log-format.ts';
import { untilStopped } from '../start/until-stopped.ts';

/** Runs until SIGTERM or SIGINT and resolves after the shutdown. */
export async function startMothership(flags: MothershipFlags, host: ProcessLike): Promise<void> {
  const output = logTo(flags.logFormat, host);
  const log = createLogger({ debug: flags.verbose, fields: 'kyma', ...output });
  await logEnd(log, 'the mothership ends', () =>
    untilStopped(host, log, async (signal) => {
      log.info('starting the mothership', { version });
      await runMothership({ flags, env: host.env, log, version }, signal);
    }),
  );
}

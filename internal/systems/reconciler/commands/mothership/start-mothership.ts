import { logEnd } from '../../../../framework/module/commands/log-end.ts';
import { logTo } from '../../../../framework/module/commands/log-format.ts';
import { untilStopped } from '../../../../framework/module/commands/until-stopped.ts';
import { version } from '../../../../framework/module/commands/version.ts';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { createLogger } from '../../../../framework/process/telemetry/json-logger.ts';
import type { MothershipFlags } from '../../mothership/config/start-flags.ts';
import { runMothership } from '../../mothership/program/run-mothership.ts';

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

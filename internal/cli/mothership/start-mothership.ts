import { messageOf } from '../../base/errors/errors.ts';
import type { ProcessLike } from '../../console/process-like.ts';
import type { MothershipFlags } from '../../mothership/config/start-flags.ts';
import { runMothership } from '../../mothership/program/run-mothership.ts';
import { createLogger } from '../../process/telemetry/json-logger.ts';
import { version } from '../../provider/version.ts';
import { untilStopped } from '../start/until-stopped.ts';

/** Runs until SIGTERM or SIGINT and resolves after the shutdown. */
export async function startMothership(flags: MothershipFlags, host: ProcessLike): Promise<void> {
  const log = createLogger({ debug: flags.verbose, fields: 'kyma' });
  try {
    await untilStopped(host, log, async (signal) => {
      log.info('starting the mothership', { version });
      await runMothership({ flags, env: host.env, log, version }, signal);
    });
  } catch (error) {
    // JSON for log collectors; the caller prints a plain line.
    log.error('the mothership ends', { error: messageOf(error) });
    throw error;
  }
}

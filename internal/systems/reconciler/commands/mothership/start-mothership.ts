import { buildInfo } from '../../../../framework/base/index.ts';
import { logEnd } from '../../../../framework/module/commands/log-format.ts';
import { untilStopped } from '../../../../framework/module/commands/until-stopped.ts';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import type { MothershipFlags } from '../../mothership/config/start-flags.ts';
import { runMothership } from '../../mothership/program/run-mothership.ts';
import { kymaLog } from '../kyma-log.ts';

/** Runs until SIGTERM or SIGINT and resolves after the shutdown. */
export async function startMothership(flags: MothershipFlags, host: ProcessLike): Promise<void> {
  const log = kymaLog(flags, host);
  await logEnd(log, 'the mothership ends', () =>
    untilStopped(host, log, async (signal) => {
      log.info('starting the mothership', { version: buildInfo.version });
      await runMothership({ flags, env: host.env, log }, signal);
    }),
  );
}

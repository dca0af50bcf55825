import type { ComponentFlags } from '../../components/config/component-flags.ts';
import { runComponent } from '../../components/program/run-component.ts';
import { componentReconcilers } from '../../components/reconcilers/component-reconcilers.ts';
import type { ProcessLike } from '../../console/process-like.ts';
import { createLogger } from '../../process/telemetry/json-logger.ts';
import { version } from '../../provider/version.ts';
import { logEnd } from '../start/log-end.ts';
import { logTo } from '../start/log-format.ts';
import { untilStopped } from '../start/until-stopped.ts';

/** The exit code after a second signal. */
const HARD_EXIT_CODE = 2;

/** Runs until SIGTERM or SIGINT and resolves after the shutdown. */
export async function startComponent(name: string, flags: ComponentFlags, host: ProcessLike): Promise<void> {
  const output = logTo(flags.logFormat, host);
  const log = createLogger({ debug: flags.verbose, fields: 'kyma', ...output });
  const debugLog = createLogger({ debug: true, fields: 'kyma', ...output });
  const run = async (signal: AbortSignal) => {
    log.info('starting the component reconciler', { name, version });
    await runComponent(
      { name, reconcilers: componentReconcilers, flags, env: host.env, log, debugLog, version },
      signal,
    );
  };
  await logEnd(log, 'the component reconciler ends', () => untilStopped(host, log, run, HARD_EXIT_CODE));
}

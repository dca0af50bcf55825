import { messageOf } from '../../base/errors/errors.ts';
import type { ComponentFlags } from '../../components/config/component-flags.ts';
import { runComponent } from '../../components/program/run-component.ts';
import { componentReconcilers } from '../../components/reconcilers/component-reconcilers.ts';
import type { ProcessLike } from '../../console/process-like.ts';
import { createLogger } from '../../process/telemetry/json-logger.ts';
import { version } from '../../provider/version.ts';
import { untilStopped } from '../start/until-stopped.ts';

/** The exit code after a second signal. */
const HARD_EXIT_CODE = 2;

/** Runs until SIGTERM or SIGINT and resolves after the shutdown. */
export async function startComponent(name: string, flags: ComponentFlags, host: ProcessLike): Promise<void> {
  const log = createLogger({ debug: flags.verbose, fields: 'kyma' });
  const debugLog = createLogger({ debug: true, fields: 'kyma' });
  const run = async (signal: AbortSignal) => {
    log.info('starting the component reconciler', { name, version });
    await runComponent(
      { name, reconcilers: componentReconcilers, flags, env: host.env, log, debugLog, version },
      signal,
    );
  };
  try {
    await untilStopped(host, log, run, HARD_EXIT_CODE);
  } catch (error) {
    // JSON for log collectors; the caller prints a plain line.
    log.error('the component reconciler ends', { error: messageOf(error) });
    throw error;
  }
}

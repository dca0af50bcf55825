import { logEnd } from '../../../../framework/module/commands/log-format.ts';
import { untilStopped } from '../../../../framework/module/commands/until-stopped.ts';
import { version } from '../../../../framework/module/commands/version.ts';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import type { ComponentFlags } from '../../components/config/component-flags.ts';
import { runComponent } from '../../components/program/run-component.ts';
import { componentReconcilers } from '../../components/reconcilers/component-reconcilers.ts';
import { kymaLog } from '../kyma-log.ts';

/** The exit code after a second signal. */
const HARD_EXIT_CODE = 2;

/** Runs until SIGTERM or SIGINT and resolves after the shutdown. */
export async function startComponent(name: string, flags: ComponentFlags, host: ProcessLike): Promise<void> {
  const log = kymaLog(flags, host);
  const debugLog = kymaLog({ ...flags, verbose: true }, host);
  const run = async (signal: AbortSignal) => {
    log.info('starting the component reconciler', { name, version });
    await runComponent(
      { name, reconcilers: componentReconcilers, flags, env: host.env, log, debugLog, version },
      signal,
    );
  };
  await logEnd(log, 'the component reconciler ends', () => untilStopped(host, log, run, HARD_EXIT_CODE));
}

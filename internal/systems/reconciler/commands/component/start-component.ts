import { buildInfo } from '../../../../framework/base/index.ts';
import { logEnd } from '../../../../framework/module/commands/log-format.ts';
import { untilStopped } from '../../../../framework/module/commands/until-stopped.ts';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import type { ComponentFlags } from '../../components/component-flags.ts';
import type { Task } from '../../components/model/task.ts';
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
    log.info('starting the component reconciler', { name, version: buildInfo.version });
    await runComponent(
      { name, reconcilers: componentReconcilers, flags, env: host.env, log, debugLog },
      signal,
    );
  };
  await logEnd(log, 'the component reconciler ends', () => untilStopped(host, log, run, HARD_EXIT_CODE));
}

/** A command that sends a task. The file kubeconfig.yaml stands for that of a cluster; jq writes it as JSON. */
export function exampleRequest(
  name: string,
  flags: Pick<ComponentFlags, 'serverPort' | 'serverCrt'>,
): string {
  const task: Omit<Task, 'kubeconfig' | 'metadata'> = {
    componentsReady: [],
    component: name,
    namespace: 'kyma-system',
    version: 'main',
    url: '',
    profile: 'evaluation',
    configuration: {},
    callbackURL: 'http://localhost:8081/v1/operations/example/callback/example',
    correlationID: 'example',
    repository: { url: '' },
    type: 'reconcile',
    componentConfiguration: { maxRetries: 1, debug: true },
  };
  const scheme = flags.serverCrt === '' ? 'http' : 'https';
  return [
    `jq --rawfile kubeconfig kubeconfig.yaml '. + {kubeconfig: $kubeconfig}' <<'EOF' |`,
    JSON.stringify(task, null, 2),
    'EOF',
    `  curl --json @- ${scheme}://localhost:${flags.serverPort}/v1/run`,
  ].join('\n');
}

import { createDeps, formatDuration, nopLogger } from '../../../../framework/base/index.ts';
import { visible } from '../../../../framework/base/text/redact.ts';
import { untilStopped } from '../../../../framework/module/commands/until-stopped.ts';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { createLogger } from '../../../../framework/process/index.ts';
import type { ClusterResult, ComponentStatus } from '../../components/index.ts';
import { runnerSettings } from '../../components/model/settings.ts';
import { openParts } from '../../components/program/open-parts.ts';
import { reconcileCluster } from '../../components/reconcile-cluster.ts';
import { componentReconcilers } from '../../components/reconcilers/component-reconcilers.ts';
import { skippedComponents } from '../../operations/operation.ts';
import { type LocalFlags, localExitCodes } from './local-flags.ts';
import { localRequest } from './local-request.ts';

/** The exit code after a second signal. */
const HARD_EXIT_CODE = 2;

/** Reconciles or deletes the components of one cluster. Resolves to the exit code. */
export async function runLocal(flags: LocalFlags, host: ProcessLike): Promise<number> {
  const log = flags.verbose ? createLogger({ debug: true, fields: 'kyma' }) : nopLogger;
  const deps = createDeps({ log });
  const parts = openParts({
    ...deps,
    workspace: flags.workspace,
    progressIntervalMs: 0,
    allowPrivateEndpoints: flags.allowPrivateEndpoints,
    defaultCapabilities: flags.defaultCapabilities,
    env: host.env,
  });
  let result: ClusterResult | undefined;
  const print = (line: string) => void host.stdout.write(`${visible(line)}\n`);
  try {
    await untilStopped(
      host,
      log,
      async (signal) => {
        // A version may have to be fetched first.
        print(`reading ${flags.cluster ?? `version ${flags.version}`}, with charts in ${flags.workspace}`);
        const request = await localRequest(flags, parts, host, signal);
        result = await reconcileCluster(request, {
          ...deps,
          parts,
          reconcilers: componentReconcilers,
          settings: runnerSettings(),
          skippedComponents: skippedComponents(host.env),
          signal,
          onStatus: changedLines(print),
        });
      },
      HARD_EXIT_CODE,
    );
  } finally {
    await parts.close();
  }
  return result === undefined ? localExitCodes.failed : report(result, host);
}

/** Statuses are repeated as signs of life: a line that is the last one of its component is not printed again. */
function changedLines(print: (line: string) => void): (status: ComponentStatus) => void {
  const last = new Map<string, string>();
  return (status) => {
    const line = lineOf(status);
    if (last.get(status.component) === line) return;
    last.set(status.component, line);
    print(line);
  };
}

function lineOf({ component, status, error, progress }: ComponentStatus): string {
  const more = error || progress;
  return more ? `${component}: ${status}: ${more}` : `${component}: ${status}`;
}

/** Prints each component that is not done. */
function report({ status, components }: ClusterResult, host: ProcessLike): number {
  const unfinished = components.filter(({ state }) => state !== 'done');
  if (unfinished.length === 0) {
    const durationMs = components.reduce((sum, each) => sum + each.durationMs, 0);
    host.stdout.write(`${status}: ${components.length} components, ${formatDuration(durationMs)} of work\n`);
    return localExitCodes.done;
  }
  const lines = unfinished.map(({ component, state, reason }) =>
    visible(state === 'new' ? `  ${component}: not begun` : `  ${component}: ${reason}`),
  );
  host.stderr.write(`provider-kyma: ${status}: ${unfinished.length} components are not done\n`);
  for (const line of lines) host.stderr.write(`${line}\n`);
  return localExitCodes.failed;
}

import { keyOf, keyString } from '../../framework/kube/index.ts';
import type { ProcessLike } from '../../framework/module/console/process-like.ts';
import { reporting } from '../../framework/module/console/reporting-command.ts';
import { type OutputFormat, printed, styleFor } from '../../framework/module/console/shown.ts';
import { openReadOnlyConnections } from '../provider/connections/command-connections.ts';
import type { ConnectionFlags } from '../provider/connections/program-connections.ts';
import { loadModules, openModules } from '../provider/open-modules.ts';
import { formatPlan } from './format-plan.ts';
import { readManifests } from './manifests.ts';
import { makePlan, type Plan, planOf } from './plan.ts';
import { assertAny, skippedText, targetsByName, targetsOfManifests } from './targets.ts';

/** Exit codes of `provider-kyma plan`, those of `terraform plan -detailed-exitcode`. */
export const planExitCodes = {
  /** Nothing would change in HANA Cloud. */
  nothing: 0,
  /** At least one resource could not be planned. */
  error: 1,
  /** Something would be created, updated or deleted. */
  changes: 2,
} as const;

export interface PlanFlags extends ConnectionFlags {
  readonly filename?: readonly string[];
  readonly delete?: boolean;
  readonly output: OutputFormat;
}

/** For the whole plan. */
const TIMEOUT_MS = 600_000;

/** Prints the plan on stdout and everything else on stderr. Returns the exit code. */
export function runPlan(names: readonly string[], flags: PlanFlags, host: ProcessLike): Promise<number> {
  return reporting({ name: 'plan', host, failed: planExitCodes.error }, async ({ print, info, progress }) => {
    const paths = flags.filename ?? [];
    const manifests = await readManifests(paths, host.stdin);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    await using connections = await openReadOnlyConnections(flags, host);
    await using opened = await openModules(await loadModules(), connections);
    const search = { connections, kinds: opened.kinds, signal };
    const written = await targetsOfManifests(manifests, search);
    const stored = await targetsByName(names, search, flags.namespace);
    if (names.length === 0) assertAny(written, paths);
    if (written.skipped.length > 0) info(skippedText(written.skipped));
    const { entries } = await makePlan({
      ...search,
      targets: [...written.targets, ...stored.targets],
      deletion: flags.delete ?? false,
      onProgress: (done, of, { object }) =>
        progress(`planning ${done} of ${of}: ${object.kind} ${keyString(keyOf(object))}`),
    });
    const plan = planOf([...entries, ...written.failed]);
    const style = styleFor(host.stdout, host.env);
    print(printed(flags.output, plan, (shown) => formatPlan(shown, style)));
    return exitCodeOf(plan);
  });
}

function exitCodeOf({ summary }: Plan): number {
  if (summary.unknown > 0) return planExitCodes.error;
  const changes = summary.create + summary.update + summary.delete;
  return changes > 0 ? planExitCodes.changes : planExitCodes.nothing;
}

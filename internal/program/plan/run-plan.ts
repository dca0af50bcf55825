import { keyOf, keyString } from '../../framework/kube/index.ts';
import type { ProcessLike } from '../../framework/module/console/process-like.ts';
import { reporting } from '../../framework/module/console/reporting-command.ts';
import {
  type OutputFormat,
  printed,
  type Shown,
  type Style,
  styleFor,
  type Tone,
} from '../../framework/module/console/shown.ts';
import {
  type ConnectionFlags,
  openReadOnlyConnections,
} from '../provider/connections/program-connections.ts';
import { loadModules, openModules } from '../provider/open-modules.ts';
import type { FieldChange } from './field-changes.ts';
import { readManifests } from './manifests.ts';
import { makePlan, type Plan, type PlanEntry, planOf } from './plan.ts';
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

const signs = { create: '+', update: '~', delete: '-', nothing: '=', unknown: '?' } as const;
const tones: Readonly<Record<PlanEntry['action'], Tone>> = {
  create: 'good',
  update: 'notice',
  delete: 'bad',
  nothing: 'faint',
  unknown: 'bad',
};

/** One line per resource with its changes below, and the totals. */
export function formatPlan(plan: Shown<Plan>, style: Style): string {
  const lines = plan.entries.flatMap((entry) => [...entryLines(entry, style), '']);
  return `${lines.join('\n')}\n${summaryOf(plan)}\n`;
}

function entryLines(entry: PlanEntry, style: Style): string[] {
  const { action, kind, namespace, name, source, externalName } = entry;
  const object = namespace === undefined ? name : `${namespace}/${name}`;
  const what = action === 'unknown' ? (entry.problem ?? action) : action;
  const head = `${signs[action]} ${what}  ${kind} ${object}`;
  return [
    `${style(tones[action], head)}  ${style('faint', `(${source})`)}`,
    `    ${entry.reason}`,
    ...(externalName === undefined ? [] : [`    external name: ${externalName}`]),
    ...(entry.steps.length > 1 ? [`    by ${entry.steps.join(' and ')}`] : []),
    ...section('in HANA Cloud', entry.external, style),
    ...section('in the manifest', entry.object, style),
    ...entry.writes.map((write) => `    in the cluster: ${write}`),
    ...entry.notes.map((note) => style('faint', `    note: ${note}`)),
  ];
}

function section(title: string, changes: readonly FieldChange[], style: Style): string[] {
  if (changes.length === 0) return [];
  return [`    ${title}:`, ...changes.map((change) => `      ${changeLine(change, style)}`)];
}

function changeLine({ path, from, to }: FieldChange, style: Style): string {
  if (from === undefined) return style('good', `+ ${path}: ${shown(to)}`);
  if (to === undefined) return style('bad', `- ${path}: ${shown(from)}`);
  return style('notice', `~ ${path}: ${shown(from)} -> ${shown(to)}`);
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function summaryOf({ summary }: Plan): string {
  const { create, update, delete: gone, nothing, unknown } = summary;
  const sums = `Plan: ${create} to create, ${update} to update, ${gone} to delete, ${nothing} unchanged`;
  return unknown === 0 ? `${sums}.` : `${sums}, ${unknown} without a result.`;
}

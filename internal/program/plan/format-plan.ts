import type { Shown, Style, Tone } from '../../framework/module/console/shown.ts';
import type { FieldChange } from './field-changes.ts';
import type { Plan, PlanEntry } from './plan.ts';

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

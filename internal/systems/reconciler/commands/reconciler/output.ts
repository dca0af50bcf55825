import { Option } from 'commander';
import { jsonText, shown, table, yamlText } from '../../../../framework/module/console/shown.ts';

export type ListFormat = 'table' | 'wide' | 'json' | 'yaml';

export const listOutputOption = (): Option =>
  new Option('-o, --output <format>', 'how to print it; wide is a table with more columns')
    .choices(['table', 'wide', 'json', 'yaml'] satisfies ListFormat[])
    .default('table');

/** How a list is shown as a table. */
export interface Columns<T> {
  readonly headings: readonly string[];
  /** Only with `-o wide`. */
  readonly wideHeadings: readonly string[];
  /** The cells of a row, those of `wideHeadings` last. */
  cells(item: T): readonly (string | number | undefined)[];
}

/** @param isFirst whether it is what a command prints first: a table has headings then */
export function printedList<T>(
  format: ListFormat,
  items: readonly T[],
  { headings, wideHeadings, cells }: Columns<T>,
  isFirst = true,
): string {
  if (format === 'json') return jsonText(items);
  // Lists one after the other would be one list, or no YAML.
  if (format === 'yaml') return `${isFirst ? '' : '---\n'}${yamlText(JSON.parse(JSON.stringify(items)))}`;
  const width = headings.length + (format === 'wide' ? wideHeadings.length : 0);
  const rows = items.map((item) =>
    cells(shown(item))
      .slice(0, width)
      .map((cell) => (cell === undefined || cell === '' ? '-' : String(cell))),
  );
  if (!isFirst) return table(rows[0] ?? [], rows.slice(1));
  return table([...headings, ...wideHeadings].slice(0, width), rows);
}

/** Time since then, as kubectl shows ages: `5s`, `12m`, `3h`, `4d`. */
export function age(time: string | undefined, nowMs: number): string {
  const ms = time === undefined ? Number.NaN : nowMs - Date.parse(time);
  if (Number.isNaN(ms)) return '';
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 2 * 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** Time until then, in the same form; empty if there is none, `now` if it has passed. */
export function due(time: string | undefined, nowMs: number): string {
  if (time === undefined || Number.isNaN(Date.parse(time))) return '';
  const ahead = Date.parse(time) - nowMs;
  return ahead <= 0 ? 'now' : age(new Date(nowMs).toISOString(), nowMs + ahead);
}

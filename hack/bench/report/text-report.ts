import type { Profile } from '../measurement.ts';
import { number, quantity, ratio, verdict } from './format.ts';
import { commandOf, describeMachine, type Report } from './report.ts';

/** The report for a terminal. */
export function renderText(report: Report): string {
  const { version, machine, date, seconds, sections } = report;
  const rows = sections.map(({ figures }) =>
    figures.map((figure) => [
      figure.name.replaceAll('`', ''),
      quantity(figure.value, figure.unit),
      figure.plain === undefined ? '' : quantity(figure.plain, figure.unit),
      ratio(figure),
      verdict(figure),
    ]),
  );
  const header = ['', 'provider', 'plain', 'ratio', 'target'];
  const table = alignColumns([header, ...rows.flat()], [1, 2, 3]);
  const lines = [table[0] ?? ''];
  let next = 1;
  for (const section of sections) {
    lines.push('', `${section.title} (${commandOf(section)})`);
    lines.push(...table.slice(next, next + section.figures.length));
    next += section.figures.length;
    lines.push(...section.notes.map((note) => `- ${note}`));
    for (const profile of section.profiles) lines.push('', ...profileLines(profile));
  }
  return [
    `provider-kyma ${version}, ${date}, ${Math.round(seconds)} s`,
    describeMachine(machine),
    '',
    ...lines,
    '',
  ].join('\n');
}

function profileLines({ title, functions, parts, busyMs }: Profile): string[] {
  const share = (value: number) => `${number(value * 100)} %`;
  const rows = functions.map(({ share: part, name, place }) => [
    share(part),
    name,
    place === undefined ? '' : `${place.file}:${place.line}`,
  ]);
  return [
    `${title}: self time, of ${number(busyMs)} ms busy`,
    ...alignColumns(rows, [0]),
    ...alignColumns(
      parts.map(({ part, share: value }) => [share(value), part]),
      [0],
    ).map((line) => `  ${line}`),
  ];
}

/** Two spaces between columns; those given by index are right-aligned, the others left-aligned. */
export function alignColumns(rows: readonly (readonly string[])[], right: readonly number[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, index) =>
        right.includes(index) ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

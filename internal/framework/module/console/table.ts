import { stripVTControlCharacters } from 'node:util';

/** Columns under their headings, two spaces apart, as kubectl prints them. Colour codes do not count as width. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows];
  const widthOf = (text: string) => [...stripVTControlCharacters(text)].length;
  const widths = headings.map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ''))));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
      .join('  ')
      .trimEnd();
  return `${all.map(line).join('\n')}\n`;
}

/** Left-aligned columns, two spaces apart, as kubectl prints them. */
export function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const width = (column: number) => Math.max(...all.map((row) => row[column]?.length ?? 0));
  const widths = header.map((_, column) => width(column));
  const line = (row: readonly string[]) =>
    widths
      .map((length, column) => (row[column] ?? '').padEnd(length))
      .join('  ')
      .trimEnd();
  return all.map(line).join('\n');
}

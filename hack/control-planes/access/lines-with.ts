/**
 * The lines that contain a text, without the last one, which is empty or not yet written to its end. The others are not decoded,
 * since they may be most of many megabytes.
 */
export function linesWith(bytes: Buffer, text: string): string[] {
  const lines: string[] = [];
  for (let from = 0; ; ) {
    const found = bytes.indexOf(text, from);
    const end = found === -1 ? -1 : bytes.indexOf('\n', found);
    if (end === -1) return lines;
    lines.push(bytes.toString('utf8', bytes.lastIndexOf('\n', found) + 1, end));
    from = end + 1;
  }
}

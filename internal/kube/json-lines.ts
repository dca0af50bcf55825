const NEWLINE = 0x0a;

/**
 * Splits a stream into lines, whatever its chunks are: lines are cut as bytes, so that a character on a chunk's
 * border stays whole, and a line of many chunks is joined once. Blank lines are left out. Throws if a line is longer
 * than `maxBytes` or the stream ends within one.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      parts.push(chunk.subarray(start, end));
      const line = decode(parts);
      parts = [];
      length = 0;
      start = end + 1;
      if (line !== '') yield line;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > maxBytes) throw new RangeError(`a line is longer than ${maxBytes} bytes`);
  }
  if (decode(parts) !== '') throw new Error('the stream ended within a line');
}

function decode(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString('utf8').trim();
}

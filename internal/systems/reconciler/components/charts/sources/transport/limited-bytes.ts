import { refused } from '../model/source-error.ts';

/**
 * The same chunks, up to `maxBytes` in total.
 *
 * @param what begins the message: `the archive is larger than …`
 * @throws SourceError beyond the limit
 */
export async function* limitBytes(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  what: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw refused(`${what} is larger than ${maxBytes} bytes`);
    yield chunk;
  }
}

/** All chunks in one array; they were limited before. */
export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

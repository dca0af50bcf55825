import type { ByteBudget } from '../../base/collections/byte-budget.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { collectBytes } from '../../http/transport/collected-bytes.ts';
import { ResponseTooLargeError } from '../errors/errors.ts';

const NEWLINE = 0x0a;

/**
 * Splits a stream into lines. It splits bytes, not characters, so that a character across two chunks stays whole. Blank
 * lines are skipped. Throws if a line is longer than `maxBytes` or the stream ends within one.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  memory?: ByteBudget,
): AsyncGenerator<string> {
  const line = collectBytes(memory);
  const add = (part: Uint8Array) => {
    if (line.size + part.length > maxBytes)
      throw new ResponseTooLargeError(`a line is longer than ${maxBytes} bytes`);
    if (!line.add(part))
      throw new ProviderError('transient', 'there is no memory now for a line that does not end');
  };
  try {
    for await (const chunk of chunks) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        const isBlank = end === start && line.size === 0;
        const part = chunk.subarray(start, end);
        start = end + 1;
        // A server may send very many, each of which would cost as much as a line.
        if (isBlank) continue;
        add(part);
        const text = line.takeText().trim();
        if (text !== '') yield text;
      }
      if (start < chunk.length) add(chunk.subarray(start));
    }
    if (line.takeText().trim() !== '') throw new Error('the stream ended within a line');
  } finally {
    line.clear();
  }
}

import { type ByteBudget, unlimitedBytes } from '../../base/collections/byte-budget.ts';

/** The bytes of an untrusted text that have arrived so far. */
export interface CollectedBytes {
  readonly size: number;
  /** How many chunks they are kept in. */
  readonly chunks: number;
  /** @returns false if there is no memory for the chunk, which is not kept */
  add(chunk: Uint8Array): boolean;
  /** Returns the text and removes its bytes. */
  takeText(): string;
  clear(): void;
}

/** Larger chunks are not merged. */
const MERGED_BYTES = 4096;

/**
 * Collects chunks. A server may send each byte as a separate chunk, which takes 200 bytes of memory. So small adjacent
 * chunks are merged, the smaller ones first; a byte is copied twelve times at most.
 *
 * @param memory that is used while they are kept; default: no limit
 */
export function collectBytes(memory: ByteBudget = unlimitedBytes): CollectedBytes {
  let parts: Uint8Array[] = [];
  let size = 0;
  const clear = () => {
    memory.give(size);
    parts = [];
    size = 0;
  };
  return {
    get size() {
      return size;
    },
    get chunks() {
      return parts.length;
    },
    add: (chunk) => {
      if (!memory.take(chunk.length)) return false;
      size += chunk.length;
      let last = chunk;
      for (let before = parts.at(-1); before !== undefined; before = parts.at(-1)) {
        if (last.length >= MERGED_BYTES || before.length > last.length) break;
        last = Buffer.concat([before, last]);
        parts.pop();
      }
      parts.push(last);
      return true;
    },
    takeText: () => {
      const text = Buffer.concat(parts).toString('utf8');
      clear();
      return text;
    },
    clear,
  };
}

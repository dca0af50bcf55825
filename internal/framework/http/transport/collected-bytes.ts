/** The bytes of an untrusted text that have arrived so far. */
export interface CollectedBytes {
  readonly size: number;
  /** How many chunks they are kept in. */
  readonly chunks: number;
  add(chunk: Uint8Array): void;
  /** Returns the text and removes its bytes. */
  takeText(): string;
}

/** Larger chunks are not merged. */
const MERGED_BYTES = 4096;

/**
 * Collects chunks. A server may send each byte as a separate chunk, which takes 200 bytes of memory. So small adjacent
 * chunks are merged, the smaller ones first; a byte is copied twelve times at most.
 */
export function collectBytes(): CollectedBytes {
  let parts: Uint8Array[] = [];
  let size = 0;
  return {
    get size() {
      return size;
    },
    get chunks() {
      return parts.length;
    },
    add: (chunk) => {
      size += chunk.length;
      let last = chunk;
      for (let before = parts.at(-1); before !== undefined; before = parts.at(-1)) {
        if (last.length >= MERGED_BYTES || before.length > last.length) break;
        last = Buffer.concat([before, last]);
        parts.pop();
      }
      parts.push(last);
    },
    takeText: () => {
      const text = Buffer.concat(parts).toString('utf8');
      parts = [];
      size = 0;
      return text;
    },
  };
}

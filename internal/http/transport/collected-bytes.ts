/** What has arrived of a text from outside. */
export interface CollectedBytes {
  readonly size: number;
  add(chunk: Uint8Array): void;
  /** The text so far; begins anew. */
  takeText(): string;
}

/** Chunks that are larger are kept as they came. */
const MERGED_BYTES = 4096;

/**
 * Keeps chunks until they are complete. A server may send each byte in a chunk of its own, each of which takes some 200
 * bytes of memory: small neighbours are merged, the smaller ones first, so that a byte is copied twelve times at most.
 */
export function collectBytes(): CollectedBytes {
  let parts: Uint8Array[] = [];
  let size = 0;
  return {
    get size() {
      return size;
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

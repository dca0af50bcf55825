import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { collectBytes } from './collected-bytes.ts';

test('property: the text is what came, whatever its chunks were, and the next begins anew', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string({ unit: 'grapheme' }))), (texts) => {
      const bytes = collectBytes();
      for (const chunks of texts) {
        const all = Buffer.from(chunks.join(''));
        for (const byte of all) bytes.add(Uint8Array.of(byte));
        expect(bytes.size).toBe(all.length);
        expect(bytes.takeText()).toBe(chunks.join(''));
        for (const chunk of chunks) bytes.add(Buffer.from(chunk));
        expect(bytes.takeText()).toBe(chunks.join(''));
        expect(bytes.size).toBe(0);
      }
    }),
  );
});

test('a MiB in chunks of one byte is kept in chunks of 4 KiB', () => {
  const bytes = collectBytes();
  let most = 0;
  for (let n = 0; n < 2 ** 20; n++) {
    bytes.add(Uint8Array.of(0x78));
    most = Math.max(most, bytes.chunks);
  }
  // And one of each power of two below 4 KiB.
  expect(most).toBeLessThanOrEqual(2 ** 20 / 4096 + 12);
  expect(bytes.size).toBe(2 ** 20);
  expect(bytes.takeText()).toBe('x'.repeat(2 ** 20));
});

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

test('a MiB in chunks of one byte takes the memory of a MiB, and little time', () => {
  const bytes = collectBytes();
  const before = process.memoryUsage();
  for (let n = 0; n < 2 ** 20; n++) bytes.add(Buffer.from('x'));
  global.gc?.();
  const after = process.memoryUsage();
  const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  expect(bytes.takeText()).toHaveLength(2 ** 20);
  // Without a collection of garbage in between the rest of what was copied counts as well.
  expect(grown).toBeLessThan(100 * 2 ** 20);
});

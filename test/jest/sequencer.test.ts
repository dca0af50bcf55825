import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import Sequencer, { LONG_FILES } from './sequencer.ts';

const pathOf = (file: string) => join(import.meta.dirname, '../integration', `${file}.test.ts`);

test('every long file exists', () => {
  expect(LONG_FILES.filter((file) => !existsSync(pathOf(file)))).toEqual([]);
});

test('long files start first, then large ones', () => {
  const [longest = '', next = ''] = LONG_FILES;
  const large = join(import.meta.dirname, 'sequencer.ts');
  const small = join(import.meta.dirname, 'timeout.ts');
  const tests = [small, pathOf(next), large, pathOf(longest)].map((path) => ({ path }));

  expect(new Sequencer().sort(tests).map(({ path }) => path)).toEqual([
    pathOf(longest),
    pathOf(next),
    large,
    small,
  ]);
});

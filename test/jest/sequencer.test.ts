import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import Sequencer, { SLOW_FILES } from './sequencer.ts';

const pathOf = (file: string) => join(import.meta.dirname, '../integration', `${file}.test.ts`);

test('every slow file exists', () => {
  expect(SLOW_FILES.filter((file) => !existsSync(pathOf(file)))).toEqual([]);
});

test('slow files start first, then large ones', () => {
  const [slowest = '', next = ''] = SLOW_FILES;
  const large = join(import.meta.dirname, 'sequencer.ts');
  const small = join(import.meta.dirname, 'timeout.ts');
  const tests = [small, pathOf(next), large, pathOf(slowest)].map((path) => ({ path }));

  expect(new Sequencer().sort(tests).map(({ path }) => path)).toEqual([
    pathOf(slowest),
    pathOf(next),
    large,
    small,
  ]);
});

import { expect, test } from '@jest/globals';
import { parseFaultOptions } from './options.ts';

const names = ['model', 'inputs'];

test('without options all parts run, with a random seed and their own numbers of runs', () => {
  expect(parseFaultOptions(names, [], () => 7)).toEqual({ only: [], seed: 7 });
});

test('a run is replayed by its seed, of some parts, with another number of runs', () => {
  const args = ['--only', 'model', '--seed', '0', '--runs', '3'];
  expect(parseFaultOptions(names, args, () => 7)).toEqual({ only: ['model'], seed: 0, runs: 3 });
});

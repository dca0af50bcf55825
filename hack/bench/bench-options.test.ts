import { describe, expect, test } from '@jest/globals';
import { parseBenchOptions, usage } from './bench-options.ts';

const names = ['framework', 'start-up'];
const parse = (...args: string[]) => parseBenchOptions(args, names);

test('without options everything is measured, profiles included', () => {
  expect(parse()).toEqual({
    only: [],
    cpuProf: true,
    help: false,
    sizes: {
      mappings: [100, 1000],
      perInstance: 10,
      clusters: 1,
      objects: 10_000,
      fleet: { mappings: 10_000, clusters: 50 },
    },
  });
});

test('part of the measurements is profiled only on request', () => {
  expect(parse('--only', 'framework', '--only', 'start-up')).toMatchObject({
    only: ['framework', 'start-up'],
    cpuProf: false,
  });
  expect(parse('--only', 'framework', '--cpu-prof')).toMatchObject({ cpuProf: true });
});

test('sizes are configurable', () => {
  const { sizes } = parse(
    '--mappings',
    '10000',
    '--clusters',
    '50',
    '--per-instance',
    '20',
    '--objects',
    '500',
    '--fleet-mappings',
    '2000',
    '--fleet-clusters',
    '8',
  );
  expect(sizes).toEqual({
    mappings: [10_000],
    perInstance: 20,
    clusters: 50,
    objects: 500,
    fleet: { mappings: 2000, clusters: 8 },
  });
});

describe('refused is', () => {
  test.each([
    [
      'a measurement that there is not',
      ['--only', 'speed'],
      /no measurement speed; there are framework, start-up/,
    ],
    ['a size that is no number', ['--objects', 'many'], /--objects wants a whole number/],
    ['a size of none', ['--mappings', '0'], /--mappings wants a whole number/],
    ['sizes that fall, since the last one is taken for the largest', ['--mappings', '1000,100'], /must rise/],
    ['an option that there is not', ['--fast'], /--fast/],
  ])('%s', (_reason, args, message) => {
    expect(() => parse(...args)).toThrow(message);
  });
});

test('the help names every option and every measurement', () => {
  for (const name of [
    ...names,
    '--only',
    '--cpu-prof',
    '--mappings',
    '--per-instance',
    '--clusters',
    '--objects',
    '--fleet-mappings',
    '--fleet-clusters',
  ]) {
    expect(usage(names)).toContain(name);
  }
});

import { expect, test } from '@jest/globals';
import { benchCommand, parseBenchOptions } from './options.ts';

const parse = (...args: string[]) => {
  const command = benchCommand(['steady', 'start-up']).exitOverride();
  return parseBenchOptions(command.configureOutput({ writeErr: () => undefined }), args);
};

test('without options everything is measured, profiles included', () => {
  expect(parse()).toEqual({
    only: [],
    cpuProf: true,
    mappings: [100, 1000],
    perInstance: 10,
    clusters: 1,
    fleetMappings: 10_000,
    fleetClusters: 50,
    services: [200, 1000],
    runtimes: 5000,
    runtimesBurst: 500,
  });
});

test('part of the measurements is profiled only on request', () => {
  const both = ['--only', 'steady', '--only', 'start-up'];
  expect(parse(...both)).toMatchObject({ only: ['steady', 'start-up'], cpuProf: false });
  expect(parse(...both, '--cpu-prof')).toMatchObject({ cpuProf: true });
});

test('sizes are configurable', () => {
  const args = ['--mappings', '100,10000', '--per-instance', '20', '--fleet-clusters', '8'];
  expect(parse(...args)).toMatchObject({ mappings: [100, 10_000], perInstance: 20, fleetClusters: 8 });
});

test.each([
  ['an unknown measurement', ['--only', 'speed'], /speed.*steady, start-up/],
  ['a size that is no number', ['--clusters', 'many'], /--clusters.*whole number above zero/],
  ['a size of none', ['--mappings', '0'], /--mappings.*whole number above zero/],
  ['sizes that fall, since the last one is taken for the largest', ['--mappings', '1000,100'], /must rise/],
])('refused is %s', (_what, args, message) => {
  expect(() => parse(...args)).toThrow(message);
});

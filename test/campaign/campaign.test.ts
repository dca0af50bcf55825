import { expect, test } from '@jest/globals';
import { campaign, progressOf, propertyCampaign } from './campaign.ts';

const short = { seed: 1, runs: 2 };

test('a campaign is short and always alike, unless the environment gives seed and number of runs', () => {
  expect(campaign(short, {})).toEqual({ seed: 1, runs: 2, long: false });
  expect(campaign(short, { FAULTS_SEED: '9', FAULTS_RUNS: '300' })).toEqual({
    seed: 9,
    runs: 300,
    long: true,
  });
});

test('a campaign of a property has another seed each time in its short form', () => {
  expect(propertyCampaign(20, {})).toEqual({ numRuns: 20 });
  expect(propertyCampaign(20, { FAULTS_SEED: '9', FAULTS_RUNS: '300' })).toEqual({ numRuns: 300, seed: 9 });
});

test('a number that cannot be read is an error, not the short campaign', () => {
  expect(() => campaign(short, { FAULTS_SEED: 'x', FAULTS_RUNS: '1' })).toThrow('FAULTS_SEED');
});

test('a long campaign says once a minute how far it is, a short one says nothing', () => {
  const lines: string[] = [];
  let now = 0;
  const options = { now: () => now, write: (line: string) => void lines.push(line) };
  const long = progressOf('rounds', { runs: 9, long: true }, options);
  const brief = progressOf('brief', { runs: 9, long: false }, options);
  for (now = 0; now < 150_000; now += 25_000) {
    long();
    brief();
  }
  expect(lines).toEqual(['rounds: 4 of 9 runs\n']);
});

import { expect, test } from '@jest/globals';
import { campaign, propertyCampaign } from './campaign.ts';

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

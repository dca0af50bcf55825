import { expect, test } from '@jest/globals';
import { Command } from 'commander';
import { addGroups, boolean, duration, type FlagGroup, joinGroups } from './flag.ts';

const poll = duration('1m', '1s', '24h', 'how often');
const groups = [
  { heading: 'Options:', flags: { poll } },
  { heading: 'Options of the module a:', flags: { 'token-cache': boolean(true, 'keep tokens') } },
];

test('groups are joined into one table, and stand under their headings in the help', () => {
  expect(Object.keys(joinGroups(groups))).toEqual(['poll', 'token-cache']);
  const help = addGroups(new Command('start'), groups).helpInformation();
  const [, own = '', module = ''] = help.split(/^Options.*:$/m);
  expect(own).toContain('--poll');
  expect(module).toContain('--token-cache');
  expect(help).toContain('\nOptions of the module a:\n');
});

const collisions: { of: string; flags: FlagGroup['flags']; name: string }[] = [
  { of: 'a flag', flags: { poll }, name: '--poll' },
  { of: 'a variable', flags: { other: { ...poll, env: 'PROVIDER_KYMA_POLL' } }, name: 'PROVIDER_KYMA_POLL' },
];
test.each(collisions)('$of in two groups is refused with both owners', ({ flags, name }) => {
  const both = [...groups, { heading: 'Options of the module b:', flags }];
  const refusal = `${name} is in "Options:" and in "Options of the module b:"`;
  expect(() => joinGroups(both)).toThrow(refusal);
  expect(() => addGroups(new Command('start'), both)).toThrow(refusal);
});

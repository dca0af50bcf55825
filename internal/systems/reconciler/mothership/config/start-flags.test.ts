import { expect, test } from '@jest/globals';
import { joinGroups } from '../../../../framework/process/flag.ts';
import { mothershipGroups } from './start-flags.ts';

const { 'shoot-link': flag } = joinGroups(mothershipGroups);

test.each([
  ['', true],
  ['https://dashboard.example.org/shoots/{name}', true],
  ['http://localhost:8080/?of={name}', true],
  ['https://dashboard.example.org/shoots', false],
  ['dashboard.example.org/{name}', false],
  ['javascript:alert("{name}")', false],
])('the address of links %j: allowed %j', (text, isAllowed) => {
  if (flag?.form === undefined) throw new Error('no form');
  expect(flag.form.accepts(text)).toBe(isAllowed);
});

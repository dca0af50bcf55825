import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { machine } from './machine.ts';

test('the table of states in README.md is that of the code', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const [, section = ''] = /## States\n([\s\S]*?)\n## /.exec(readme) ?? [];
  const documented = [...section.matchAll(/^\| (\w+) \| .+ \| ([^|]+) \|$/gm)]
    .map(([, state = '', next = '']) => [state, next === '-' ? [] : next.split(', ')])
    .filter(([state]) => state !== 'state');
  const inCode = Object.entries(machine).map(([state, { next }]) => [state, [...next]]);
  expect(documented).toEqual(inCode);
});

test('every state can be reached, and no state leads back to one before it', () => {
  const names = Object.keys(machine);
  const followers = Object.values(machine).flatMap(({ next }) => next);
  expect(names.filter((name) => name !== 'TakeSnapshot' && !followers.some((each) => each === name))).toEqual(
    [],
  );
  for (const [name, { next }] of Object.entries(machine))
    for (const each of next)
      expect([name, each, names.indexOf(each) > names.indexOf(name)]).toEqual([name, each, true]);
});

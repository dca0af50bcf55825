import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { followers } from './run.ts';

test('the table of states in README.md is that of the code', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const [, section = ''] = /## States\n([\s\S]*?)\n## /.exec(readme) ?? [];
  const documented = [...section.matchAll(/^\| (\w+) \| .+ \| ([^|]+) \|$/gm)]
    .map(([, state = '', next = '']) => [state, next === '-' ? [] : next.split(', ')])
    .filter(([state]) => state !== 'state');
  const inCode = Object.entries(followers).map(([state, next]) => [state, [...next]]);
  expect(documented).toEqual(inCode);
});

test('every state can be reached, and no state leads back to one before it', () => {
  const names = Object.keys(followers);
  const reached: readonly string[] = Object.values(followers).flat();
  expect(names.filter((name) => name !== 'TakeSnapshot' && !reached.includes(name))).toEqual([]);
  for (const [name, next] of Object.entries(followers))
    for (const each of next)
      expect([name, each, names.indexOf(each) > names.indexOf(name)]).toEqual([name, each, true]);
});

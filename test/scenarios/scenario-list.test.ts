import { describe, expect, test } from '@jest/globals';
import { checkScenarios, contract, readScenarios } from './scenario-list.ts';

const complete = contract.map((id) => `${id}: '[${id}] title'`).join('\n');
const sources = (...lines: string[]) =>
  new Map([
    ['all.test.ts', contract.map((id) => `test('[${id}] title', () => {});`).join('\n')],
    ['more.test.ts', lines.join('\n')],
  ]);
const without = (id: string) => complete.replace(`${id}: '[${id}] title'`, '').trim();

describe('the list of scenarios', () => {
  test('is fine if every scenario names its tests', () => {
    expect(checkScenarios(complete, sources())).toEqual([]);
  });

  test.each([
    {
      title: 'a missing scenario',
      list: without('300'),
      want: ['scenario 300 is missing', '"[300] title" is not listed'],
    },
    {
      title: 'an unknown scenario',
      list: `${complete}\n301: '[1] title'`,
      want: ['there is no scenario 301'],
    },
    {
      title: 'one that is in a range as well',
      list: `${complete}\n89-89: { reason: it belongs to another issue }`,
      want: ['scenario 89 is listed twice'],
    },
    {
      title: 'a test that does not exist',
      list: complete.replace("'[2] title'", "['[2] title', '[2] lost']"),
      want: ['no test of scenario 2 is called "[2] lost"'],
    },
    {
      title: 'a part of a title',
      list: complete.replace("'[2] title'", "['[2] title', '[2] tit']"),
      want: ['no test of scenario 2 is called "[2] tit"'],
    },
  ])('is at fault with $title', ({ list, want }) => {
    const problems = checkScenarios(list, sources());
    expect(problems).toHaveLength(want.length);
    for (const text of want) expect(problems.join('\n')).toContain(text);
  });

  test('rejects a test with the number of a scenario that does not list it', () => {
    const claim = 'test("[7b] [9] it\'s another", () => {});';
    expect(checkScenarios(complete, sources(claim))).toEqual([
      'more.test.ts: "[7b] [9] it\'s another" is not listed under scenario 7b',
      'more.test.ts: "[7b] [9] it\'s another" is not listed under scenario 9',
    ]);
  });

  test('accepts no key twice, no empty entry and no reason without content', () => {
    expect(() => readScenarios("1: 'a'\n1: 'b'")).toThrow('unique');
    for (const value of ['', '[]', '{ reason: none }', '{ because: it is not needed at all }']) {
      expect(() => readScenarios(`1: ${value}`)).toThrow('scenario 1 has neither');
    }
  });

  test('reads ranges', () => {
    const [first, , last] = readScenarios('89-91: { reason: they belong to another issue }');
    expect([first?.id, last?.id]).toEqual(['89', '91']);
    const ids = readScenarios('B9-B10: { reason: they belong to another issue }').map(({ id }) => id);
    expect(ids).toEqual(['B9', 'B10']);
  });
});

import { describe, expect, test } from '@jest/globals';
import { checkScenarios, contract, readScenarios } from './scenario-list.ts';

const numbered = (id: string) => /^[BINR]?\d+b?$/.test(id);
/** Those whose number no title can carry. */
const complete = contract
  .filter((id) => !numbered(id))
  .map((id) => `${id}: 'title of ${id}'`)
  .join('\n');
const sources = (...left: string[]) => {
  const titles = contract.map((id) => (numbered(id) ? `[${id}] title` : `title of ${id}`));
  const lines = titles.filter((title) => !left.includes(title)).map((title) => `test('${title}', () => {});`);
  return new Map([['all.test.ts', [...lines, 'test("[7b] [9] it\'s another", () => {});'].join('\n')]]);
};

describe('the list of scenarios', () => {
  test('is fine if each scenario has a test with its number, or names its tests', () => {
    expect(checkScenarios(complete, sources())).toEqual([]);
    expect(checkScenarios(complete, sources('[9] title'))).toEqual([]);
    expect(
      checkScenarios(`${complete}\n2: { reason: it belongs to another issue }`, sources('[2] title')),
    ).toEqual([]);
  });

  test.each([
    { title: 'a missing scenario', left: '[300] title', want: 'scenario 300 is missing' },
    { title: 'an unknown scenario', more: "301: 'title of A1'", want: 'there is no scenario 301' },
    {
      title: 'one that is in a range as well',
      more: ['89', '89-89'].map((key) => `${key}: { reason: it belongs to another issue }`).join('\n'),
      want: 'scenario 89 is listed twice',
    },
    { title: 'a test that does not exist', more: '2: lost', want: 'no test of scenario 2 is called "lost"' },
    { title: 'a part of a title', more: '2: title', want: 'no test of scenario 2 is called "title"' },
    {
      title: 'an entry that a title makes superfluous',
      more: '9: "[7b] [9] it\'s another"',
      want: '"[7b] [9] it\'s another" has the number of scenario 9 and is listed as well',
    },
  ])('is at fault with $title', ({ left = '', more = '', want }) => {
    expect(checkScenarios(`${complete}\n${more}`, sources(left))).toEqual([want]);
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

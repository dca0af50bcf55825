import { describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { age, type Columns, due, printedList } from './output.ts';

const NOW = Date.UTC(2026, 0, 2);
const before = (ms: number) => new Date(NOW - ms).toISOString();

test.each([
  { ms: 0, want: '0s' },
  { ms: 119_000, want: '119s' },
  { ms: 120_000, want: '2m' },
  { ms: 7_199_000, want: '119m' },
  { ms: 7_200_000, want: '2h' },
  { ms: 3 * 86_400_000, want: '3d' },
  { ms: -5000, want: '0s' },
])('an age of $ms ms is $want', ({ ms, want }) => {
  expect(age(before(ms), NOW)).toBe(want);
});

test.each([
  { time: undefined, want: '' },
  { time: 'soon', want: '' },
  { time: before(1), want: 'now' },
  { time: before(-300_000), want: '5m' },
])('a run at $time is due in $want', ({ time, want }) => {
  expect(due(time, NOW)).toBe(want);
});

describe('a list', () => {
  const columns: Columns<{ readonly id: string; readonly note?: string }> = {
    headings: ['ID'],
    wideHeadings: ['NOTE'],
    cells: ({ id, note }) => [id, note],
  };
  const items = [{ id: 'a', note: 'x\u001b[2J' }, { id: 'longer' }];

  test('is a table, with more columns as wide', () => {
    expect(printedList('table', items, columns)).toBe('ID\na\nlonger\n');
    expect(printedList('wide', items, columns)).toBe('ID      NOTE\na       x\\e[2J\nlonger  -\n');
  });

  test('has no headings when it continues one', () => {
    expect(printedList('table', items, columns, false)).toBe('a\nlonger\n');
  });

  test('is JSON and YAML for programs, with escaped texts', () => {
    expect(JSON.parse(printedList('json', items, columns))).toEqual(items);
    expect(printedList('yaml', [{ id: 'a' }], columns)).toBe('- id: a\n');
  });

  test('of changes is YAML with a document for each', () => {
    const text = [[], [{ id: 'a' }], [{ id: 'b' }]].map((changed, index) =>
      printedList('yaml', changed, columns, index === 0),
    );
    const documents = parseAllDocuments(text.join(''));
    expect([...documents].map((document) => document.toJS())).toEqual([[], [{ id: 'a' }], [{ id: 'b' }]]);
  });
});

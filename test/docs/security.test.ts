import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';

const root = new URL('../../', import.meta.url);
const page = await readFile(new URL('docs/security.md', root), 'utf8');
const section = page.split('## Threats and defences\n')[1]?.split('\n## ')[0] ?? '';
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) => {
    const [threat = '', defence = '', tests = ''] = line.slice(2, -2).split(' | ');
    return { threat, defence, tests };
  });

interface NamedTest {
  readonly path: string;
  /** Undefined: any test of the file. */
  readonly title?: string;
}

/** `path` › title; › another title; `path`, `path` */
function testsIn(cell: string): NamedTest[] {
  let path = '';
  return cell.split(/; |, (?=`)/).map((part) => {
    const [file = '', title] = part.split(/ ?› /);
    path = /^`(.*)`$/.exec(file)?.[1] ?? path;
    return title === undefined ? { path } : { path, title };
  });
}

test('the table has threats, each with a defence', () => {
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter(({ defence }) => defence === '')).toEqual([]);
});

describe.each(rows)('$threat', ({ tests }) => {
  const named = testsIn(tests);

  test('has tests', () => {
    expect(named.length).toBeGreaterThan(0);
  });

  test.each(named)('$path $title', async ({ path, title }) => {
    expect(path).toMatch(/\.test\.ts$/);
    const source = await readFile(new URL(path, root), 'utf8');
    expect(source).toMatch(/\btest(\.\w+)*[(<]/);
    if (title !== undefined) expect(source.replaceAll('\\', '')).toContain(title);
  });
});

import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';

const root = new URL('../../', import.meta.url);
const page = await readFile(new URL('docs/security.md', root), 'utf8');

/** The rows of the table of a section: its first column, its last but one, and its last one, which names tests. */
const rowsOf = (title: string) =>
  (page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => {
      const cells = line.slice(2, -2).split(' | ');
      return { threat: cells[0] ?? '', defence: cells.at(-2) ?? '', tests: cells.at(-1) ?? '' };
    });
const threats = rowsOf('Threats and defences');
const entries = rowsOf('Entries and their bounds');
const tenancy = rowsOf('Who may name what');
const shares = rowsOf('Shares of tenants');
const rows = [...threats, ...entries, ...tenancy, ...shares];

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

test('the tables have threats and entries, each with a defence', () => {
  expect(threats.length).toBeGreaterThan(30);
  expect(entries.length).toBeGreaterThan(10);
  expect(tenancy.length).toBeGreaterThan(10);
  expect(rows.filter(({ defence }) => defence === '')).toEqual([]);
});

test('each tenant has a share of each resource', () => {
  const resources = ['CPU', 'memory', 'slots', 'storage', 'series', 'names', 'credentials'];
  const cells = shares.map(({ threat }) => threat.split(': '));
  const tenants = [...new Set(cells.map(([tenant]) => tenant))];
  expect(tenants).toHaveLength(6);
  expect(cells).toEqual(tenants.flatMap((tenant) => resources.map((resource) => [tenant, resource])));
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

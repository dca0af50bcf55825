import { access } from 'node:fs/promises';
import { posix } from 'node:path';
import { expect, test } from '@jest/globals';
import { allPages, anchorsOf, type Page } from './pages.ts';

const root = new URL('../../', import.meta.url);
const pages = await allPages();
const byPath = new Map(pages.map((page) => [page.path, page]));

interface Link {
  readonly from: string;
  /** From the root of the repository; the page itself where a link names a heading alone. */
  readonly path: string;
  readonly anchor?: string | undefined;
}

/** Links to files and headings, without those to other hosts. */
function localLinks({ path, text }: Page): Link[] {
  const prose = text.replace(/^( *)```[\s\S]*?^\1```$/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [file = '', anchor] = target.split('#');
    return [{ from: path, path: file === '' ? path : posix.join(posix.dirname(path), file), anchor }];
  });
}

const links = pages.flatMap(localLinks);

test('every link between pages leads to a file', async () => {
  const broken: string[] = [];
  for (const { from, path } of links) {
    await access(new URL(path, root)).catch(() => broken.push(`${from}: ${path}`));
  }
  expect(links.length).toBeGreaterThan(100);
  expect(broken).toEqual([]);
});

test('every link to a heading leads to one', () => {
  const toHeadings = links.filter(({ anchor }) => anchor !== undefined);
  const broken = toHeadings.filter(({ path, anchor = '' }) => {
    const page = byPath.get(path);
    return page === undefined || !anchorsOf(page).has(anchor);
  });
  expect(toHeadings.length).toBeGreaterThan(10);
  expect(broken).toEqual([]);
});

test('every page of docs can be reached from its index', () => {
  const reached = new Set(['docs/README.md']);
  // A set goes on over what is added meanwhile.
  for (const path of reached) {
    for (const link of links) if (link.from === path && byPath.has(link.path)) reached.add(link.path);
  }
  const docs = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
  expect(docs.filter((path) => !reached.has(path))).toEqual([]);
});

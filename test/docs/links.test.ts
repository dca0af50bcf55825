import { access, readdir, readFile } from 'node:fs/promises';
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

test('links of the pages that the packed library has for authors lead to files that it has too', async () => {
  const { files }: { files: string[] } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const isPacked = (path: string) => files.some((file) => path === file || path.startsWith(`${file}/`));
  const ofAuthors = links.filter(
    ({ from }) =>
      isPacked(from) &&
      /^docs\/(?:authors\/|api\/|provider-authors)|^examples\/|\/framework\/rest\//.test(from),
  );
  expect(ofAuthors.length).toBeGreaterThan(50);
  const left = ofAuthors.filter(({ path }) => !isPacked(path.replace(/\/$/, '')));
  expect(left.map(({ from, path }) => `${from}: ${path}`)).toEqual([]);
});

/** Of the code and its tests: texts of users, examples and generated programs name files of their own. */
const ofCode = pages.filter(({ path }) => /^(internal|test)\/|^CONTRIBUTING|^docs\/reliability/.test(path));

test('every file and folder of the code that a page names in its tables exists', async () => {
  const folders = await Promise.all(
    ['internal', 'test', 'hack', 'apis'].map(async (folder) =>
      (await readdir(new URL(folder, root), { recursive: true })).map((path) => `${folder}/${path}`),
    ),
  );
  const existing = folders.flat().filter((path) => !path.includes('node_modules/'));
  /** Of a chart, or beside the page or below it; in other folders by the end of its path. */
  const exists = (page: string, name: string) => {
    if (name === 'charts') return true;
    const beside = page.startsWith('internal/') ? `${posix.dirname(page)}/` : '';
    const isAt = (path: string) =>
      `/${path}/`.endsWith(`/${name}/`) && (path.startsWith(beside) || name.includes('/'));
    return existing.some(isAt);
  };
  const missing = ofCode.flatMap(({ path, text }) =>
    [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*)(\/|\.ts)`/g)].flatMap(([, name = '', end]) => {
      const named = end === '/' ? name : `${name}.ts`;
      return exists(path, named) ? [] : [`${path}: ${named}`];
    }),
  );
  expect(missing).toEqual([]);
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

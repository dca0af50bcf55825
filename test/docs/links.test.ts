import { access, glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';

const root = new URL('../../', import.meta.url).pathname;

/** Links to files, without those to other hosts and to headings of the same page. */
function localLinks(markdown: string): string[] {
  const prose = markdown.replace(/```[\s\S]*?```/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) =>
    /^([a-z]+:|#)/.test(target) ? [] : [target.replace(/#.*$/, '')],
  );
}

test('every link between pages leads to a file', async () => {
  const broken: string[] = [];
  const pages = glob(['*.md', '{apis,docs,examples,hack,internal,package,test}/**/*.md'], {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  });
  let links = 0;
  for await (const page of pages) {
    for (const target of localLinks(await readFile(join(root, page), 'utf8'))) {
      links++;
      await access(join(root, dirname(page), target)).catch(() => broken.push(`${page}: ${target}`));
    }
  }
  expect(links).toBeGreaterThan(5);
  expect(broken).toEqual([]);
});

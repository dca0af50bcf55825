/** A component reconciler of one's own, by docs/components/library.md: the program of the page with the packed library, on a real cluster. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMaps } from '../../../internal/framework/kube/object/resource-type.ts';
import { createPageCommands, type PageCommands } from '../../docs/page-commands.ts';
import { objectsOf } from '../../environment/objects.ts';
import { controlPlanes } from '../harness/control-planes/control-planes.ts';
import { noKubectlBecause } from '../harness/user-shell/user-shell.ts';
import { type AuthorFolder, createAuthorFolder } from './author-folder.ts';
import { blocksOf } from './page-code.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = 'docs/components/library.md';

const missing = noKubectlBecause();
if (missing !== undefined) process.stderr.write(`left out: the page of the library; ${missing}\n`);
const withKubectl = missing === undefined ? test : test.skip;

let page: PageCommands;
let author: AuthorFolder;
beforeAll(async () => {
  author = await createAuthorFolder();
  page = await createPageCommands(PAGE, {
    // The library is installed already: no registry is needed.
    programs: {
      npm: '#!/bin/sh\n',
      node: `#!/bin/sh\nexec '${process.execPath}' "$@"\n`,
    },
  });
});
afterAll(async () => {
  await page?.close();
  await author?.remove();
});

withKubectl(
  'the program of the page deploys the chart with the values of its action, and a second time the same',
  async () => {
    const { kyma } = await controlPlanes();
    page.env.KUBECONFIG = kyma.kubeconfigPath;
    const folder = join(page.folder, 'program');
    await cp(join(author.path, 'node_modules'), join(folder, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    await mkdir(join(page.folder, 'examples'));
    await cp(join(ROOT, 'examples/mothership'), join(page.folder, 'examples/mothership'), {
      recursive: true,
    });
    const programs = blocksOf(await readFile(join(ROOT, PAGE), 'utf8')).filter((code) =>
      code.includes('ComponentActions'),
    );
    expect(programs).toHaveLength(1);
    await writeFile(join(folder, 'own.mts'), programs.join(''));

    const text = 'hello from a cluster for production';
    const first = await page.execute('node own.mts');
    expect(first).toMatch(/^hello success/m);
    expect(first.trim().split('\n').slice(-2)).toEqual(['ready', text]);
    const stored = () => objectsOf(kyma).get(configMaps, { namespace: 'hello', name: 'hello' });
    const before = await stored();
    expect(before.data).toEqual({ text });
    expect(await page.execute('node own.mts')).toContain(`ready\n${text}`);
    expect((await stored()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  },
);

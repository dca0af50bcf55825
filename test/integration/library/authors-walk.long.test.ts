/**
 * The walk of docs/authors/README.md, by its own commands: a document becomes a project, kinds, tests and a package. `npm install` links what
 * npm would install, and the base image is made of the Node that runs this.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { readDockerArchive } from '../../../hack/xpkg/images/docker-archive.ts';
import { writeOciLayout } from '../../../hack/xpkg/images/oci-layout.ts';
import { nodeBaseImage } from '../harness/provider/node-base-image.ts';
import { type AuthorFolder, createAuthorFolder } from './author-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');

let author: AuthorFolder;
/** Where the commands run; `cd` changes it. */
let folder: string;
/** By command what it printed. */
const printed = new Map<string, string>();

/** The commands of a page that an author runs on the own machine, up to those for a cluster. */
async function commandsOf(page: string): Promise<string[]> {
  const [text = ''] = (await readFile(join(ROOT, page), 'utf8')).split('### 5. The cluster');
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.trim().split('\n'));
}

async function run(command: string): Promise<void> {
  const words = command.split(' ');
  const kit = words.indexOf('provider-kyma-kit');
  if (command === 'make build' || command === 'npm pack') return;
  if (words[0] === 'cd') folder = resolve(folder, words[1] ?? '');
  else if (words[0] === 'npx' && kit !== -1)
    await expectSuccess(command, author.kit(words.slice(kit + 1), folder));
  else if (command === 'npm install') await install();
  else if (command === 'npm test') {
    const { scripts }: { scripts: { test: string } } = JSON.parse(
      await readFile(join(folder, 'package.json'), 'utf8'),
    );
    await expectSuccess(command, author.kit(scripts.test.split(' ').slice(1), folder));
  } else if (words[0] === 'crane' && words[1] === 'pull')
    await writeOciLayout(join(folder, words.at(-1) ?? ''), [await nodeBaseImage()], {
      annotations: {},
      tag: 'base',
    });
  else throw new Error(`the test does not know the command ${command}`);
}

async function expectSuccess(
  command: string,
  result: Promise<{ code: number; output: string }>,
): Promise<void> {
  const { code, output } = await result;
  printed.set(command, output);
  expect({ command, code, output: code === 0 ? '' : output }).toEqual({ command, code: 0, output: '' });
}

/** The library is in a folder around that of the project, where Node finds it too. */
async function install(): Promise<void> {
  const manifest: { dependencies: Record<string, string> } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  expect(manifest.dependencies).toEqual({ 'provider-kyma': 'file:../provider-kyma-0.1.0.tgz' });
}

beforeAll(async () => {
  author = await createAuthorFolder();
  folder = author.path;
  await mkdir(join(folder, 'docs/authors'), { recursive: true });
  await cp(join(ROOT, 'docs/authors/notes.openapi.yaml'), join(folder, 'docs/authors/notes.openapi.yaml'));
  await writeFile(join(folder, 'provider-kyma-0.1.0.tgz'), '');
});
afterAll(() => author?.remove());

test('the commands of the walk succeed, one after the other', async () => {
  const commands = await commandsOf('docs/authors/README.md');
  expect(commands.length).toBeGreaterThan(7);
  for (const command of commands) await run(command);
}, 300_000);

test('the page shows what init prints and writes', async () => {
  const page = await readFile(join(ROOT, 'docs/authors/README.md'), 'utf8');
  const [, summary = ''] = [...printed].find(([command]) => command.includes(' init ')) ?? [];
  const lines = (text: string) =>
    text.split('\n').filter((line) => /^ {2}(?:complete|no update|read by list|needs|no kind)/.test(line));
  expect(lines(page)).toEqual(lines(summary));
  const shown = /```yaml\n([\s\S]*?)```/.exec(page)?.[1]?.replace(/^ {2}sha256: .*\n/m, '') ?? 'none';
  const written = (await readFile(join(folder, 'provider.yaml'), 'utf8')).replace(/^ {2}sha256: .*\n/m, '');
  expect(written).toContain(shown);
});

test('each kind was tested in both scopes', () => {
  const output = printed.get('npm test') ?? '';
  for (const kind of ['Folder', 'Note', 'Token'])
    for (const scope of ['cluster', 'namespaced']) expect(output).toContain(`${kind}, ${scope}`);
  expect(/^. fail (\d+)$/m.exec(output)?.[1]).toBe('0');
});

test('the project compiles, and its generated files are current', async () => {
  expect(await author.tsc(folder)).toEqual({ code: 0, output: '' });
  expect(await author.kit(['generate', '--check'], folder)).toMatchObject({ code: 0 });
  expect(await author.kit(['upgrade', '--check'], folder)).toEqual({
    code: 0,
    output: 'everything is current\n',
  });
});

test('the package has the CRDs of all kinds, and an image that starts the provider', async () => {
  const stream = await readFile(join(folder, 'dist/package.yaml'), 'utf8');
  const names = parseAllDocuments(stream).map((document) => document.getIn(['metadata', 'name']));
  expect(names).toEqual(
    expect.arrayContaining([
      'provider-notes',
      ...['folders', 'notes', 'tokens'].flatMap((plural) => [
        `${plural}.notes.example.org`,
        `${plural}.notes.m.example.org`,
      ]),
    ]),
  );
  const [image] = await readDockerArchive(await readFile(join(folder, 'dist/provider-notes.xpkg')));
  expect(image?.config.config?.Entrypoint?.at(-1)).toBe('/provider-notes/provider-notes.mjs');
  expect(existsSync(join(folder, 'dist/oci/index.json'))).toBe(true);
  // Flags are read before anything else, without the modules of the project.
  const alone = await mkdtemp(join(tmpdir(), 'provider-notes-'));
  await cp(join(folder, 'dist/provider-notes.mjs'), join(alone, 'provider-notes.mjs'));
  const { code, output } = await author.node(['provider-notes.mjs', '--help'], alone);
  await rm(alone, { recursive: true });
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('--leader-election') });
});

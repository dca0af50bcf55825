import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { crdsOf } from '../../../internal/framework/rest/fakes/example-cases.ts';
import { exampleCases, restCases } from '../../../internal/framework/rest/fakes/index.ts';
import type { RestProvider } from '../../../internal/framework/rest/index.ts';
import { generateProject } from './generate-project.ts';
import { readProject } from './read-project.ts';

const testdata = join(import.meta.dirname, '../testdata');

/** The generated project of an example in a folder of its own, as an author has it. */
async function writtenExample(name: string) {
  const root = await mkdtemp(join(tmpdir(), `kit-${name}-`));
  const author = await readProject(join(testdata, name));
  const { outputs } = await generateProject(author);
  for (const [path, text] of outputs) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const module: { provider: RestProvider } = await import(pathToFileURL(join(root, 'kinds.gen.ts')).href);
  return { name, root, author, outputs, provider: module.provider };
}

const written = await Promise.all((await readdir(testdata)).sort().map(writtenExample));
afterAll(() => Promise.all(written.map(({ root }) => rm(root, { recursive: true, force: true }))));

describe.each(written)('$name', ({ name, root, author, outputs, provider }) => {
  test('needs at most 100 lines of an author for three kinds', async () => {
    const text = await readFile(join(testdata, name, 'provider.yaml'), 'utf8');
    expect([author.kinds.length, text.trimEnd().split('\n').length <= 100]).toEqual([3, true]);
  });

  test('is generated in the same way each time', async () => {
    const again = await generateProject(await readProject(join(testdata, name)));
    expect([...again.outputs]).toEqual([...outputs]);
  });

  const examples = exampleCases(root);
  test('has an example of each kind and scope, which the CRDs accept', async () => {
    const names = [...author.kinds.map(({ kind }) => kind), 'ProviderConfig'];
    const wanted = names.flatMap((kind) => ['cluster', 'namespaced'].map((scope) => `${kind}, ${scope}`));
    expect(examples.map(({ kind, scope }) => `${kind}, ${scope}`).sort()).toEqual(wanted.sort());
    for (const { run } of examples) await run();
  });

  const samples = Object.fromEntries(author.kinds.map(({ kind, sample }) => [kind, sample]));
  // Both scopes for one kind of one example: what differs between them is the framework's.
  const all = restCases(provider, samples, crdsOf(root));
  const cases = Map.groupBy(
    all.filter(
      ({ kind, scope }) => scope === 'namespaced' || (kind === all[0]?.kind && name === written[0]?.name),
    ),
    ({ kind, scope }) => `${kind}, ${scope}`,
  );
  describe.each([...cases.keys()])('%s', (title) => {
    test.each((cases.get(title) ?? []).map((each) => ({ title: each.name, ...each })))('$title', ({ run }) =>
      run(),
    );
  });
});

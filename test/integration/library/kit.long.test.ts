/** `provider-kyma-kit generate`, `test` and `eject` of the packed library, in the folder of an author. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type AuthorFolder, createAuthorFolder } from './author-folder.ts';

const EXAMPLE = join(import.meta.dirname, '../../../hack/kit/testdata/swagger');

let author: AuthorFolder;
beforeAll(async () => {
  author = await createAuthorFolder();
  for (const file of ['provider.yaml', 'openapi.yaml'])
    await author.write(file, await readFile(join(EXAMPLE, file), 'utf8'));
  await author.write('package.json', '{ "type": "module" }');
  await author.write(
    'tsconfig.json',
    await readFile(join(EXAMPLE, '../../../../examples/hello-provider/tsconfig.json'), 'utf8'),
  );
});
afterAll(() => author.remove());

const hooks = `import type { Hooks } from './kinds.gen.ts';

export const hooks: Hooks = {
  Folder: {
    request: (body, folder, operation) =>
      operation === 'update' ? { ...body, title: body.title ?? folder.metadata.name, overwrite: true } : body,
    observed: (external) => ({ ...external, title: external.title?.trim() }),
    diff: (_folder, external) => (external.version === 0 ? 'the folder has no version' : undefined),
  },
};
`;

test('makes a provider whose types and tests pass', async () => {
  expect(await author.kit(['generate'])).toMatchObject({
    code: 0,
    output: expect.stringContaining('wrote main.ts'),
  });
  expect(await author.kit(['generate', '--check'])).toMatchObject({ code: 0 });
  expect(await author.tsc()).toEqual({ code: 0, output: '' });
  const { code, output } = await author.kit(['test']);
  expect([code, /pass (\d+)/.exec(output)?.[1] !== '0', /fail 0/.test(output)]).toEqual([0, true, true]);
});

test('has hooks with the types of the document', async () => {
  await author.write('hooks.ts', hooks);
  expect(await author.kit(['generate', '--check'])).toMatchObject({
    code: 1,
    output: expect.stringContaining('kinds.gen.ts (differs)'),
  });
  await author.kit(['generate']);
  expect(await author.tsc()).toEqual({ code: 0, output: '' });
  await author.write('hooks.ts', hooks.replace('external.version', 'external.versoin'));
  expect((await author.tsc()).output).toContain('versoin');
  await author.write('hooks.ts', hooks);
  expect(await author.kit(['test', '--kind', 'Folder'])).toMatchObject({
    code: 0,
    output: expect.stringContaining('fail 0'),
  });
});

test('makes a kind one that is written by hand, with the same tests', async () => {
  expect(await author.kit(['eject', 'Folders'])).toMatchObject({
    code: 1,
    output: expect.stringContaining('did you mean Folder?'),
  });
  expect(await author.kit(['eject', 'Folder'])).toMatchObject({
    code: 0,
    output: expect.stringContaining('wrote kinds/folder.ts'),
  });
  expect(await author.kit(['generate'])).toMatchObject({ code: 0 });
  expect(await author.tsc()).toEqual({ code: 0, output: '' });
  expect(await author.kit(['test', '--kind', 'Folder'])).toMatchObject({
    code: 0,
    output: expect.stringContaining('fail 0'),
  });
  // What is written by hand is what is tested.
  const code = await readFile(join(author.path, 'kinds/folder.ts'), 'utf8');
  await author.write(
    'kinds/folder.ts',
    code.replace('client.update(folder, context)', 'Promise.resolve({})'),
  );
  expect(await author.kit(['test', '--kind', 'Folder'])).toMatchObject({ code: 1 });
});

test.each(['tasks', 'jsonapi', 'registry'])(
  'all kinds of testdata/%s pass on a real API server',
  async (name) => {
    const project = `provider-${name}`;
    for (const file of ['provider.yaml', 'openapi.yaml'])
      await author.write(join(project, file), await readFile(join(EXAMPLE, '..', name, file), 'utf8'));
    await author.write(join(project, 'package.json'), '{ "type": "module" }');
    const folder = join(author.path, project);
    expect(await author.kit(['generate'], folder)).toMatchObject({ code: 0 });
    const { code, output } = await author.kit(['test', '--control-plane'], folder);
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    expect(Number(/pass (\d+)/.exec(output)?.[1])).toBeGreaterThan(20);
  },
  300_000,
);

test('tests a kind, and its examples, on a real API server', async () => {
  const { code, output } = await author.kit(['test', '--kind', 'ServiceAccount', '--control-plane']);
  expect([code, /pass (\d+)/.exec(output)?.[1]]).toEqual([0, '7']);
  for (const scope of ['cluster', 'namespaced'])
    expect(output).toContain(`the CRD accepts examples/${scope}/serviceaccount.yaml`);
});

test('names that are near are printed, where no test matches', async () => {
  const only = (text: string) => author.kit(['test', '--only', text]);
  const near =
    '--only: no test has a name that matches lsot response; the nearest are\n  a create whose response was lost';
  expect(await only('lsot response')).toEqual({ code: 1, output: expect.stringContaining(near) });
  expect(await only('(')).toEqual({ code: 1, output: expect.stringMatching(/^--only: .*unterminated/i) });
  await author.write(
    'own.test.ts',
    "import { test } from 'node:test';\nimport process from 'node:process';\n\ntest('of its author', () => process.stdout.write('ran'));\n",
  );
  expect(await only('of its auth.r')).toMatchObject({
    code: 0,
    output: expect.stringContaining('✔ of its author'),
  });
  expect(await only('unheard')).toEqual({
    code: 1,
    output: '--only: no test has a name that matches unheard\n',
  });
  expect(await author.kit(['test', '--kind', 'Folder', '--only', 'of its author'])).toMatchObject({
    code: 1,
  });
});

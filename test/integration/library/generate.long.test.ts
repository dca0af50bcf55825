/** The generator as provider authors get it: in their own project, from the packed library. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { authorApis, authorOutputs, authorProvider } from './author-apis.ts';
import { type AuthorFolder, createAuthorFolder } from './author-folder.ts';

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  },
  include: ['**/*.ts'],
});

const bucketSource = 'apis/storage.example.org/v1/bucket.yaml';

let author: AuthorFolder;
beforeAll(async () => {
  author = await createAuthorFolder();
  await author.write('package.json', '{ "type": "module" }');
  await author.write('tsconfig.json', TSCONFIG);
});
afterAll(() => author.remove());

const textOf = (file: string) => readFile(join(author.path, file), 'utf8');

describe('provider-kyma-generate', () => {
  test('says what is missing in a project without sources', async () => {
    const { code, output } = await author.generate();
    expect({ code, output }).toEqual({
      code: 1,
      output: 'cannot generate: apis has no source <group>/<version>/<kind>.yaml\n',
    });
  });

  test.each([
    { args: ['--crd', 'x'], message: "Unknown option '--crd'" },
    { args: ['--crds', '../x'], message: '--crds: ../x is not a folder below the current one' },
    { args: ['--apis', '.'], message: '--apis: . is not a folder below the current one' },
  ])('refuses $args', async ({ args, message }) => {
    const { code, output } = await author.generate(args);
    expect(code).toBe(1);
    expect(output).toContain(message);
  });

  test('writes CRDs, types and webhook configurations, and then has nothing to do', async () => {
    for (const [path, text] of Object.entries(authorApis)) await author.write(path, text);
    const { code, output } = await author.generate();
    expect({ code, lines: output.trimEnd().split('\n').sort() }).toEqual({
      code: 0,
      lines: authorOutputs.map((path) => `wrote ${path}`),
    });
    expect(await author.generate()).toEqual({ code: 0, output: '' });
    expect(await author.generate(['--check'])).toEqual({ code: 0, output: '' });
  });

  test('makes types that compile with those of the framework', async () => {
    await author.write('provider.ts', authorProvider);
    expect(await author.tsc()).toEqual({ code: 0, output: '' });
  });

  test('fails a check after a source was changed or removed, and names the files', async () => {
    await author.write(bucketSource, (authorApis[bucketSource] ?? '').replace('Size in bytes', 'Bytes'));
    await author.write(
      'package/crds/old.yaml',
      await textOf('package/crds/storage.example.org_reports.yaml'),
    );
    expect(await author.generate(['--check'])).toEqual({
      code: 1,
      output: `generated files are not what their sources ask for; run \`npx provider-kyma-generate\`:
  ${authorOutputs[0]} (differs)
  package/crds/old.yaml (left over)
  ${authorOutputs[3]} (differs)
  ${authorOutputs[7]} (differs)
`,
    });
    expect((await author.generate()).output).toContain('removed package/crds/old.yaml');
    expect(await author.generate(['--check'])).toEqual({ code: 0, output: '' });
  });

  test('names file, line and column of an error in a source', async () => {
    await author.write(bucketSource, (authorApis[bucketSource] ?? '').replace('plural:', 'plurals:'));
    const { code, output } = await author.generate();
    expect(code).toBe(1);
    expect(output).toContain(`${bucketSource}:2:1: unknown key plurals;`);
  });

  test('takes other folders', async () => {
    const report = 'storage.example.org/v1/report.yaml';
    await author.write(`other/schemas/${report}`, authorApis[`apis/${report}`] ?? '');
    const { code, output } = await author.generate(['--apis', './other/schemas/', '--crds', 'crds']);
    expect({ code, output }).toEqual({
      code: 0,
      output:
        'wrote crds/storage.example.org_reports.yaml\nwrote other/schemas/storage.example.org/v1/report.gen.ts\n',
    });
  });
});

import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { temporaryFolders } from '../../../internal/framework/base/temporary-folder.fixture.ts';
import { sha256 } from '../format/provider-file.ts';

/** Each command is a process. */
jest.setTimeout(60_000);

const COMMAND = join(import.meta.dirname, '../command.ts');
const NOTES = join(import.meta.dirname, '../../../docs/authors/notes.openapi.yaml');

const folder = temporaryFolders('upgrade-');
let notes: string;
const kit = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
    cwd: folder(),
    encoding: 'utf8',
  });
  return { code: status, lines: `${stdout}${stderr}`.trimEnd().split('\n') };
};
const read = (file: string) => readFile(join(folder(), file), 'utf8');
/** The document with some texts replaced. */
async function changedDocument(
  ...changes: readonly (readonly [from: string, to: string])[]
): Promise<string> {
  const text = changes.reduce((document, [from, to]) => {
    expect(document).toContain(from);
    return document.replace(from, to);
  }, notes);
  await writeFile(join(folder(), 'next.yaml'), text);
  return text;
}

beforeAll(async () => {
  notes = await readFile(NOTES, 'utf8');
});
beforeEach(async () => {
  const kinds = ['Folder', 'Note', 'Token'].flatMap((kind) => ['--kind', kind]);
  const { code } = kit(
    'init',
    'notes',
    '--group',
    'notes.example.org',
    '--openapi',
    NOTES,
    '--folder',
    '.',
    ...kinds,
  );
  expect(code).toBe(0);
});

describe('files of init', () => {
  test('a new project is current', () => {
    expect(kit('upgrade', '--check')).toEqual({ code: 0, lines: ['everything is current'] });
  });

  test('one that an older version wrote gets its new form, one that the author changed stays', async () => {
    const record = JSON.parse(await read('.provider-kyma-kit.json'));
    const old = '// of an older version\n';
    const own = '// of the author\n';
    await writeFile(join(folder(), 'main.ts'), old);
    await writeFile(join(folder(), 'tsconfig.json'), own);
    const files = { ...record.files, 'main.ts': sha256(old), 'tsconfig.json': sha256(old) };
    await writeFile(
      join(folder(), '.provider-kyma-kit.json'),
      JSON.stringify({ ...record, version: '0.0.1', files }),
    );

    expect(kit('upgrade', '--check')).toMatchObject({ code: 1 });
    expect(await read('main.ts')).toBe(old);
    const { code, lines } = kit('upgrade');

    expect({ code, lines }).toEqual({
      code: 0,
      lines: [
        'tsconfig.json was changed and stays so; its new form is that of `init`',
        'wrote main.ts',
        'wrote .provider-kyma-kit.json',
        'Next: npm install, npx provider-kyma-kit generate, npm test',
      ],
    });
    expect(await read('main.ts')).toContain('runRestProvider');
    expect(await read('tsconfig.json')).toBe(own);
    expect(kit('upgrade', '--check')).toEqual({ code: 0, lines: ['everything is current'] });
  });
});

describe('a new document', () => {
  test('with compatible changes is recorded, with its checksum', async () => {
    const next = await changedDocument(
      [
        'color: { type: string, description: Name of a colour. }',
        'color: { type: string }\n              icon: { type: string }',
      ],
      [
        '  /settings:',
        '  /labels/{name}:\n    put: { requestBody: { $ref: "#/components/requestBodies/Folder" } }\n    get: { responses: { "200": { $ref: "#/components/responses/Folder" } } }\n    delete: {}\n  /settings:',
      ],
    );

    const { code, lines } = kit('upgrade', '--openapi', 'next.yaml');

    expect({ code, lines }).toEqual({
      code: 0,
      lines: [
        'compatible  Folder spec.forProvider.icon: is new',
        expect.stringMatching(/^new {9}\/labels: Label, /),
        'wrote openapi.yaml',
        'wrote provider.yaml',
        'Next: npm install, npx provider-kyma-kit generate, npm test',
      ],
    });
    expect(await read('openapi.yaml')).toBe(next);
    expect(await read('provider.yaml')).toContain(`sha256: ${sha256(next)}`);
  });

  test('with breaking changes is recorded only if the author wants it', async () => {
    await changedDocument(
      [
        'text: { type: string, maxLength: 20000 }\n        folder_id',
        'text: { type: string, maxLength: 5000 }\n        folder_id',
      ],
      ['required: [title]', 'required: [title, color]'],
      ['    delete:\n      operationId: deleteToken\n', '    get:\n      operationId: deleteToken\n'],
    );

    const { code, lines } = kit('upgrade', '--openapi', 'next.yaml');

    expect({ code, lines }).toEqual({
      code: 1,
      lines: [
        'breaking    Folder spec.forProvider.color: is required now',
        'breaking    Note spec.forProvider.text: maxLength 20000 → 5000',
        expect.stringMatching(
          /^breaking {4}Token provider\.yaml: kinds\.Token\.delete: .*DELETE \/folders\/\{id\}\/tokens\/\{tokenId\}/,
        ),
        'the document is not recorded; --breaking does it',
      ],
    });
    expect(await read('openapi.yaml')).toBe(notes);
    expect(kit('upgrade', '--openapi', 'next.yaml', '--breaking')).toMatchObject({ code: 0 });
    expect(await read('openapi.yaml')).not.toBe(notes);
  });
});

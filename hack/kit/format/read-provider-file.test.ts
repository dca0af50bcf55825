import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { ProviderFileError, providerFileSchema, readProviderFile } from './read-provider-file.ts';

const small = `
name: files
group: files.example.org
openapi: openapi.yaml
kinds:
  Folder:
    create: createFolder
    read: getFolder
    delete: DELETE /folders/{id}
`;

const whole = `
name: files
group: files.example.org
version: v1
openapi: { file: openapi.yaml, sha256: ${'a'.repeat(64)} }
api: { name: Files, url: https://api.example.org/v1, authentication: { header: X-Api-Key }, query: { v: 2 }, notFound: any, terminalStatuses: [400] }
kinds:
  Folder:
    plural: folders
    noun: folder
    description: A folder.
    scopes: [namespaced]
    create:
      operation: createFolder
      request: data
      result: data
      later: { from: operation.id, read: getOperation, state: state, succeeded: [1], failed: [false], pollSeconds: 3 }
    read: { list: listFolders, items: items, pages: { by: number, parameter: page, sizeParameter: size, size: 50 } }
    update: { operation: updateFolder, body: merged, echo: [version], ifMatch: true, later: { from: location, state: state, succeeded: [ok], failed: [ko] } }
    delete: { operation: deleteFolder, later: { from: location, state: state, succeeded: [ok], failed: [ko], message: why } }
    id: { account: spec.account, id: data.id }
    uniqueId: true
    findBy: { fields: [title], pages: { by: link, next: links.next } }
    required: [title]
    omit: [internal]
    fields:
      parent_uid: { name: parent, reference: Folder, immutable: true }
      owner: { reference: { kind: User, value: status.atProvider.id } }
      password: { secret: true, nullable: true }
    status: [size]
    ready: { field: state, values: [active], pending: [building] }
    deleted: { field: deletion.state, values: [scheduled, true] }
    connection: { key: create.key, url: read.links.self }
    immutable: replace
`;

describe('provider.yaml', () => {
  test('may say the same once, by an alias', () => {
    const text = whole
      .replace('later: {', 'later: &later {')
      .concat(
        '  Note: { create: { operation: createNote, later: *later }, read: getNote, delete: deleteNote }\n',
      );
    const { value, problems } = readProviderFile('provider.yaml', text);
    expect(problems).toEqual([]);
    expect(value?.kinds.Note?.create.later).toEqual(value?.kinds.Folder?.create.later);
    expect(value?.kinds.Note?.create.later).toMatchObject({ from: 'operation.id', pollSeconds: 3 });
  });

  test('has short forms and defaults', () => {
    const { value, problems } = readProviderFile('provider.yaml', small);
    expect(problems).toEqual([]);
    expect(value).toEqual({
      name: 'files',
      group: 'files.example.org',
      version: 'v1alpha1',
      openapi: { file: 'openapi.yaml' },
      api: {},
      kinds: {
        Folder: {
          create: { operation: 'createFolder' },
          read: { operation: 'getFolder' },
          delete: { operation: 'DELETE /folders/{id}' },
          id: {},
          required: [],
          omit: [],
          fields: {},
          connection: {},
        },
      },
    });
  });

  test('says everything that a definition can say', () => {
    const { value, problems } = readProviderFile('provider.yaml', whole);
    expect(problems).toEqual([]);
    expect(value?.kinds.Folder).toMatchObject({
      create: { later: { from: 'operation.id', succeeded: ['1'], failed: ['false'], pollSeconds: 3 } },
      read: { list: 'listFolders', pages: { by: 'number', size: 50 } },
      id: { account: 'spec.account', id: 'data.id' },
      fields: { parent_uid: { reference: { kind: 'Folder' } } },
      deleted: { field: 'deletion.state', values: ['scheduled', 'true'] },
      connection: { key: { from: 'create', field: 'key' }, url: { from: 'read', field: 'links.self' } },
    });
  });

  test.each([small, whole])('agrees with its JSON schema', (text) => {
    const validate = new Ajv2020({ strict: false }).compile(providerFileSchema);
    expect([validate(parse(text)), validate.errors]).toEqual([true, null]);
    expect(validate({ ...parse(text), grup: 'x' })).toBe(false);
  });

  test('reports all mistakes at once, each with its line and the nearest known name', () => {
    const { value, problems } = readProviderFile(
      'provider.yaml',
      small
        .replace('group:', 'grup:')
        .replace('read: getFolder', 'reed: getFolder\n    scopes: [namespace]')
        .replace('delete:', 'connection: { key: key }\n    delete:'),
    );
    expect(value).toBeUndefined();
    expect(new ProviderFileError('provider.yaml', problems).message.split('\n')).toEqual([
      'provider.yaml:1:1: group is missing',
      'provider.yaml:3:1: unknown key grup; did you mean group?',
      'provider.yaml:6:3: read is missing',
      'provider.yaml:8:5: unknown key reed; did you mean read?',
      'provider.yaml:9:14: unknown value namespace; did you mean namespaced?',
      'provider.yaml:10:19: must be a field of a response, such as create.key, read.url or getCredentials.password, not key',
    ]);
  });

  test.each([
    ['kinds: [', 'Flow sequence in block collection must be'],
    ['kinds: { folder: {} }', 'must be a kind such as Folder, not folder'],
    ['kinds: { A: { create: 7 } }', 'must be a text that is not empty'],
    [
      'kinds: { A: { read: { list: x, pages: { by: cursor } } } }',
      'by must be number, offset, token or link',
    ],
    ['kinds: { A: { fields: { x: { secret: yes } } } }', 'must be true or false'],
    ['api: { authentication: { header: a, query: b } }', 'have one of header, query and headers'],
    ['api: { authentication: { headers: {} } }', 'have one of header, query and headers'],
    ['api: { authentication: { headers: { "a b": key } } }', 'the name of a header'],
    ['api: { url: "https://a:b@c" }', 'must be an address such as'],
    ['version: 1', 'must be a text that is not empty'],
    ['name: a\nname: b', 'Map keys must be unique'],
  ])('refuses %s', (text, message) => {
    const { problems } = readProviderFile('provider.yaml', text);
    expect(problems.map((each) => each.text).join('\n')).toContain(message);
  });

  test('takes a key without a value for an empty mapping', () => {
    const { problems } = readProviderFile(
      'provider.yaml',
      `${small.slice(0, small.indexOf('  Folder:'))}  Folder:`,
    );
    expect(problems.map((each) => each.text)).toEqual([
      'create is missing',
      'read is missing',
      'delete is missing',
    ]);
    const { value } = readProviderFile(
      'provider.yaml',
      `${small.slice(0, small.indexOf('kinds:'))}kinds:\n  # Folder:\n`,
    );
    expect(value?.kinds).toEqual({});
  });

  test('knows where a value stands, or the nearest one around it', () => {
    const { at } = readProviderFile('provider.yaml', small);
    expect([at('kinds.Folder.read').line, at('kinds.Folder.fields.title').line, at('other').line]).toEqual([
      8, 6, 1,
    ]);
  });

  test('shows few of the mistakes that one in the syntax leads to, with their lines', () => {
    const many = Array.from({ length: 40 }, () => '    read: { operation: GET /folders/{id} }').join('\n');
    const { problems, partial } = readProviderFile('provider.yaml', small.replace(/ {4}read: .*/, many));
    expect([problems.length, partial]).toEqual([3, undefined]);
    expect(problems[0]).toMatchObject({
      at: { line: 8 },
      text: expect.stringMatching(
        /read: \{ operation: GET \/folders\/\{id\} \}; within .* is quoted: "GET \/folders\/\{id\}"$/,
      ),
    });
    const shifted = readProviderFile('provider.yaml', small.replace('    delete:', '   delete:'));
    expect(shifted.problems[0]?.text).toContain('delete: DELETE /folders/{id}');
  });

  test('has what could be read, and which parts have mistakes', () => {
    const { partial, isBroken } = readProviderFile(
      'provider.yaml',
      `${small}    conection: {}\n  Note: { create: createNote, read: 7, delete: deleteNote }\n`,
    );
    expect(Object.keys(partial?.kinds ?? {})).toEqual(['Folder', 'Note']);
    expect(['openapi', 'kinds.Folder', 'kinds.Note', 'kinds.Not'].map(isBroken)).toEqual([
      ...[false, false, true, false],
    ]);
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parseDocument } from '../document/openapi-document.ts';
import { readProviderFile } from '../format/read-provider-file.ts';
import { modelKinds } from './model-kinds.ts';

const text = { type: 'string' };
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const content = (schema: object) => ({ content: { 'application/json': { schema } } });
const returns = (schema: object, status = 200) => ({ responses: { [status]: { ...content(schema) } } });

interface Given {
  /** Of the collection. */
  readonly path?: string;
  readonly example?: object;
  readonly sent: object;
  readonly read?: object;
  readonly update?: object;
  readonly created?: object;
  readonly createStatus?: number;
  readonly operation?: object;
}

/** Warnings and mistakes of a kind Disk with these schemas. */
function disk(
  { sent, read = object({ id: text, name: text }), update, created = read, path = '/disks', ...given }: Given,
  create = '',
  ...lines: readonly string[]
) {
  const one = {
    get: returns(read),
    ...(update === undefined ? {} : { put: { requestBody: content(update), ...returns(read) } }),
    delete: {},
  };
  const paths = {
    [path]: { post: { requestBody: content(sent), ...returns(created, given.createStatus) } },
    [`${path}/{id}`]: one,
    '/tasks/{task}': { get: { operationId: 'getTask', ...returns(given.operation ?? {}) } },
  };
  const document = parseDocument(
    JSON.stringify({ openapi: '3.0.0', info: { title: 'T', version: '1' }, paths }),
  );
  const head = ['name: x', 'group: x.example.org', 'openapi: openapi.yaml', 'kinds:', '  Disk:'];
  const own = [
    `    create: { operation: 'POST ${path}'${create} }`,
    `    read: 'GET ${path}/{id}'`,
    ...(update === undefined ? [] : [`    update: 'PUT ${path}/{id}'`]),
    `    delete: 'DELETE ${path}/{id}'`,
    ...lines,
  ];
  const { value, problems } = readProviderFile('provider.yaml', [...head, ...own].join('\n'));
  expect(problems).toEqual([]);
  if (value === undefined) throw new Error('there is no file');
  const mistakes: string[] = [];
  const kinds = modelKinds({ file: value, document, report: (_, problem) => mistakes.push(problem) });
  return { mistakes, warnings: kinds[0]?.warnings ?? [], definition: kinds[0]?.definition, kind: kinds[0] };
}

const name = { name: text };

test('a secret by its name that would be plain text is a warning, until it is stated', () => {
  const sent = object({
    ...name,
    token: text,
    login: object({ user: text, access_secret: text }),
    hooks: { type: 'array', items: object({ secret: text }) },
  });
  const of = (...lines: string[]) =>
    disk({ sent, read: sent, created: object({ id: text }) }, '', ...lines).warnings.filter((each) =>
      each.includes('plain text'),
    );
  const plain = (path: string, remedy: string) =>
    `Disk: ${path} has the name of a secret, and is plain text in the spec; ${remedy}`;
  expect(of()).toEqual([
    plain('token', 'state token: { secret: true }, or secret: false'),
    plain('login.access_secret', 'state login.access_secret: { secret: true }, or secret: false'),
    plain('hooks.secret', 'state hooks.secret: { secret: true }, or secret: false'),
  ]);
  for (const hooks of [
    'hooks: { secret: false }',
    'hooks.secret: { secret: false }',
    'hooks.secret: { secret: true }',
  ])
    expect(
      of(
        '    fields:',
        '      token: { secret: true }',
        '      login.access_secret: { secret: true }',
        `      ${hooks}`,
      ),
    ).toEqual([]);
});

test('a secret within a list is in a Secret, to which each item refers', () => {
  const hooks = { type: 'array', items: { ...object({ url: text, secret: text }), required: ['secret'] } };
  const returned = { type: 'array', items: object({ url: text }) };
  const { kind, definition, warnings } = disk(
    {
      sent: object({ ...name, hooks }),
      read: object({ ...name, hooks: returned }),
      created: object({ id: text }),
    },
    '',
    '    fields: { hooks.secret: { secret: true } }',
  );
  expect(warnings).toEqual([]);
  expect(definition?.fields.hooks).toMatchObject({
    inner: [{ path: 'secret', secret: true }],
    lateInitialize: false,
  });
  expect(kind?.forProvider).toMatchObject({
    properties: {
      hooks: {
        items: {
          required: ['secretSecretRef'],
          properties: { url: {}, secretSecretRef: { required: ['name', 'key', 'namespace'] } },
        },
      },
    },
  });
  expect(JSON.stringify(kind?.forProvider)).not.toContain('"secret":');
});

test('an update or a deletion whose operation is not stated is a warning', async () => {
  const testdata = join(import.meta.dirname, '../testdata/tasks');
  const document = parseDocument(await readFile(join(testdata, 'openapi.yaml'), 'utf8'));
  const stated = await readFile(join(testdata, 'provider.yaml'), 'utf8');
  const of = (content: string) => {
    const { value } = readProviderFile('provider.yaml', content);
    if (value === undefined) throw new Error('the file is read');
    return modelKinds({ file: value, document, report: () => undefined }).flatMap(({ warnings }) =>
      warnings.filter((each) => each.includes('later')),
    );
  };
  expect(of(stated)).toEqual([]);
  const short = stated.replace('{ operation: updateDatabase, later: *later }', 'updateDatabase');
  expect(of(short.replace('{ operation: deleteAccessList, later: *later }', 'deleteAccessList'))).toEqual([
    'Database: the response of update names an operation as that of create does, and its failure is not noticed: state update: { operation: …, later: … }',
    'AccessList: the response of delete names an operation as that of create does, and its failure is not noticed: state delete: { operation: …, later: … }',
  ]);
});

test('a time that the API may set is a warning: its changes would be corrected again and again', () => {
  const sent = object({ ...name, updated_at: text, start_time: text });
  const of = (...lines: string[]) =>
    disk({ sent, read: object({ id: text, ...sent.properties }) }, '', ...lines).warnings;
  expect(of()).toEqual([
    'Disk: updated_at may be a time that the API sets: state omit: [updated_at], or each change of it is corrected; lateInitialize: true, if users set it',
  ]);
  expect(of('    omit: [updated_at]')).toEqual([]);
});

test('requests that are lists, and what only an update has', () => {
  const list = { type: 'array', items: object(name) };
  const remedy =
    'is a list; one external resource is an object: name another operation, or write the kind by hand (eject)';
  expect(disk({ sent: list }).mistakes).toEqual([`the request of create ${remedy}`]);
  expect(disk({ sent: object(name), update: list }).mistakes).toEqual([`the request of update ${remedy}`]);
  const update = object({ ...name, state_id: text, reason: text, note: text }, ['reason']);
  const read = object({ id: text, ...name, state_id: text });
  expect(disk({ sent: object(name), update, read }).warnings).toEqual([
    'Disk: state_id is left out: only the request of update has it; if it is what read returns, state update: { echo: [state_id] }',
    'Disk: reason is left out: only the request of update has it, which requires it; send it by a hook (request)',
    'Disk: note is left out: only the request of update has it',
  ]);
});

test('an operation that ends later is checked, and its ID taken from its result', () => {
  const operation = object({ taskId: text, status: text, response: object({ resourceId: text }) });
  const given = { sent: object(name), created: operation, operation };
  const later = (more: string) => `, later: { read: getTask, succeeded: [done], failed: [failed], ${more} }`;
  const of = (more: string, createStatus = 202) => disk({ ...given, createStatus }, later(more));
  const good = 'from: taskId, state: status, result: response';
  expect(of(good).mistakes).toEqual([]);
  expect(of(good).definition).toMatchObject({
    id: { parts: [{ parameter: 'id', from: 'response', field: 'resourceId' }] },
  });
  expect(of(good).definition?.create).not.toHaveProperty('later.always');
  expect(of(good, 200).definition?.create).toHaveProperty('later.always', true);
  expect(of('from: taskid, state: stats, result: respons, message: error').mistakes).toEqual([
    'the response of create: unknown field taskid; did you mean taskId?',
    'the response of getTask: unknown field stats; did you mean status?',
    expect.stringMatching(/^the response of getTask: unknown field error/),
    'the response of getTask: unknown field respons; did you mean response?',
  ]);
  expect(of('from: taskId, state: status, result: response.resourceId').mistakes).toEqual([
    'response.resourceId is no object; state the object that has the external resource or its ID, and the ID: result: response, and id: resourceId',
  ]);
});

test('a parameter of the path that the request has too is required', () => {
  const sent = object({ ...name, pool_id: text });
  const { kind } = disk({ sent, path: '/pools/{pool_id}/disks' });
  expect(kind?.forProvider.required).toEqual(['poolId']);
});

test('the members of a flat object are fields of the spec and of the status', () => {
  const attributes = object({ ...name, access_token: text, type: text }, ['name']);
  const sent = object({ type: text, attributes }, ['type', 'attributes']);
  const read = object({
    ...{ id: text, type: text },
    attributes: object({ ...attributes.properties, created_at: text, id: text }),
  });
  const of = (...lines: string[]) => disk({ sent, read, update: sent }, '', '    fields:', ...lines);
  const flat = '      attributes: { flat: true }';
  const { kind, mistakes } = of(
    ...[flat, '      type: { value: disks }', '      attributes.access_token: { secret: true }'],
  );
  expect(mistakes).toEqual([]);
  expect(Object.keys(kind?.forProvider.properties ?? {}).sort()).toEqual([
    ...['accessTokenSecretRef', 'name', 'type'],
  ]);
  expect(kind?.forProvider.required).toEqual(['name']);
  expect(kind?.definition.fields).toEqual({
    name: { within: 'attributes' },
    type: { within: 'attributes' },
    typeConstant: { as: 'type', value: 'disks' },
    accessToken: { as: 'access_token', within: 'attributes', secret: true },
  });
  expect(kind?.definition.status).toEqual({ id: 'id', createdAt: 'attributes.created_at' });
  expect(kind?.atProvider.properties).toHaveProperty('createdAt.type', 'string');
  expect(of('      type: { flat: true }').mistakes).toEqual(['type is no object with members']);
});

test('what only the example of a response has is compared, and not in the status', () => {
  const example = { id: '1', name: 'a', size: 3, tags: ['x'], login: { password: 'p' }, none: null };
  const read = { ...object({ id: text, links: text }), example };
  const sent = object({ ...name, size: { type: 'integer' }, tags: text, login: object({ password: text }) });
  const { definition, warnings } = disk(
    { sent, read },
    '',
    '    fields: { login.password: { secret: true } }',
  );
  expect(definition?.fields).toMatchObject({ name: {}, size: {}, tags: { writeOnly: true } });
  expect(definition?.fields.size).not.toHaveProperty('writeOnly');
  expect(definition?.status).toEqual(['id', 'links']);
  expect(warnings).toContain(
    'Disk: the response of read has name, size, tags, login in its example alone: fields of these names are compared with it, and the status has those that status states',
  );
  // A schema that has most of them is taken as it is.
  const most = { ...object({ id: text, login: text, size: text, tags: text }), example };
  expect(disk({ sent: object(name), read: most }).warnings).toEqual([
    'Disk: the drift of name cannot be seen: the response of read lacks it',
  ]);
});

test.each([
  [{ enum: ['active', 'idle'] }, { enum: ['ACTIVE', 'IDLE'] }, 'requests have active, read returns ACTIVE'],
  [{ format: 'date' }, { format: 'date-time' }, 'requests have date, read returns date-time'],
  [{ example: '1 GB' }, { example: '1024' }, 'requests have 1 GB, read returns 1024'],
  [{ example: 'a.example.org' }, { example: 'A.example.org/' }, 'requests have a.example.org, read'],
  [{ enum: ['a'] }, { enum: ['a', 'A'] }, undefined],
  [{ example: 'a' }, { example: 'b' }, undefined],
  [{ example: '1' }, { example: '2' }, undefined],
])('a value in another form is a warning: %j, %j', (sent, returned, expected) => {
  const of = (own: object) => object({ id: text, size: { ...text, ...own } });
  const { warnings } = disk({ sent: object({ size: { ...text, ...sent } }), read: of(returned) });
  const found = warnings.filter((each) => each.includes('another form'));
  expect(found).toEqual(expected === undefined ? [] : [expect.stringContaining(expected)]);
});

/** What of a document is a secret, cannot be changed, or has the name of a parameter, although `provider.yaml` does not state it. */
import { describe, expect, test } from '@jest/globals';
import { parseDocument } from '../document/openapi-document.ts';
import { readProviderFile } from '../format/read-provider-file.ts';
import { candidatesOf } from '../init/candidates.ts';
import { modelKinds } from './model-kinds.ts';

const text = { type: 'string' };
const body = (properties: object, required: string[] = []) => {
  const content = { 'application/json': { schema: { type: 'object', required, properties } } };
  return { content };
};
const answer = (properties: object) => ({ responses: { 200: { description: 'ok', ...body(properties) } } });
const gone = { responses: { 204: { description: 'gone' } } };
const site = {
  id: { ...text, readOnly: true },
  name: text,
  password: text,
  access_token: { ...text, readOnly: true },
  hook: { type: 'object', properties: { url: text, secret_key: text } },
};
const document = parseDocument(
  JSON.stringify({
    openapi: '3.0.0',
    info: { title: 'Web', version: '1' },
    paths: {
      '/sites': {
        post: {
          operationId: 'createSite',
          requestBody: body(
            { name: text, password: text, created: text, site_id: { ...text, readOnly: true } },
            ['name'],
          ),
          ...answer(site),
        },
      },
      '/sites/{id}': {
        get: { operationId: 'getSite', ...answer({ ...site, created: text }) },
        put: {
          operationId: 'updateSite',
          requestBody: body({
            name: text,
            created: { ...text, readOnly: true },
            size: { ...text, readOnly: true },
          }),
          ...answer(site),
        },
        delete: { operationId: 'deleteSite', ...gone },
      },
      '/{account}/nets': {
        post: {
          operationId: 'createNet',
          requestBody: body({ name: text }, ['name']),
          ...answer({ id: text, name: text }),
        },
      },
      '/{account}/nets/{netId}': {
        get: { operationId: 'getNet', ...answer({ id: text, name: text }) },
        delete: { operationId: 'deleteNet', ...gone },
      },
      '/{account}/nets/{netId}/ports': {
        post: {
          operationId: 'createPort',
          requestBody: body({ net_id: { ...text, readOnly: true }, name: text, peer_id: text }, ['name']),
          ...answer({ id: text, name: text, net_id: text, peer_id: text }),
        },
      },
      '/{account}/nets/{netId}/ports/{portId}': {
        get: { operationId: 'getPort', ...answer({ id: text, name: text, net_id: text, peer_id: text }) },
        delete: { operationId: 'deletePort', ...gone },
      },
    },
  }),
);

function models(lines: readonly string[]) {
  const head = ['name: web', 'group: web.example.org', 'openapi: openapi.yaml', 'kinds:'];
  const { value, problems, at } = readProviderFile('provider.yaml', [...head, ...lines].join('\n'));
  expect(problems).toEqual([]);
  if (value === undefined) throw new Error('the file is read');
  const found: string[] = [];
  const report = (where: string, problem: string) => found.push(`${at(where).line}: ${problem}`);
  return { kinds: modelKinds({ file: value, document, report }), problems: found };
}

const siteLines = [
  '  Site: { create: createSite, read: getSite, update: updateSite, delete: deleteSite, fields: { password: { secret: true } } }',
];

describe('secrets', () => {
  test('a field that is stated as a secret, and texts with the name of one, are not in the status', () => {
    const [kind] = models(siteLines).kinds;
    expect(Object.keys(kind?.atProvider.properties ?? {})).toEqual(['id', 'hook']);
    expect(kind?.atProvider).not.toMatchObject({
      properties: { hook: { properties: { secret_key: expect.anything() } } },
    });
    expect(kind?.warnings).toEqual([
      'Site: access_token is not in the status: its name is that of a secret; state it in connection, e.g. as read.access_token, or in status',
    ]);
  });

  test('init makes a connection detail of what create returns, though read returns a text of that name', () => {
    const candidate = candidatesOf(document).find(({ path }) => path === '/sites');
    expect(candidate?.settings?.connection).toEqual({
      access_token: { from: 'create', field: 'access_token' },
    });
  });
});

test('a field that is read-only in the request of update cannot be changed, and is not reported as left out', () => {
  const [kind] = models(siteLines).kinds;
  expect(kind?.definition.fields.created).toMatchObject({ immutable: true });
});

describe('init', () => {
  test('proposes a Secret for texts of requests with the name of one', () => {
    const candidate = candidatesOf(document).find(({ path }) => path === '/sites');
    expect(candidate?.settings?.fields).toEqual({ password: { secret: true } });
  });
});

describe('only', () => {
  const all = 'create: createSite, read: getSite, update: updateSite, delete: deleteSite';
  test('leaves out all fields but those that it and fields name', () => {
    const { kinds, problems } = models([
      `  Site: { ${all}, only: [name], fields: { password: { secret: true } } }`,
    ]);
    expect(problems).toEqual([]);
    expect(Object.keys(kinds[0]?.forProvider.properties ?? {})).toEqual(['name', 'passwordSecretRef']);
  });

  test('warns of what the document requires, and reports unknown names', () => {
    const { kinds, problems } = models([`  Site: { ${all}, only: [created, nam] }`]);
    expect(problems).toEqual(['5: unknown field of the request of create nam; did you mean name?']);
    expect(kinds[0]?.warnings).toContain('Site: name is left out, and the document requires it');
  });
});

test.each([
  [
    'fields: { account: { value: acme } }',
    '5: account is a parameter of the path; state its value for all kinds: api.path: { account: … }',
  ],
  [
    'omit: [account]',
    '5: account is a parameter of the path; state its value for all kinds: api.path: { account: … }',
  ],
])('a parameter of the path is no field with a constant: %s', (line, problem) => {
  expect(
    models([`  Net: { create: createNet, read: getNet, delete: deleteNet, ${line} }`]).problems,
  ).toContain(problem);
});

const nets = ['  Net: { create: createNet, read: getNet, delete: deleteNet }'];
const port = (fields: string) =>
  `  Port: { create: createPort, read: getPort, delete: deletePort, fields: { ${fields} } }`;

describe('references', () => {
  test('a parameter of a path is a field of the spec, though a read-only field of the request has its name', () => {
    const { kinds, problems } = models([...nets, port('netId: { reference: Net }')]);
    expect(problems).toEqual([]);
    expect(Object.keys(kinds[1]?.forProvider.properties ?? {})).toContain('netId');
    expect(kinds[1]?.definition.fields).not.toHaveProperty('netId');
  });

  test('to a kind whose ID has several parts takes the last one', () => {
    const { kinds } = models([...nets, port('netId: { reference: Net }')]);
    expect(kinds[1]?.forProvider).toMatchObject({
      properties: { netId: { $reference: { kind: 'Net', value: 'status.atProvider.id' } } },
    });
  });

  test.each([
    [
      'id',
      '6: value id is no path such as metadata.name, spec.forProvider.<field> or status.atProvider.<field>',
    ],
    ['status.atProvider.ident', '6: Net: unknown field of status.atProvider ident; known: id'],
    ['spec.forProvider.nam', '6: Net: unknown field of spec.forProvider nam; did you mean name?'],
  ])('with the value %s', (value, problem) => {
    expect(models([...nets, port(`netId: { reference: { kind: Net, value: ${value} } }`)]).problems).toEqual([
      problem,
    ]);
  });
});

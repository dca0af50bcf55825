import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseDocument } from '../document/openapi-document.ts';
import { readProviderFile } from '../format/read-provider-file.ts';
import { modelKind } from './model-kind.ts';

const forge = parseDocument(
  await readFile(join(import.meta.dirname, '../testdata/numbers/openapi.yaml'), 'utf8'),
);

/** The kinds of a file with one kind, Team or the given one, and what is wrong with it. */
function model(lines: readonly string[], document = forge, ...api: string[]) {
  const head = ['name: forge', 'group: forge.example.org', 'openapi: openapi.yaml', ...api, 'kinds:'];
  const text = [...head, ...lines].join('\n');
  const { value, problems, at } = readProviderFile('provider.yaml', text);
  expect(problems).toEqual([]);
  const found: string[] = [];
  const kinds = Object.entries(value?.kinds ?? {}).map(([kind, settings]) =>
    value === undefined
      ? undefined
      : modelKind(kind, settings, {
          file: value,
          document,
          report: (where, problem) => found.push(`${at(where).line}: ${problem}`),
        }),
  );
  return { kinds, problems: found };
}

const team = ['  Team:', '    create: orgCreateTeam', '    read: teamGet', '    delete: teamDelete'];
const hook = [
  '  Hook:',
  '    create: hookCreate',
  '    read: hookGet',
  '    update: hookReplace',
  '    delete: hookDelete',
];

describe('mistakes in fields within objects say what can be stated', () => {
  const wrapped = parseDocument(
    readFileSync(join(import.meta.dirname, '../testdata/wrapped/openapi.yaml'), 'utf8'),
  );
  const service = [
    '  Service:',
    '    create: { operation: createService, request: service, result: service }',
    '    read: { operation: getService, result: service }',
    '    delete: deleteService',
  ];
  test.each([
    [
      'policy: { reference: Service }',
      '9: policy is an object; refer by the field within it that has the ID: policy.id, policy.type, policy.summary',
    ],
    ['policy.ide: { reference: Service }', '9: the request of create: unknown field ide; did you mean id?'],
    [
      'polcy.id: { reference: Service }',
      '9: the request of create: unknown field polcy; did you mean policy?',
    ],
    [
      'policy.type: { value: 5 }',
      '9: policy.type is of type string in the document, its value of type number',
    ],
  ])('%s', (line, problem) => {
    expect(model([...service, `    fields: { ${line} }`], wrapped).problems).toEqual([problem]);
  });

  test('a header that is required, and nobody sends, is a warning', () => {
    const policy = [
      '  Policy:',
      '    create: { operation: createPolicy, request: policy, result: policy }',
      '    read: { operation: getPolicy, result: policy }',
      '    delete: deletePolicy',
    ];
    expect(model(policy, wrapped).kinds[0]?.warnings).toEqual([
      'Policy: POST /policies requires the header From; state it: api.headers: { From: … }, or as a part of api.authentication',
    ]);
    for (const authentication of ['{ header: From }', '{ headers: { authorization: token, from: user } }']) {
      const { kinds } = model(policy, wrapped, `api: { authentication: ${authentication} }`);
      expect(kinds[0]?.warnings).toEqual([]);
    }
  });

  test.each([
    [
      'rules.id: { value: x, name: y }',
      '9: rules.id is within a list, where a field has one of reference, value and secret',
    ],
    ['rules.targets.ide: { value: x }', '9: the request of create: unknown field ide; did you mean id?'],
    [
      'rules.targets: { reference: Policy }',
      '9: rules.targets is of type array; refer by the field that has the ID',
    ],
    [
      'rules.targets.id: { reference: User }',
      '9: unknown kind User; known: Policy; make it a kind, or take the reference out',
    ],
    [
      'rules.targets.type: { value: 5 }',
      '9: rules.targets.type is of type string in the document, its value of type number',
    ],
    [
      'rules: { reference: Policy }',
      '9: rules is a list of objects; refer by the field within it that has the ID, e.g. rules.id',
    ],
  ])('within lists: %s', (line, problem) => {
    const policy = [
      '  Policy:',
      '    create: { operation: createPolicy, request: policy, result: policy }',
      '    read: { operation: getPolicy, result: policy }',
      '    delete: deletePolicy',
      `    fields: { ${line} }`,
    ];
    expect(model(policy, wrapped).problems).toEqual([problem]);
  });
});

describe('mistakes have the line of the key and the nearest known name', () => {
  test.each([
    [
      ['  Team:', '    create: orgCreatTeam', '    read: GET /team/{id}', '    delete: teamDelete'],
      [
        '6: unknown operation orgCreatTeam; did you mean orgCreateTeam?',
        '7: unknown operation GET /team/{id}; did you mean GET /teams/{id}?',
      ],
    ],
    [
      [...team, '    required: [permision]', '    omit: [unit]'],
      [
        '10: unknown field of the request of create unit; did you mean units?',
        '9: unknown field of the spec permision; did you mean permission?',
      ],
    ],
    [
      [...team, '    fields: { permissions: { immutable: true } }'],
      ['9: unknown field of the request of create permissions; did you mean permission?'],
    ],
    [
      [...team, '    fields: { org: { reference: Organisation } }'],
      ['9: unknown kind Organisation; known: Team; make it a kind, or take the reference out'],
    ],
    [
      [...team, '    ready: { field: organization.visibilty, values: [x] }'],
      ['9: the response of read: unknown field visibilty; did you mean visibility?'],
    ],
    [
      [...team, '    deleted: { field: organization.visibilty }'],
      ['9: the response of read: unknown field visibilty; did you mean visibility?'],
    ],
    [
      [...team, '    connection: { key: create.token }'],
      [
        '9: the response of create: unknown field token; known: id, name, permission, units, organization, parent',
      ],
    ],
    [[...team, '    id: { team: id }'], ['9: unknown parameter of /teams/{id}: team; known: id']],
    [[...team, '    id: uid'], ['9: the response of create: unknown field uid; did you mean id?']],
    [
      [...team, '    id: metadata.name'],
      ['9: id is a number in the document, so it cannot be metadata.name'],
    ],
    [
      [...team, '    findBy: [name]'],
      ['9: state the operation that lists: findBy: { fields: [...], list: <operation> }'],
    ],
    [
      [
        '  Team:',
        '    create: { operation: orgCreateTeam, request: data }',
        '    read: teamGet',
        '    delete: teamDelete',
      ],
      [
        '6: the request of create: unknown field data; known: name, permission, units',
        '6: the request of create has no properties; state request, the field that has them',
      ],
    ],
    [
      ['  Team:', '    create: orgCreateTeam', '    read: orgDelete', '    delete: teamDelete'],
      [
        '7: the document does not say what read returns: no response of success has a JSON schema with properties',
        '8: /teams/{id}: id is neither part of the ID nor a field of the spec',
      ],
    ],
    [
      [...hook, '    fields: { active: { secret: true } }'],
      ['10: active is no text, which a secret must be'],
    ],
    [
      [...hook, '    fields: { events: { name: active } }'],
      ['10: events and active are both active in the spec; give one another name'],
    ],
  ])('%j', (lines, expected) => {
    expect(model(lines).problems).toEqual(expected);
  });
});

describe('a kind', () => {
  test('has in its fields what the document says', () => {
    const [kind] = model(hook).kinds;
    expect(kind?.definition.fields).toEqual({
      teamId: { as: 'team_id' },
      active: {},
      events: {},
      secret: { secret: true },
      config: {},
    });
    expect(kind?.forProvider).toMatchObject({
      required: ['teamId', 'config'],
      properties: {
        teamId: { type: 'integer', format: 'int64' },
        secretSecretRef: { required: ['name', 'key', 'namespace'] },
        config: {
          required: ['url'],
          properties: { content_type: { description: 'The content type. One of: json, form.' } },
        },
      },
    });
    expect(kind?.atProvider).toMatchObject({ properties: { id: { type: 'integer' } } });
  });

  test('is warned of fields whose drift cannot be seen, and of those that only the update has', () => {
    const document = parseDocument(
      JSON.stringify({
        openapi: '3.0.0',
        info: { title: 'x', version: '1' },
        paths: {
          '/a': { post: operation('create', { a: text, hidden: text }, { id: text, a: text }) },
          '/a/{id}': {
            get: operation('read', undefined, { id: text, a: text }),
            put: operation('update', { a: text, force: { type: 'boolean' } }, undefined),
            delete: operation('delete', undefined, undefined),
          },
        },
      }),
    );
    const { kinds, problems } = model(
      ['  Thing:', '    create: create', '    read: read', '    update: update', '    delete: delete'],
      document,
    );
    expect(problems).toEqual([]);
    expect(kinds[0]?.warnings).toEqual([
      'Thing: the drift of hidden cannot be seen: the response of read lacks it',
      'Thing: force is left out: only the request of update has it',
    ]);
    expect(kinds[0]?.definition.fields).toEqual({ a: {}, hidden: { immutable: true, writeOnly: true } });
  });

  test('compares what the API returns in the same form alone, and never takes over an object that its schema refuses', () => {
    const list = (items: object) => ({ type: 'array', items });
    const object = (properties: object, ...required: string[]) => ({ type: 'object', properties, required });
    const number = { type: 'integer' };
    const document = parseDocument(
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'x', version: '1' },
        paths: {
          '/a': {
            post: operation(
              'create',
              {
                id: text,
                teams: list(text),
                rules: list(object({ mode: text, seen: text, of: number })),
                owner: object({ team_id: text, name: text }, 'team_id'),
                layout: object({ x: number }, 'x'),
                either: {
                  oneOf: [
                    object({ kind: { const: 'a' }, size: number }, 'kind'),
                    object({ kind: { const: 'b' } }, 'kind'),
                  ],
                },
              },
              undefined,
            ),
          },
          '/a/{id}': {
            get: operation('read', undefined, {
              id: text,
              teams: list(object({ id: text })),
              rules: list(object({ seen: text, of: text })),
              owner: object({ teamId: text, name: text }),
              layout: { type: 'object', additionalProperties: number },
              either: object({ kind: text, size: number }),
            }),
            delete: operation('delete', undefined, undefined),
          },
        },
      }),
    );
    const [kind] = model(
      ['  Thing:', '    create: create', '    read: read', '    delete: delete'],
      document,
    ).kinds;
    expect(kind?.definition.fields).toEqual({
      teams: { writeOnly: true },
      rules: {
        inner: [
          { path: 'mode', writeOnly: true },
          { path: 'of', writeOnly: true },
        ],
        lateInitialize: false,
      },
      owner: { inner: [{ path: 'team_id', writeOnly: true }], lateInitialize: false },
      layout: { writeOnly: true },
      either: {},
    });
    expect(kind?.warnings).toEqual([
      'Thing: the drift of teams cannot be seen: the response of read has another type',
      'Thing: the drift of rules cannot be seen in mode, of',
      'Thing: the drift of owner cannot be seen in team_id',
      'Thing: the drift of layout cannot be seen: the response of read has another type',
      'Thing: the document does not say what create returns; the ID is taken from its response, else from its header Location',
    ]);
    expect(kind?.forProvider).toMatchObject({
      properties: {
        either: {
          required: ['kind'],
          properties: { kind: { description: 'The kind. One of: a, b.' }, size: { type: 'integer' } },
        },
      },
    });
  });
});

const text = { type: 'string' };

function operation(operationId: string, request: object | undefined, response: object | undefined) {
  const content = (properties: object) => ({
    'application/json': { schema: { type: 'object', properties } },
  });
  return {
    operationId,
    ...(request === undefined ? {} : { requestBody: { content: content(request) } }),
    responses: {
      200: response === undefined ? { description: 'ok' } : { description: 'ok', content: content(response) },
    },
  };
}

describe('connection details', () => {
  const login = (details: string) => [
    '  Cluster:',
    '    create: { operation: CreateCluster, later: { from: operation.id, read: GetOperation, state: status, succeeded: [succeeded], failed: [failed], result: resource } }',
    '    read: { operation: GetCluster, result: data }',
    '    delete: DeleteCluster',
    `    connection: ${details}`,
  ];
  const pages = parseDocument(
    readFileSync(join(import.meta.dirname, '../testdata/pages/openapi.yaml'), 'utf8'),
  );
  const route = 'GET /projects/{project_id}/clusters/{cluster_id}/login';

  test.each([
    '{ password: GetClusterLogin.login.password }',
    '{ password: { operation: GetClusterLogin, field: login.password } }',
    `{ password: { operation: '${route}', field: login.password } }`,
  ])('may come from another GET: %s', (details) => {
    const { kinds, problems } = model(login(details), pages);
    expect(problems).toEqual([]);
    expect(kinds[0]?.definition.connection).toEqual({ password: { from: route, field: 'login.password' } });
    expect(kinds[0]?.sample.responses).toEqual({
      [route]: { login: { user: expect.any(String), password: expect.any(String) } },
    });
  });

  test.each([
    ['{ password: response.key }', '9: the document has no operation response'],
    ['{ password: PutCluster.id }', '9: PUT /projects/{project_id}/clusters/{cluster_id} is no GET'],
    [
      '{ password: GetClusterLogin.login.pasword }',
      '9: the response of GetClusterLogin: unknown field pasword; did you mean password?',
    ],
    [
      '{ state: GetOperation.status }',
      '9: /operations/{operation_id}: operation_id is neither part of the ID nor a field of the spec',
    ],
  ])('that cannot be read are a mistake: %s', (details, problem) => {
    expect(model(login(details), pages).problems).toEqual([problem]);
  });

  test('requests of code by hand are simulated as the document says', () => {
    const lines = [...login('{}'), '    requests: [GetClusterLogin]'];
    const { kinds, problems } = model(lines, pages);
    expect([problems, Object.keys(kinds[0]?.sample.responses ?? {})]).toEqual([[], [route]]);
    expect(model([...login('{}'), '    requests: [GetClusterLogn]'], pages).problems).toEqual([
      '10: unknown operation GetClusterLogn; did you mean GetClusterLogin?',
    ]);
  });
});

test('a response of create that may be an operation is a warning', () => {
  const properties = (...names: string[]) => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  });
  const json = (schema: object) => ({ content: { 'application/json': { schema } } });
  const operation = { type: 'object', properties: { id: {}, state: {}, reference: properties('id') } };
  const warnings = (created: object, later: string) => {
    const get = (schema: object) => ({ responses: { 200: json(schema) } });
    const at = (name: string) => ({ parameters: [{ name, in: 'path' }] });
    const paths = {
      '/vpcs': { post: { requestBody: json(properties('name')), responses: { 200: json(created) } } },
      '/vpcs/{id}': { ...at('id'), get: get(properties('id', 'name')), delete: {} },
      '/operations/{id}': { ...at('id'), get: get(operation) },
    };
    const document = parseDocument(
      JSON.stringify({ openapi: '3.0.0', info: { title: 'T', version: '1' }, paths }),
    );
    const lines = [
      '  Vpc:',
      `    create: { operation: POST /vpcs${later} }`,
      "    read: 'GET /vpcs/{id}'",
      "    delete: 'DELETE /vpcs/{id}'",
    ];
    const { kinds, problems } = model(lines, document);
    expect(problems).toEqual([]);
    return kinds[0]?.warnings.filter((text) => text.includes('create.later'));
  };
  expect(warnings(operation, '')).toEqual([
    expect.stringMatching(/^Vpc: the response of create has a state/),
  ]);
  const read = "'GET /operations/{id}'";
  const later = `, later: { from: id, read: ${read}, state: state, succeeded: [done], failed: [failed], result: reference }`;
  expect(warnings(operation, later)).toEqual([]);
  expect(warnings(properties('id', 'name', 'state'), '')).toEqual([]);
  expect(warnings(properties('id'), '')).toEqual([]);
});

describe('what the document does not have is named', () => {
  const pages = parseDocument(
    readFileSync(join(import.meta.dirname, '../testdata/pages/openapi.yaml'), 'utf8'),
  );
  const network = (read: string, more: readonly string[] = []) => [
    '  Network:',
    '    create: { operation: CreateNetwork, result: data }',
    `    read: ${read}`,
    '    delete: DeleteNetwork',
    ...more,
  ];
  const list = (parameter: string) =>
    `{ list: ListNetworks, items: data, pages: { by: token, parameter: ${parameter}, next: page.next } }`;
  const warnings = (lines: readonly string[]) => {
    const { kinds, problems } = model(lines, pages);
    expect(problems).toEqual([]);
    return kinds[0]?.warnings.filter((text) => text.includes('the document may lack it'));
  };

  test('values of states', () => {
    const ready = (value: string) => [`    ready: { field: state, values: [${value}], pending: [building] }`];
    expect(warnings(network(list('page_token'), ready('active')))).toEqual([]);
    expect(warnings(network(list('page_token'), ready('activ')))).toEqual([
      'Network: ready.values: unknown value activ; did you mean active?; the document may lack it',
    ]);
  });

  test('query parameters of pages', () => {
    expect(warnings(network(list('page_tokn')))).toEqual([
      'Network: read.pages: unknown query parameter of GET /projects/{project_id}/networks: page_tokn; did you mean page_token?; the document may lack it',
    ]);
  });

  test('lists', () => {
    const problems = (lines: readonly string[]) => model(lines, pages).problems;
    expect(problems(network('ListNetworks'))[0]).toBe(
      '7: GET /projects/{project_id}/networks returns a list; state read: { list: ListNetworks }',
    );
    const found = network(list('page_token'), ['    findBy: { fields: [name], list: GetProject }']);
    expect(problems(found)).toEqual([
      '9: the response of GetProject is no list; state items, the field that has the list',
    ]);
  });
});

describe('an ID', () => {
  const nimbus = parseDocument(
    readFileSync(join(import.meta.dirname, '../testdata/pages/openapi.yaml'), 'utf8'),
  );
  const project = (more: string) => [
    '  Project:',
    '    create: { operation: CreateProject, result: data }',
    '    read: { operation: GetProject, result: data }',
    `    delete: DeleteProject${more}`,
  ];

  test.each([
    { what: 'is unique, if the API chooses a UUID', lines: project(''), document: nimbus, isUnique: true },
    { what: 'is not, if the author says so', lines: project('\n    uniqueId: false'), document: nimbus },
    { what: 'is not, if it is a number', lines: team, document: forge },
    {
      what: 'is, if the author says so',
      lines: [...team, '    uniqueId: true'],
      document: forge,
      isUnique: true,
    },
  ])('$what', ({ lines, document, isUnique }) => {
    const { kinds, problems } = model(lines, document);
    expect([problems, kinds[0]?.definition.id.isUnique]).toEqual([[], isUnique]);
  });
});

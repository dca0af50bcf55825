import { describe, expect, test } from '@jest/globals';
import { flatSchema } from './object-properties.ts';
import { constantParameters, parseDocument, withParameters } from './openapi-document.ts';
import { structuralSchema } from './structural-schema.ts';

const document = (more: object, version = '3.1.0') =>
  parseDocument(
    JSON.stringify({ openapi: version, info: { title: 'Files', version: '1' }, paths: {}, ...more }),
  );

describe('a document', () => {
  test('of OpenAPI 2.0 is read as one of 3.0', () => {
    const { operation, url, authentication } = parseDocument(`
swagger: "2.0"
info: { title: Files, version: "1" }
host: files.example.org
basePath: /v2
schemes: [https]
securityDefinitions: { key: { type: apiKey, in: header, name: X-Key } }
definitions: { Folder: { type: object, properties: { title: { type: string } } } }
paths:
  /folders/{id}:
    put:
      operationId: put
      consumes: [application/json]
      produces: [application/json]
      parameters:
        - { name: id, in: path, required: true, type: integer }
        - { name: body, in: body, schema: { $ref: "#/definitions/Folder" } }
      responses: { 200: { description: ok, schema: { $ref: "#/definitions/Folder" } } }
`);
    expect([url, authentication]).toEqual(['https://files.example.org/v2', { header: 'X-Key' }]);
    const put = operation('PUT /folders/{id}');
    expect(put).toBe(operation('put'));
    expect(put?.parameters).toMatchObject([
      { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
    ]);
    expect(put?.request).toEqual({
      contentType: 'application/json',
      schema: { $ref: '#/components/schemas/Folder' },
    });
    expect(put?.responses).toMatchObject([{ status: 200, content: { contentType: 'application/json' } }]);
  });

  test.each([
    ['[]', 'it is no mapping'],
    ['openapi: 4.0.0', 'it is no OpenAPI document of version 2.0, 3.0 or 3.1: it has openapi: 4.0.0'],
    ['swagger: "1.2"', 'it has swagger: 1.2'],
    ['{"openapi":', 'Unexpected end of JSON input'],
    ['openapi: 2', 'it has openapi: 2'],
    [
      'swagger: "2.0"\npaths: { /a: { get: { parameters: [{ name: x }] } } }',
      'it cannot be read as OpenAPI 2.0: ',
    ],
  ])('%j is none', (text, message) => {
    expect(() => parseDocument(text)).toThrow(message);
  });

  test.each([
    'openapi: 3.0',
    'openapi: 3.1',
    'swagger: 2.0',
    '\ufeff{"openapi": "3.0.3"}',
    '\ufeffopenapi: 3.0.3',
  ])('may begin with %j', (text) => {
    expect(parseDocument(text).title).toBe('the API');
  });

  test.each([
    ['#/components/schemas/100%', 'it has no #/components/schemas/100%'],
    ['#/components/schemas/None', 'it has no #/components/schemas/None'],
    ['other.yaml#/Folder', 'other.yaml#/Folder is in another file; bundle the document into one first'],
    ['#/components/schemas/Loop', 'refers to itself'],
  ])('with the reference %s is refused', ($ref, message) => {
    const components = { schemas: { Loop: { $ref: '#/components/schemas/Loop' } } };
    expect(() => document({ components }).resolve({ $ref })).toThrow(message);
  });

  test.each([
    [{ type: 'http', scheme: 'Bearer' }, 'bearer'],
    [{ type: 'http', scheme: 'basic' }, 'basic'],
    [{ type: 'apiKey', in: 'header', name: 'Authorization' }, 'bearer'],
    [
      { type: 'apiKey', in: 'header', name: 'Authorization', description: '`Token token=<key>`' },
      { header: 'Authorization' },
    ],
    [{ type: 'apiKey', in: 'query', name: 'key' }, { query: 'key' }],
    [{ type: 'oauth2', flows: { clientCredentials: {} } }, 'client-credentials'],
    [{ type: 'oauth2', flows: { implicit: {} } }, undefined],
  ])('with the scheme %j is authorized by %j', (scheme, expected) => {
    expect(document({ components: { securitySchemes: { a: scheme } } }).authentication).toEqual(expected);
  });

  test('in YAML may have anchors, aliases and merge keys', () => {
    const { resolve } = parseDocument(`
openapi: 3.0.3
info: { title: Files, version: "1" }
x-base: &base { type: object, properties: &members { id: { type: string } } }
components:
  schemas:
    Folder: { <<: *base, description: A folder. }
    Note: { type: object, properties: { <<: *members, text: { type: string } } }
paths: {}
`);
    const names = (name: string) => [
      ...flatSchema({ $ref: `#/components/schemas/${name}` }, { resolve }).properties.keys(),
    ];
    expect([names('Folder'), names('Note')]).toEqual([['id'], ['id', 'text']]);
  });

  test('whose operations are broken has the others, and says what is wrong', () => {
    const content = { 'application/x-www-form-urlencoded': { schema: {} }, 'multipart/form-data': {} };
    const { operation, operations } = document({
      paths: {
        '/folders': {
          get: { operationId: 'handle', responses: {} },
          post: { operationId: 'handle', requestBody: { $ref: '#/components/requestBodies/Folder' } },
          put: { requestBody: { content } },
        },
      },
    });
    expect(operations.map(({ route, problem }) => [route, problem])).toEqual([
      ['GET /folders', undefined],
      ['POST /folders', 'it has no #/components/requestBodies/Folder'],
      ['PUT /folders', 'its request is application/x-www-form-urlencoded or multipart/form-data, not JSON'],
    ]);
    expect(operation('handle')?.problem).toContain('several operations have the operationId handle');
    expect(operation('GET /folders')?.problem).toBeUndefined();
  });

  test.each([
    'Application/JSON',
    'text/json',
    'application/json;charset=utf-8',
    'application/vnd.Files.v2+JSON',
  ])('has JSON of the type %s', (type) => {
    const requestBody = { content: { [type]: { schema: { type: 'object' } } } };
    const { operation } = document({ paths: { '/a': { post: { requestBody } } } });
    expect(operation('POST /a')?.request?.contentType).toBe(type);
  });

  test('of version 3.2 is read as one of 3.1, and one without a version is refused', () => {
    expect(document({}, '3.2.0').operations).toEqual([]);
    expect(() => parseDocument('{}')).toThrow('it has neither openapi nor swagger');
  });

  test('that requires several headers at once is authorized by all of them, in the first of its requirements', () => {
    const headerOf = (name: string) => ({ type: 'apiKey', in: 'header', name });
    const securitySchemes = {
      oauth: { type: 'oauth2', flows: { implicit: {} } },
      apiKey: headerOf('X-Api-Key'),
      appKey: headerOf('X-App-Key'),
    };
    const of = (security: readonly object[]) =>
      document({ security, components: { securitySchemes } }).authentication;
    const both = { headers: { 'X-Api-Key': 'apiKey', 'X-App-Key': 'appKey' } };
    expect(of([{ apiKey: [], appKey: [] }])).toEqual(both);
    expect(of([{ oauth: [] }, { apiKey: [], appKey: [] }])).toEqual(both);
    expect(of([{ apiKey: [] }, { apiKey: [], appKey: [] }])).toEqual({ header: 'X-Api-Key' });
    expect(of([{ appKey: [] }])).toEqual({ header: 'X-App-Key' });
    expect(of([{ apiKey: [], unknown: [] }])).toEqual({ header: 'X-Api-Key' });
  });

  test('has only addresses that are complete', () => {
    const servers = [
      { url: '/v1' },
      { url: 'https://{region}.example.org' },
      { url: 'https://example.org/v1/' },
    ];
    expect(document({ servers })).toMatchObject({ url: 'https://example.org/v1', exampleUrl: undefined });
    for (const url of [
      'http://localhost:8080/api/v2',
      'https://127.0.0.1/v1',
      '/v1',
      'https://{site}.example.org',
    ])
      expect(document({ servers: [{ url }] })).toMatchObject({ url: undefined, exampleUrl: url });
  });
});

describe('a schema', () => {
  const components = {
    schemas: {
      Base: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      Node: {
        type: 'object',
        properties: { name: { type: 'string' }, next: { $ref: '#/components/schemas/Node' } },
      },
    },
  };
  const of = (schema: object, use: 'spec' | 'status' = 'spec') =>
    structuralSchema(schema, document({ components }), { use, name: 'value' });

  test('merges allOf, and alternatives of which one is null', () => {
    const all = {
      allOf: [
        { $ref: '#/components/schemas/Base' },
        { properties: { b: { type: 'integer' } }, required: ['b'] },
      ],
    };
    const { properties, required } = flatSchema({ anyOf: [all, { type: 'null' }] }, document({ components }));
    expect([[...properties.keys()], [...required]]).toEqual([
      ['id', 'b'],
      ['id', 'b'],
    ]);
  });

  test.each([
    [
      { type: ['string', 'null'], description: 'A name' },
      { type: 'string', description: 'A name.', maxLength: 65_536 },
    ],
    [
      { type: 'string', nullable: true, enum: ['a', 'b', null], maxLength: 3 },
      { type: 'string', description: 'The value. One of: a, b.', maxLength: 3 },
    ],
    [
      { type: 'string', pattern: '^(?=x)', format: 'email' },
      { type: 'string', description: 'The value.', maxLength: 65_536 },
    ],
    [
      { type: 'integer', format: 'int32', minimum: 1 },
      { type: 'integer', description: 'The value.', format: 'int32', minimum: 1 },
    ],
    [
      { type: 'object', additionalProperties: { type: 'boolean' } },
      {
        type: 'object',
        description: 'The value.',
        maxProperties: 1024,
        additionalProperties: { type: 'boolean' },
      },
    ],
    [
      { type: 'object' },
      { type: 'object', description: 'The value.', 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [
      { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      { description: 'The value.', 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [
      { items: { type: 'string' } },
      {
        type: 'array',
        description: 'The value.',
        maxItems: 1024,
        items: { type: 'string', maxLength: 65_536 },
      },
    ],
  ])('%j is %j in a CRD', (schema, expected) => {
    expect(of(schema)).toEqual(expected);
  });

  test('that contains itself is any JSON at the second time', () => {
    expect(of({ $ref: '#/components/schemas/Node' }, 'status').properties?.next).toEqual({
      description: 'The next.',
      'x-kubernetes-preserve-unknown-fields': true,
    });
  });

  test('of a status is nullable where the API returns null, and without limits of requests', () => {
    expect(of({ type: 'integer', nullable: true, maximum: 3 }, 'status')).toEqual({
      type: 'integer',
      description: 'The value.',
      nullable: true,
    });
  });

  test('has in the spec what is not readOnly, in the status what is not writeOnly', () => {
    const schema = {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string', readOnly: true }, b: { type: 'string', writeOnly: true } },
    };
    expect([Object.keys(of(schema).properties ?? {}), of(schema).required]).toEqual([['b'], undefined]);
    expect(Object.keys(of(schema, 'status').properties ?? {})).toEqual(['a']);
  });
});

describe('parameters of paths that have one value', () => {
  const parameter = (name: string, more: object) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', ...more },
  });
  const versioned = parseDocument(
    JSON.stringify({
      openapi: '3.0.0',
      info: { title: 'T', version: '1' },
      paths: {
        '/{apiVersion}/nets': {
          parameters: [parameter('apiVersion', { default: 'v4', enum: ['v4', 'beta'] })],
          get: { operationId: 'listNets', responses: {} },
        },
        '/{apiVersion}/nets/{id}': {
          parameters: [parameter('apiVersion', { enum: ['beta'] }), parameter('id', {})],
          get: { operationId: 'getNet', responses: {} },
          put: { responses: {} },
        },
        '/{apiVersion}/ports': {
          parameters: [parameter('apiVersion', { default: 'v4' })],
          get: { responses: {} },
          post: { responses: {} },
        },
      },
    }),
  );

  test('are those with a default or one possible value in each operation; the most frequent one counts', () => {
    expect(constantParameters(versioned)).toEqual({ apiVersion: 'v4' });
  });

  test('are part of the paths, and operations are found by both forms', () => {
    const filled = withParameters(versioned, { apiVersion: 'v4' });
    expect(filled.operation('GET /{apiVersion}/nets/{id}')?.path).toBe('/v4/nets/{id}');
    expect(filled.operation('GET /v4/nets/{id}')?.parameters.map(({ name }) => name)).toEqual(['id']);
    expect(filled.operation('getNet')?.route).toBe('GET /v4/nets/{id}');
    expect(filled.operation('getNets')).toBeUndefined();
  });
});

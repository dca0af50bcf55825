import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parseDocument } from '../document/openapi-document.ts';
import { readProviderFile } from '../format/read-provider-file.ts';
import { candidatesOf } from './candidates.ts';
import { singular } from './collections.ts';
import { draftText } from './draft.ts';
import { largeDocument } from './large-document.fixture.ts';

const notes = readFileSync(new URL('../../../docs/authors/notes.openapi.yaml', import.meta.url), 'utf8');

test('a document of several hundred operations of many styles has a verdict for each collection, in seconds', () => {
  const { text, operations, expected } = largeDocument();
  expect(operations).toBeGreaterThan(700);
  const startedAt = performance.now();

  const document = parseDocument(text);
  const candidates = candidatesOf(document);

  expect(performance.now() - startedAt).toBeLessThan(20_000);
  expect(document.operations).toHaveLength(operations);
  const found = new Map(candidates.map((candidate) => [candidate.path, candidate]));
  expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
  const wrong = [...expected].filter(([path, { verdict, reason }]) => {
    const { verdict: actual, reasons = [] } = found.get(path) ?? {};
    return actual !== verdict || (reason !== undefined && !reasons.some((each) => each.includes(reason)));
  });
  expect(wrong.map(([path, each]) => ({ path, each, found: found.get(path) }))).toEqual([]);
  expect(new Set(candidates.map(({ kind }) => kind)).size).toBe(candidates.length);
});

test('the draft of a large document can be read, and every kind in it is one of the format', () => {
  const document = parseDocument(largeDocument().text);
  const candidates = candidatesOf(document);
  const chosen = candidates.flatMap(({ kind, settings }) => (settings === undefined ? [] : [kind]));

  const text = draftText({
    ...{ name: 'all', group: 'all.example.org', file: 'openapi.json', sha256: '0'.repeat(64) },
    ...{ document, candidates, chosen },
  });

  const { value, problems } = readProviderFile('provider.yaml', text);
  expect(problems).toEqual([]);
  expect(Object.keys(value?.kinds ?? {}).sort()).toEqual([...chosen].sort());
});

test('the settings of a candidate are those that the document allows', () => {
  const document = parseDocument(notes);
  const byKind = new Map(candidatesOf(document).map((candidate) => [candidate.kind, candidate]));

  expect([...byKind.values()].map(({ kind, verdict }) => [kind, verdict])).toEqual([
    ['Folder', 'complete'],
    ['Note', 'complete'],
    ['Token', 'read by list'],
    ['Setting', 'no kind'],
  ]);
  expect(byKind.get('Note')?.settings?.fields).toEqual({ folder_id: { reference: { kind: 'Folder' } } });
  expect(byKind.get('Token')?.settings).toMatchObject({
    read: { pages: { by: 'number', parameter: 'page', sizeParameter: 'per_page', size: 50 } },
    fields: { id: { name: 'folderId', reference: { kind: 'Folder' } } },
    connection: { key: { from: 'create', field: 'key' } },
  });
});

test('constant fields, and objects that refer to others, are stated by their paths', () => {
  const document = parseDocument(
    readFileSync(new URL('../testdata/wrapped/openapi.yaml', import.meta.url), 'utf8'),
  );
  const candidates = candidatesOf(document);
  expect(candidates.map(({ kind, verdict }) => [kind, verdict])).toEqual([
    ['Policy', 'complete'],
    ['Service', 'complete'],
    ['Subscription', 'complete'],
  ]);
  expect(candidates.map(({ settings }) => settings?.fields)).toEqual([
    { type: { value: 'policy' } },
    {
      type: { value: 'service' },
      'policy.id': { reference: { kind: 'Policy' } },
      'policy.type': { value: 'policy_reference' },
    },
    { type: { value: 'subscription' }, 'delivery_method.type': { value: 'http_delivery_method' } },
  ]);
  const text = draftText({
    ...{ name: 'oncall', group: 'oncall.example.org', file: 'openapi.yaml', sha256: '0'.repeat(64) },
    ...{ document, candidates, chosen: ['Policy', 'Service'] },
  });
  expect(text).toContain('  authentication:\n    header: Authorization\n');
  expect(text).toContain('      policy.id:\n        reference: Policy\n');
  expect(readProviderFile('provider.yaml', text).problems).toEqual([]);
});

test('habits of APIs are found: creates elsewhere, IDs of users, JSON Patch, links of pages, references in lists', () => {
  const text = { type: 'string' };
  const content = (schema: object) => ({ content: { 'application/json': { schema } } });
  const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
  const list = (items: object) => ({ type: 'array', items });
  const ok = (schema?: object, headers: object = {}) => ({
    responses: { 200: { description: 'ok', headers, ...(schema === undefined ? {} : content(schema)) } },
  });
  const steps = list(object({ op: text, path: text, value: {} }));
  const project = object({ _id: text, key: text, name: text });
  const channel = object({ id: text, name: text });
  const rule = object({
    team_ids: list(text),
    members: list(object({ user_id: text, project: object({ id: text }) })),
  });
  const document = parseDocument(
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'x', version: '1' },
      paths: {
        '/api/0/projects': {
          post: { requestBody: content(object({ key: text, name: text }, ['key'])), ...ok(project) },
        },
        '/api/0/projects/{projectKey}': {
          get: ok(project),
          patch: { requestBody: content(object({ comment: text, patch: steps })), ...ok(project) },
          delete: ok(),
        },
        '/guilds/{guild_id}/channels': { post: { requestBody: content(channel), ...ok(channel) } },
        '/channels/{channel_id}': {
          get: ok(channel),
          patch: { requestBody: content(steps), ...ok() },
          delete: ok(),
        },
        '/teams': {
          get: ok(list(channel), { Link: { schema: text } }),
          post: { requestBody: content(channel), ...ok(channel) },
        },
        '/teams/{id}': { delete: ok() },
        '/users': {
          get: ok(object({ items: list(channel), next: { type: ['string', 'null'], format: 'uri' } })),
          post: { requestBody: content(channel), ...ok(channel) },
        },
        '/users/{id}': { delete: ok() },
        '/rules': { post: { requestBody: content(rule), ...ok(undefined, { Location: { schema: text } }) } },
        '/rules/{id}': { get: ok({ allOf: [rule, channel] }), delete: ok() },
      },
    }),
  );
  const found = candidatesOf(document);
  expect(found.map(({ path, kind, verdict }) => [path, kind, verdict])).toEqual([
    ['/api/0/projects', 'Project', 'complete'],
    ['/channels', 'Channel', 'complete'],
    ['/teams', 'Team', 'read by list'],
    ['/users', 'User', 'read by list'],
    ['/rules', 'Rule', 'no update'],
  ]);
  expect(found.map(({ settings, reasons }) => settings ?? reasons)).toMatchObject([
    { id: { '': 'spec.key' }, update: { request: 'patch' } },
    {
      create: { operation: 'POST /guilds/{guild_id}/channels' },
      id: {},
      update: { operation: 'PATCH /channels/{channel_id}' },
    },
    { read: { pages: { by: 'link' } } },
    { read: { pages: { by: 'link', next: 'next' } } },
    {
      fields: {
        team_ids: { reference: { kind: 'Team' } },
        'members.user_id': { reference: { kind: 'User' } },
        'members.project.id': { reference: { kind: 'Project' } },
      },
    },
  ]);
});

test('kinds that are not chosen are comments, and references to them are left out', () => {
  const document = parseDocument(notes);
  const text = draftText({
    ...{ name: 'notes', group: 'notes.example.org', file: 'openapi.yaml', sha256: '0'.repeat(64) },
    ...{ document, candidates: candidatesOf(document), chosen: ['Note'] },
  });

  const { value, problems } = readProviderFile('provider.yaml', text);
  expect(problems).toEqual([]);
  expect(Object.keys(value?.kinds ?? {})).toEqual(['Note']);
  expect(value?.kinds.Note?.fields).toEqual({});
  expect(text).toContain(
    '  # /folders/{id}/tokens: read by list (3 fields)\n  # Token:\n  #   create: POST /folders/{id}/tokens\n',
  );
});

test.each([
  ['policies', 'policy'],
  ['addresses', 'address'],
  ['databases', 'database'],
  ['statuses', 'status'],
  ['branches', 'branch'],
  ['keys', 'key'],
  ['analysis', 'analysis'],
  ['people', 'person'],
])('%s are several of %s', (several, one) => {
  expect(singular(several)).toBe(one);
});

test('where the user names it, POST creates it and PUT updates it; states of work are pending', () => {
  const text = { type: 'string' };
  const states = [
    'running',
    'sleeping',
    'warning',
    'resuming',
    'restoring',
    'backing_up',
    'rebooting',
    'suspending',
  ];
  const schema = {
    type: 'object',
    properties: { plan: text, name: text, state: { ...text, readOnly: true, enum: states } },
  };
  const content = { 'application/json': { schema } };
  const body = { requestBody: { content } };
  const answer = { responses: { 200: { description: 'ok', content } } };
  const document = parseDocument(
    JSON.stringify({
      openapi: '3.0.0',
      info: { title: 'T', version: '1' },
      paths: {
        '/databases': { get: { responses: {} } },
        '/databases/{name}': {
          parameters: [{ name: 'name', in: 'path', required: true, schema: text }],
          post: { operationId: 'create', ...body, ...answer },
          put: { operationId: 'update', ...body, ...answer },
          get: { operationId: 'get', ...answer },
          delete: { operationId: 'remove', responses: {} },
        },
      },
    }),
  );
  const [candidate] = candidatesOf(document);
  expect(candidate?.settings).toMatchObject({
    create: { operation: 'POST /databases/{name}' },
    update: { operation: 'PUT /databases/{name}' },
  });
  const { settings } = candidatesOf(
    parseDocument(
      JSON.stringify({
        ...{ openapi: '3.0.0', info: { title: 'T', version: '1' } },
        paths: {
          '/servers': {
            post: {
              operationId: 'create',
              requestBody: {
                content: { 'application/json': { schema: { type: 'object', properties: { plan: text } } } },
              },
              ...answerWithId(schema),
            },
          },
          '/servers/{id}': {
            get: { operationId: 'get', ...answerWithId(schema) },
            delete: { operationId: 'remove', responses: {} },
          },
        },
      }),
    ),
  )[0] ?? { settings: undefined };
  expect(settings?.ready).toEqual({
    field: 'state',
    values: ['running'],
    pending: ['resuming', 'restoring', 'backing_up', 'rebooting', 'suspending'],
  });
});

function answerWithId(schema: { readonly type: string; readonly properties: object }) {
  const content = {
    'application/json': {
      schema: { ...schema, properties: { id: { type: 'string' }, ...schema.properties } },
    },
  };
  return { responses: { 200: { description: 'ok', content } } };
}

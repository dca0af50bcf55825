import { expect, test } from '@jest/globals';
import { parseDocument } from '../document/openapi-document.ts';
import { candidatesOf } from './candidates.ts';
import { draftText } from './draft.ts';

const text = { type: 'string' };
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const named = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const content = (schema: object) => ({ content: { 'application/json': { schema } } });
const sends = (schema: object) => ({ requestBody: content(schema) });
const returns = (schema?: object, status = 200, headers: object = {}) => ({
  responses: { [status]: { description: 'ok', headers, ...(schema === undefined ? {} : content(schema)) } },
});

/** By kind; of those that cannot be one, the reasons. */
function candidates(paths: object, schemas: object = {}) {
  const document = parseDocument(
    JSON.stringify({ openapi: '3.0.0', info: { title: 'T', version: '1' }, paths, components: { schemas } }),
  );
  return Object.fromEntries(
    candidatesOf(document).map(({ kind, settings, reasons, verdict }) => [
      kind,
      settings === undefined || reasons.length > 0 ? `${verdict}: ${reasons.join('; ')}` : settings,
    ]),
  );
}

test('a PUT that the document calls an update creates nothing', () => {
  const user = object({ id: text, name: text });
  const paths = (put: object) => ({
    '/users': { get: returns({ type: 'array', items: user }) },
    '/users/{id}': {
      get: returns(user),
      put: { ...sends(object({ name: text, id: text })), ...returns(user), ...put },
      delete: returns(),
    },
  });
  const refused = 'no kind: no operation creates one; PUT /users/{id} changes one, says the document';
  expect(candidates(paths({ operationId: 'updateUser_1' }))).toEqual({ User: refused });
  expect(candidates(paths({ summary: 'Updates the user' }))).toEqual({ User: refused });
  for (const put of [{ operationId: 'putUser' }, { summary: 'Create or update a user' }, {}])
    expect(candidates(paths(put))).toMatchObject({ User: { create: { operation: 'PUT /users/{id}' } } });
});

test('an item at the top is created below the collection around it, also where its name has both words', () => {
  const field = object({ id: text, name: text });
  const found = candidates({
    '/catalogs': { post: { ...sends(field), ...returns(field) } },
    '/catalogs/{id}': { get: returns(field), delete: returns() },
    '/catalogs/{catalog_id}/fields': { get: returns(), post: { ...sends(field), ...returns(field) } },
    '/catalog_fields/{id}': {
      get: returns(field),
      put: { operationId: 'updateCatalogField', ...sends(field), ...returns(field) },
      delete: returns(),
    },
  });
  expect(found).toMatchObject({
    CatalogField: {
      create: { operation: 'POST /catalogs/{catalog_id}/fields' },
      update: { operation: 'PUT /catalog_fields/{id}' },
      fields: { catalog_id: { reference: { kind: 'Catalog' } } },
    },
  });
});

test('of PATCH and PUT the one that changes more fields is the update', () => {
  const robot = object({ id: text, name: text, secret: text, duration: { type: 'integer' } });
  const secret = object({ secret: text });
  const paths = (patch: object) => ({
    '/robots': { post: { ...sends(robot), ...returns(robot) } },
    '/robots/{id}': {
      get: returns(robot),
      patch: { ...sends(patch), ...returns() },
      put: { ...sends(robot), ...returns() },
      delete: returns(),
    },
  });
  expect(candidates(paths(secret))).toMatchObject({ Robot: { update: { operation: 'PUT /robots/{id}' } } });
  expect(candidates(paths(robot))).toMatchObject({ Robot: { update: { operation: 'PATCH /robots/{id}' } } });
});

test('secrets within objects, times of the API, and what create alone returns', () => {
  const registry = {
    ...{ name: text, update_time: text, created_at: text, start_time: text },
    credential: object({ type: text, access_secret: text, oauth: object({ client_secret: text }) }),
  };
  const paths = {
    '/registries': {
      post: { ...sends(object({ ...registry, secret: text, key: text })), ...returns(named('Created'), 201) },
    },
    '/registries/{id}': { get: returns(named('Registry')), delete: returns() },
  };
  const found = candidates(paths, {
    Registry: object({ id: text, ...registry, secret: text }),
    Created: object({ id: text, secret: text, key: text, host: text }),
  });
  expect(found.Registry).toMatchObject({
    omit: ['update_time', 'created_at'],
    fields: {
      secret: { secret: true },
      'credential.access_secret': { secret: true },
      'credential.oauth.client_secret': { secret: true },
    },
    // The key is what users have sent.
    connection: { secret: { from: 'create', field: 'secret' } },
  });
});

test('references are to what can be a kind, and by name where the parameter wants one', () => {
  const project = object({ project_id: { type: 'integer' }, name: text });
  const rule = object({ id: text, plan_id: text, project_id: text });
  const found = candidates({
    '/plans': { get: returns({ type: 'array', items: project }) },
    '/plans/{id}': { get: returns(project) },
    '/projects': {
      post: { ...sends(object({ project_name: text })), ...returns(undefined, 201, { Location: {} }) },
    },
    '/projects/{project_name_or_id}': { get: returns(project), delete: returns() },
    '/projects/{project_name}/rules': { post: { ...sends(rule), ...returns(rule, 201) } },
    '/projects/{project_name}/rules/{id}': { get: returns(rule), delete: returns() },
  });
  expect((found.Rule as { fields: object }).fields).toEqual({
    project_name: { reference: { kind: 'Project', value: 'spec.forProvider.projectName' } },
    project_id: { reference: { kind: 'Project' } },
  });
});

test('a create that ends later is one whose response a GET of operations returns', () => {
  const paths = {
    '/databases': { post: { ...sends(object({ name: text })), ...returns(named('Task'), 202) } },
    '/databases/{databaseId}': {
      get: returns(object({ databaseId: { type: 'integer' }, name: text })),
      delete: returns(named('Task'), 202),
    },
    '/tasks/{taskId}': { get: returns(named('Task')) },
  };
  const task = (states: object) => ({
    Task: object({
      ...{ taskId: text, description: text, status: { type: 'string', ...states } },
      response: object({ resourceId: { type: 'integer' } }),
    }),
  });
  const states = { enum: ['received', 'processing-in-progress', 'processing-completed', 'processing-error'] };
  expect(candidates(paths, task(states))).toMatchObject({
    Database: {
      create: {
        operation: 'POST /databases',
        later: {
          ...{ from: 'taskId', read: 'GET /tasks/{taskId}', state: 'status', result: 'response' },
          ...{ succeeded: ['processing-completed'], failed: ['processing-error'], message: 'description' },
        },
      },
      delete: { operation: 'DELETE /databases/{databaseId}', later: { from: 'taskId', state: 'status' } },
      id: {},
      connection: {},
    },
  });
  expect(candidates(paths, task({})).Database).toMatch(/state later/);
});

test('an address of this machine is no address of the API, and its path is told', () => {
  const document = parseDocument(
    JSON.stringify({ openapi: '3.0.0', info: {}, paths: {}, servers: [{ url: 'http://localhost/api/v2' }] }),
  );
  const draft = draftText({
    ...{ name: 'x', group: 'x.example.org', file: 'openapi.json', sha256: '0'.repeat(64) },
    ...{ document, candidates: [], chosen: [] },
  });
  expect(draft).not.toMatch(/^ *url:/m);
  expect(draft).toMatch(/^# The server of the document is of no user: http:\/\/localhost\/api\/v2\./m);
});

test('attributes beside a type are fields of the spec, with references and secrets of their own', () => {
  const attributes = object({ team_ids: { type: 'array', items: text }, token: text });
  const data = object({ type: { ...text, enum: ['teams'] }, attributes }, ['type', 'attributes']);
  const answer = object({ data: object({ id: text, ...data.properties }) });
  const found = candidates({
    '/teams': { post: { ...sends(object({ data })), ...returns(answer, 201) } },
    '/teams/{id}': { get: returns(answer), delete: returns() },
  });
  expect(found).toMatchObject({
    Team: {
      create: { request: 'data', result: 'data' },
      fields: {
        attributes: { flat: true },
        'attributes.team_ids': { reference: { kind: 'Team' } },
        'attributes.token': { secret: true },
        type: { value: 'teams' },
      },
    },
  });
});

test('relationships of JSON:API are references by their types, and lists of them within', () => {
  const to = (type: string) => object({ type: { ...text, enum: [type] }, id: text }, ['type', 'id']);
  const relationships = object({
    owner: object({ data: to('teams') }),
    watchers: object({ data: { type: 'array', items: to('teams') } }),
    team: object({ data: object({ type: text, id: text }) }),
    other: object({ data: to('users') }),
  });
  const data = object(
    { type: { ...text, enum: ['services'] }, attributes: object({ name: text }), relationships },
    ['type'],
  );
  const answer = object({ data: object({ id: text, ...data.properties }) });
  const collection = (noun: string) => ({
    [`/${noun}`]: { post: { ...sends(object({ data })), ...returns(answer, 201) } },
    [`/${noun}/{id}`]: { get: returns(answer), delete: returns() },
  });
  const found = candidates({ ...collection('teams'), ...collection('services') });
  expect((found.Service as { fields: object }).fields).toEqual({
    type: { value: 'services' },
    attributes: { flat: true },
    'relationships.owner.data.type': { value: 'teams' },
    'relationships.owner.data.id': { name: 'ownerId', reference: { kind: 'Team' } },
    'relationships.watchers.data.type': { value: 'teams' },
    'relationships.watchers.data.id': { reference: { kind: 'Team' } },
    'relationships.team.data.id': { name: 'teamId', reference: { kind: 'Team' } },
    'relationships.other.data.type': { value: 'users' },
  });
});

test.each([
  {
    what: 'within the only object of the response that has one',
    sent: { title: text, spec: object({ size: text }) },
    returned: { title: text, metadata: object({ id: text }), spec: object({ size: text }) },
    id: { '': 'metadata.id' },
  },
  {
    what: 'not the name of the object, if the API returns it and does not require it',
    ...{ sent: { thingId: text, size: text }, returned: { thingId: text, size: text }, id: {} },
  },
  {
    what: 'not the name of the object, if it is a UUID',
    ...{ sent: { thingId: { ...text, format: 'uuid' } }, returned: { thingId: text, size: text }, id: {} },
  },
  {
    what: 'the name of the object, if the request requires it',
    ...{
      sent: { thingId: text, size: text },
      required: ['thingId'],
      returned: { thingId: text, size: text },
    },
    id: { '': 'metadata.name' },
  },
] as readonly { what: string; sent: object; required?: string[]; returned: object; id: object }[])(
  'the ID is $what',
  ({ sent, required = [], returned, id }) => {
    const paths = {
      '/things': { post: { ...sends(object(sent, required)), ...returns(object(returned)) } },
      '/things/{thingId}': { get: returns(object(returned)), delete: returns() },
    };
    expect(candidates(paths)).toMatchObject({ Thing: { id } });
  },
);

test('secrets within lists are in Secrets', () => {
  const users = { type: 'array', items: object({ name: text, password: text }) };
  const sent = object({
    users,
    hooks: { type: 'array', items: object({ auth: object({ api_key: text }) }) },
  });
  const paths = {
    '/lists': { post: { ...sends(sent), ...returns(object({ id: text, users })) } },
    '/lists/{id}': { get: returns(object({ id: text, users })), delete: returns() },
  };
  expect(candidates(paths)).toMatchObject({
    List: { fields: { 'users.password': { secret: true }, 'hooks.auth.api_key': { secret: true } } },
  });
});

test('the fields within an object beside the ID are fields of the spec', () => {
  const properties = object({ name: text, cpu: { type: 'integer' } });
  const answer = object({
    id: text,
    properties,
    metadata: object({ state: text }),
    entities: object({ items: text }),
  });
  const found = candidates({
    '/servers': { post: { ...sends(object({ properties })), ...returns(answer, 202) } },
    '/servers/{serverId}': {
      get: returns(answer),
      put: { ...sends(object({ properties })), ...returns(answer) },
      delete: returns(),
    },
  });
  expect(found.Server).toBe('needs: create: the API answers 202; state later, the operation that ends later');
  const created = candidates({
    '/servers': { post: { ...sends(object({ properties })), ...returns(answer, 201) } },
    '/servers/{serverId}': { get: returns(answer), delete: returns() },
  });
  expect(created.Server).toMatchObject({
    create: { operation: 'POST /servers' },
    read: { operation: 'GET /servers/{serverId}' },
    fields: { properties: { flat: true } },
    id: {},
  });
});

test('a response with a list of one has the external resource as its first item', () => {
  const item = object({ id: text, name: text });
  const answer = object({ entities: { type: 'array', items: item }, errors: { type: 'array', items: text } });
  const found = candidates({
    '/hosts': { post: { ...sends(object({ name: text })), ...returns(answer) } },
    '/hosts/{id}': { get: returns(answer), delete: returns() },
  });
  expect(found.Host).toMatchObject({
    create: { result: 'entities.0' },
    read: { operation: 'GET /hosts/{id}', result: 'entities.0' },
    id: {},
  });
});

test('a large enum, and fields with names of JavaScript, are like others', () => {
  const zones = { ...text, enum: Array.from({ length: 5000 }, (_, index) => `zone-${index}`) };
  const thing = object({
    id: text,
    zone: zones,
    constructor: text,
    toString: text,
    valueOf: object({ name: text }),
  });
  const startedAt = performance.now();
  const found = candidates({
    '/things': { post: { ...sends(thing), ...returns(thing) } },
    '/things/{id}': { get: returns(thing), put: { ...sends(thing), ...returns(thing) }, delete: returns() },
  });
  expect(found).toMatchObject({ Thing: { update: { operation: 'PUT /things/{id}' } } });
  expect(performance.now() - startedAt).toBeLessThan(3000);
});

/** A large OpenAPI document of mixed styles, as big products have it: each area follows the habits of another team. */

type Json = { readonly [key: string]: unknown };

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Json) => ({ content: { 'application/json': { schema } } });
const answer = (status: number, schema?: Json) => ({
  [status]: { description: 'Success.', ...(schema === undefined ? {} : json(schema)) },
});
const body = (schema: Json) => ({ requestBody: { required: true, ...json(schema) } });
const text = { type: 'string' };
const path = (name: string, schema: Json = text) => ({ name, in: 'path', required: true, schema });
const gone = { responses: answer(204) };

/** Of one area: its paths, and what `candidatesOf` should make of its collection. */
interface Style {
  paths(noun: string, schema: string): Json;
  readonly verdict: string;
  /** In one of the reasons, if there are any. */
  readonly reason?: string;
}

const styles: readonly Style[] = [
  {
    verdict: 'complete',
    paths: (noun, schema) => ({
      [`/api/v1/${noun}s`]: {
        get: { responses: answer(200, { type: 'array', items: ref(schema) }) },
        post: { ...body(ref(schema)), responses: answer(201, ref(schema)) },
      },
      [`/api/v1/${noun}s/{id}`]: {
        parameters: [path('id')],
        get: { responses: answer(200, ref(schema)) },
        put: { ...body(ref(schema)), responses: answer(200, ref(schema)) },
        delete: gone,
      },
    }),
  },
  // Envelopes around requests and responses, numbers as IDs, PATCH beside PUT.
  {
    verdict: 'complete',
    paths: (noun, schema) => {
      const envelope = { type: 'object', properties: { [noun]: ref(schema) } };
      return {
        [`/v2/${noun}s`]: { post: { ...body(envelope), responses: answer(201, envelope) } },
        [`/v2/${noun}s/{${noun}_id}`]: {
          parameters: [path(`${noun}_id`, { type: 'integer' })],
          get: { responses: answer(200, envelope) },
          patch: { ...body(envelope), responses: answer(200, envelope) },
          put: { ...body(envelope), responses: answer(200, envelope) },
          delete: gone,
        },
      };
    },
  },
  // The client chooses the ID.
  {
    verdict: 'complete',
    paths: (noun, schema) => ({
      [`/${noun}-configs/{name}`]: {
        parameters: [path('name')],
        get: { responses: answer(200, ref(schema)) },
        put: { ...body(ref(schema)), responses: answer(200, ref(schema)) },
        delete: gone,
      },
    }),
  },
  {
    verdict: 'no update',
    paths: (noun, schema) => ({
      [`/projects/{project}/${noun}-keys/`]: {
        parameters: [path('project')],
        post: { ...body(ref(schema)), responses: answer(201, ref(schema)) },
      },
      [`/projects/{project}/${noun}-keys/{key}/`]: {
        parameters: [path('project'), path('key')],
        get: {
          responses: answer(200, { allOf: [ref(schema), { type: 'object', properties: { key: text } }] }),
        },
        delete: gone,
      },
    }),
  },
  {
    verdict: 'read by list',
    paths: (noun, schema) => ({
      [`/${noun}_rules`]: {
        get: {
          parameters: [
            { name: 'page_token', in: 'query', schema: text },
            { name: 'limit', in: 'query', schema: { type: 'integer' } },
          ],
          responses: answer(200, {
            type: 'object',
            properties: {
              items: { type: 'array', items: ref(schema) },
              warnings: { type: 'array', items: text },
              next_page_token: text,
            },
          }),
        },
        post: { ...body(ref(schema)), responses: answer(200, ref(schema)) },
      },
      [`/${noun}_rules/{id}`]: {
        parameters: [path('id')],
        put: { ...body(ref(schema)), responses: answer(200) },
        delete: gone,
      },
    }),
  },
  {
    verdict: 'needs',
    reason: 'state later',
    paths: (noun, schema) => ({
      [`/${noun}-clusters`]: { post: { ...body(ref(schema)), responses: answer(202, ref('Operation')) } },
      [`/${noun}-clusters/{id}`]: {
        parameters: [path('id')],
        get: { responses: answer(200, ref(schema)) },
        patch: { ...body(ref(schema)), responses: answer(202, ref('Operation')) },
        delete: { responses: answer(202, ref('Operation')) },
      },
    }),
  },
  {
    verdict: 'needs',
    reason: 'no response of success has a JSON schema',
    paths: (noun, schema) => ({
      [`/${noun}-reports`]: { post: { ...body(ref(schema)), responses: answer(201) } },
      [`/${noun}-reports/{id}`]: { parameters: [path('id')], get: { responses: answer(200) }, delete: gone },
    }),
  },
  {
    verdict: 'no kind',
    reason: 'no operation deletes one',
    paths: (noun, schema) => ({
      [`/${noun}-events`]: { post: { ...body(ref(schema)), responses: answer(201, ref(schema)) } },
      [`/${noun}-events/{id}`]: { parameters: [path('id')], get: { responses: answer(200, ref(schema)) } },
    }),
  },
  {
    verdict: 'no kind',
    reason: 'it has no #/components/schemas/Missing',
    paths: (noun) => ({
      [`/${noun}-drafts`]: { post: { ...body(ref('Missing')), responses: answer(201, ref('Missing')) } },
      [`/${noun}-drafts/{id}`]: {
        parameters: [path('id')],
        get: { responses: answer(200, ref('Missing')) },
        delete: gone,
      },
    }),
  },
  {
    verdict: 'no kind',
    reason: 'there is no path for one of several',
    paths: (noun, schema) => ({
      [`/${noun}-settings`]: {
        get: { responses: answer(200, ref(schema)) },
        put: { ...body(ref(schema)), responses: answer(200, ref(schema)) },
      },
    }),
  },
  // Actions and calls by name: no collection.
  {
    verdict: 'none',
    paths: (noun, schema) => ({
      [`/${noun}.create`]: { post: { ...body(ref(schema)), responses: answer(200, ref(schema)) } },
      [`/${noun}.delete`]: { post: { ...body(ref(schema)), responses: answer(200) } },
      [`/${noun}.list`]: { get: { responses: answer(200, ref(schema)) } },
    }),
  },
  // As OData has it.
  {
    verdict: 'complete',
    paths: (noun, schema) => ({
      [`/odata/${noun}Sets`]: { post: { ...body(ref(schema)), responses: answer(201, ref(schema)) } },
      [`/odata/${noun}Sets('{id}')`]: {
        parameters: [path('id')],
        get: { responses: answer(200, ref(schema)) },
        patch: {
          requestBody: {
            content: {
              'application/json-patch+json': { schema: { type: 'array', items: { type: 'object' } } },
              'application/merge-patch+json': { schema: ref(schema) },
            },
          },
          responses: answer(204),
        },
        delete: gone,
      },
    }),
  },
];

const nouns = [
  ...[
    'account',
    'agent',
    'alert',
    'annotation',
    'backup',
    'bucket',
    'certificate',
    'channel',
    'checkout',
    'connector',
    'contact',
  ],
  ...[
    'dashboard',
    'database',
    'dataset',
    'device',
    'domain',
    'endpoint',
    'environment',
    'firewall',
    'gateway',
    'group',
    'host',
  ],
  ...[
    'image',
    'incident',
    'integration',
    'invoice',
    'job',
    'monitor',
    'network',
    'node',
    'notifier',
    'panel',
    'pipeline',
    'plugin',
  ],
];

/** Properties of every kind: recursive, deep, nullable, of several types. */
const schemaOf = (noun: string): Json => ({
  type: 'object',
  required: ['title'],
  properties: {
    id: { type: 'string', readOnly: true },
    title: { type: 'string', description: `Title of the ${noun}.` },
    parent_id: { type: 'string', nullable: true },
    parent: ref(`Schema_${noun}`),
    labels: { type: 'object', additionalProperties: text },
    size: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    value: { oneOf: [text, { type: 'number' }, ref('Tree')] },
    settings: {
      allOf: [ref('Tree'), { type: 'object', properties: { mode: { type: 'string', enum: ['a', 'b'] } } }],
    },
    password: { type: 'string', format: 'password' },
    state: { type: 'string', enum: ['creating', 'active', 'failed'], readOnly: true },
  },
});

export interface LargeDocument {
  readonly text: string;
  readonly operations: number;
  /** By path of the collection. */
  readonly expected: ReadonlyMap<string, { readonly verdict: string; readonly reason: string | undefined }>;
}

export function largeDocument(): LargeDocument {
  const paths: Record<string, unknown> = {};
  const expected = new Map<string, { verdict: string; reason: string | undefined }>();
  for (const noun of nouns) {
    for (const style of styles) {
      const own = style.paths(noun, `Schema_${noun}`);
      Object.assign(paths, own);
      const [first = ''] = Object.keys(own);
      const collection = first.replace(/\/\{name\}$/, '');
      if (style.verdict !== 'none')
        expected.set(collection, { verdict: style.verdict, reason: style.reason });
    }
  }
  const schemas = {
    Tree: {
      type: 'object',
      properties: { name: text, children: { type: 'array', items: ref('Tree') }, next: ref('Tree') },
    },
    Operation: {
      type: 'object',
      properties: { operationId: text, status: { type: 'string', enum: ['RUNNING', 'DONE'] } },
    },
    ...Object.fromEntries(nouns.map((noun) => [`Schema_${noun}`, schemaOf(noun)])),
  };
  const methods = Object.values(paths).map((item) =>
    Object.keys(item as object).filter((key) => key !== 'parameters'),
  );
  return {
    text: JSON.stringify({
      openapi: '3.0.3',
      info: { title: 'Everything', version: '9' },
      paths,
      components: { schemas },
    }),
    operations: methods.flat().length,
    expected,
  };
}

/** Reads `provider.yaml`, and has its JSON schema. */
import type { Json, Position } from '../../codegen/source/source.ts';
import { KitError } from '../kit-command.ts';
import type {
  ApiSettings,
  Authentication,
  ConnectionSettings,
  CreateSettings,
  DeletedSettings,
  DeleteSettings,
  DocumentFile,
  FieldSettings,
  FindBySettings,
  KindSettings,
  LaterSettings,
  PagesSettings,
  Problem,
  ProviderFile,
  ReadSettings,
  ReadySettings,
  ReferenceSettings,
  UpdateSettings,
} from './provider-file.ts';
import {
  either,
  flag,
  isMapping,
  list,
  mapOf,
  oneOf,
  readYaml,
  record,
  report,
  type Shape,
  scalar,
  shortOr,
  text,
  wholeNumber,
  word,
} from './yaml-shape.ts';

const path = text.matching(/^[\w$-]+(?:\.[\w$-]+)*$/, 'a dotted path of fields such as metadata.id');
const fieldName = text.matching(/^[a-z][A-Za-z0-9]*$/, 'the name of a field in camel case');
const kindName = text.matching(/^[A-Z][A-Za-z0-9]*$/, 'a kind such as Folder');
const texts = list(text);
const words = list(word);

const documentFile = shortOr<DocumentFile>(
  text,
  (file) => ({ file }),
  record<DocumentFile>(
    { file: text, sha256: text.matching(/^[0-9a-f]{64}$/, 'a SHA-256 in hexadecimal') },
    { required: ['file'] },
  ),
);

const methods = ['bearer', 'basic', 'client-credentials', 'none'] as const;
const method = oneOf(...methods);
const headerName = text.matching(/^[-!#$%&'*+.^_`|~0-9A-Za-z]+$/, 'the name of a header');
const keyIn = record<{ header?: string; query?: string; headers?: Readonly<Record<string, string>> }>({
  header: text,
  query: text,
  headers: mapOf(headerName, word),
});
const authentication: Shape<Authentication> = {
  schema: { oneOf: [method.schema, keyIn.schema] },
  read: (place) =>
    shortOr<Authentication>(method, (value) => methods.find((each) => each === value) ?? 'none', {
      schema: keyIn.schema,
      read: (at) => {
        const key = keyIn.read(at);
        if (key === undefined) return undefined;
        const { header, query, headers } = key;
        if (Object.keys(key).length === 1) {
          if (header !== undefined) return { header };
          if (query !== undefined) return { query };
          if (headers !== undefined && Object.keys(headers).length > 0) return { headers };
        }
        return report(at, `must be ${methods.join(', ')}, or have one of header, query and headers`);
      },
    }).read(place),
};

const api = record<ApiSettings>({
  name: text,
  url: text.matching(
    /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/,
    'an address such as https://api.example.org/v1',
  ),
  authentication,
  headers: mapOf(headerName, text.matching(/^[\x20-\x7e]+$/, 'one line of ASCII')),
  query: mapOf(text, word),
  path: mapOf(text, word),
  notFound: oneOf('any'),
  terminalStatuses: list(wholeNumber(400)),
});

const later = record<LaterSettings>(
  {
    from: path,
    read: text,
    state: path,
    succeeded: words,
    failed: words,
    result: path,
    message: path,
    pollSeconds: wholeNumber(1),
  },
  { required: ['from', 'state', 'succeeded', 'failed'] },
);

const create = shortOr<CreateSettings>(
  text,
  (operation) => ({ operation }),
  record<CreateSettings>(
    { operation: text, request: path, result: path, later },
    { required: ['operation'] },
  ),
);

type PagesBy<B extends PagesSettings['by']> = Extract<PagesSettings, { by: B }>;
const byNumber = record<PagesBy<'number'>>(
  { by: oneOf('number'), parameter: text, first: wholeNumber(0), sizeParameter: text, size: wholeNumber(1) },
  { required: ['by', 'parameter', 'sizeParameter', 'size'] },
);
const byOffset = record<PagesBy<'offset'>>(
  { by: oneOf('offset'), parameter: text, sizeParameter: text, size: wholeNumber(1) },
  { required: ['by', 'parameter', 'sizeParameter', 'size'] },
);
const byToken = record<PagesBy<'token'>>(
  { by: oneOf('token'), parameter: text, next: path },
  { required: ['by', 'parameter', 'next'] },
);
const byLink = record<PagesBy<'link'>>({ by: oneOf('link'), next: path }, { required: ['by'] });
const pages = either<PagesSettings>(
  (place, has) => {
    if (has('by', 'number')) return byNumber;
    if (has('by', 'offset')) return byOffset;
    if (has('by', 'token')) return byToken;
    if (has('by', 'link')) return byLink;
    return report(place, 'by must be number, offset, token or link');
  },
  [byNumber, byOffset, byToken, byLink],
);

const findByLong = record<FindBySettings>(
  { fields: list(fieldName), list: text, items: path, pages },
  { required: ['fields'] },
);
const findBy: Shape<FindBySettings> = {
  schema: { oneOf: [list(fieldName).schema, findByLong.schema] },
  read: (place) => {
    if (isMapping(place)) return findByLong.read(place);
    const fields = list(fieldName).read(place);
    return fields === undefined ? undefined : { fields };
  },
};

type ReadOne = Extract<ReadSettings, { operation: string }>;
type ReadList = Extract<ReadSettings, { list: string }>;
const readOne = record<ReadOne>({ operation: text, result: path }, { required: ['operation'] });
const readList = record<ReadList>({ list: text, items: path, pages }, { required: ['list'] });
const read = shortOr<ReadSettings>(
  text,
  (operation) => ({ operation }),
  either<ReadSettings>((_, has) => (has('list') ? readList : readOne), [readOne, readList]),
);

const update = shortOr<UpdateSettings>(
  text,
  (operation) => ({ operation }),
  record<UpdateSettings>(
    {
      ...{ operation: text, request: path, echo: texts, ifMatch: flag, later },
      body: oneOf('all', 'changed', 'merged', 'json-patch'),
    },
    { required: ['operation'] },
  ),
);

const remove = shortOr<DeleteSettings>(
  text,
  (operation) => ({ operation }),
  record<DeleteSettings>({ operation: text, later }, { required: ['operation'] }),
);

const reference = shortOr<ReferenceSettings>(
  kindName,
  (kind) => ({ kind }),
  record<ReferenceSettings>({ kind: kindName, value: path }, { required: ['kind'] }),
);

const field = record<FieldSettings>({
  name: fieldName,
  description: text,
  required: flag,
  immutable: flag,
  writeOnly: flag,
  secret: flag,
  unordered: flag,
  lateInitialize: flag,
  nullable: flag,
  value: scalar,
  reference,
  flat: flag,
  update: text,
});

const ready = record<ReadySettings>(
  { field: path, values: words, pending: words, pollSeconds: wholeNumber(1) },
  { required: ['field', 'values'] },
);

const deleted = record<DeletedSettings>({ field: path, values: words }, { required: ['field'] });

const connectionText = text.matching(
  /^[\w$-]+(?:\.[\w$-]+)+$/,
  'a field of a response, such as create.key, read.url or getCredentials.password',
);
const connectionLong = record<{ operation: string; field: string }>(
  { operation: text, field: path },
  { required: ['operation', 'field'] },
);
const connection: Shape<ConnectionSettings> = {
  schema: { oneOf: [connectionText.schema, connectionLong.schema] },
  read: (place) => {
    if (isMapping(place)) {
      const long = connectionLong.read(place);
      return long && { from: long.operation, field: long.field };
    }
    const value = connectionText.read(place);
    if (value === undefined) return undefined;
    const dot = value.indexOf('.');
    return { from: value.slice(0, dot), field: value.slice(dot + 1) };
  },
};

const kind = record<KindSettings>(
  {
    plural: text.matching(/^[a-z][a-z0-9]*$/, 'a plural such as folders'),
    noun: text,
    description: text,
    scopes: list(oneOf('cluster', 'namespaced')),
    create,
    read,
    update,
    delete: remove,
    id: idShape(),
    uniqueId: flag,
    findBy,
    required: list(fieldName),
    omit: texts,
    only: texts,
    fields: mapOf(text, field),
    status: texts,
    ready,
    deleted,
    connection: mapOf(text.matching(/^[-._a-zA-Z0-9]+$/, 'the key of a Secret'), connection),
    requests: texts,
    immutable: oneOf('refuse', 'replace'),
    code: text.matching(/^[\w-]+(?:\/[\w.-]+)*\.ts$/, 'a file such as kinds/folder.ts'),
  },
  {
    required: ['create', 'read', 'delete'],
    defaults: { id: {}, required: [], omit: [], fields: {}, connection: {} },
  },
);

/** One source alone is that of the only parameter, which has the empty name here. */
function idShape(): KindShape['id'] {
  return shortOr(path, (from) => ({ '': from }), mapOf(text, path));
}
type KindShape = { readonly id: Shape<Readonly<Record<string, string>>> };

const providerFile = record<ProviderFile>(
  {
    name: text.matching(/^[a-z][a-z0-9-]*$/, 'a name of small letters, digits and dashes'),
    group: text.matching(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, 'an API group such as grafana.example.org'),
    version: text.matching(
      /^v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?$/,
      'a version such as v1 or v1alpha1',
    ),
    openapi: documentFile,
    api,
    kinds: mapOf(kindName, kind),
  },
  { required: ['name', 'group', 'openapi', 'kinds'], defaults: { version: 'v1alpha1', api: {} } },
);

/** For editors: JSON schema, draft 2020-12. */
export const providerFileSchema: { readonly [key: string]: Json } = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'provider.yaml of provider-kyma-kit',
  ...providerFile.schema,
};

/** The parsed file, or all its mistakes. */
export interface ReadProviderFile {
  readonly file: string;
  readonly value: ProviderFile | undefined;
  readonly problems: readonly Problem[];
  /** What could be read, also with mistakes; undefined if it is no YAML. */
  readonly partial: ProviderFile | undefined;
  /** Whether the value with a dotted path, or one within it, is missing from `partial`. */
  isBroken(path: string): boolean;
  /** Where the value with a dotted path stands, e.g. `kinds.Folder.read`, or else the nearest one around it. */
  at(path: string): Position;
}

export function readProviderFile(file: string, content: string): ReadProviderFile {
  return { file, ...readYaml(content, providerFile) };
}

/** Mistakes that the author corrects. The message has one line for each: `file:line:column: text`. */
export class ProviderFileError extends KitError {
  override readonly name = 'ProviderFileError';
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    super(problems.map(({ at, text }) => `${file}:${at.line}:${at.col}: ${text}`).join('\n'));
    this.problems = problems;
  }
}

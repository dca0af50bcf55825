/** An OpenAPI document of version 2.0, 3.0 or 3.1: its operations by name, with references resolved. */
import { upgrade } from '@scalar/openapi-upgrader';
import { parse } from 'yaml';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { isObject, ownMember } from '../../../internal/framework/base/json/json-value.ts';
import type { Authentication } from '../format/provider-file.ts';
import { withExample } from './examples.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export interface OpenapiDocument {
  /** The title of `info`. */
  readonly title: string;
  /** The first server with an absolute address that is not of this machine. */
  readonly url: string | undefined;
  /** Without such a server the first one, of which only the path counts: `http://localhost/api/v2`. */
  readonly exampleUrl: string | undefined;
  /** The first security scheme that requests can carry; undefined if it has none. */
  readonly authentication: Authentication | undefined;
  /** In the order of the document. */
  readonly operations: readonly Operation[];
  /** By operationId, or by method and path. */
  operation(name: string): Operation | undefined;
  /** What a `$ref` names, and its name; other values as they are. */
  resolve(value: unknown): { readonly value: JsonObject; readonly name: string | undefined };
}

export interface Operation {
  readonly id: string | undefined;
  readonly method: string;
  readonly path: string;
  /** `GET /v1/folders/{id}` */
  readonly route: string;
  readonly summary: string | undefined;
  readonly parameters: readonly Parameter[];
  /** The schema of the JSON request, and its content type. */
  readonly request: Content | undefined;
  /** Responses of success in ascending order of their status. */
  readonly responses: readonly OperationResponse[];
  /** Why it cannot be used, e.g. a reference that leads nowhere. Default: it can. */
  readonly problem?: string;
}

export interface OperationResponse {
  readonly status: number;
  readonly content: Content | undefined;
  /** Names of headers, in lower case. */
  readonly headers: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string | undefined;
  readonly schema: JsonObject;
}

export interface Content {
  readonly contentType: string;
  readonly schema: JsonObject;
}

/** The document cannot be used. The message completes `cannot read <file>: `. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** @throws DocumentError */
export function parseDocument(text: string): OpenapiDocument {
  const root = inVersion3(parsed(text));
  const resolve: OpenapiDocument['resolve'] = (start) => {
    let value = isObject(start) ? start : {};
    let name: string | undefined;
    for (let steps = 0; typeof value.$ref === 'string'; steps++) {
      if (steps === 16) throw new DocumentError(`${value.$ref} refers to itself`);
      name = value.$ref;
      value = pointed(root, value.$ref);
    }
    return { value, name };
  };
  const operations = Object.entries(objectAt(root, 'paths')).flatMap(([path, at]) => {
    const item = resolve(at).value;
    return METHODS.flatMap((method) => {
      const operation = item[method];
      return isObject(operation) ? [readable({ method, path, item, operation, resolve })] : [];
    });
  });
  const byName = new Map<string, Operation>();
  for (const operation of operations) {
    byName.set(operation.route, operation);
    const { id } = operation;
    if (id === undefined) continue;
    const twin = byName.get(id);
    const problem = `several operations have the operationId ${id}; name it by method and path, such as ${twin?.route}`;
    byName.set(id, twin === undefined ? operation : { ...twin, problem });
  }
  return {
    title: textOf(objectAt(root, 'info').title) ?? 'the API',
    ...serversOf(root),
    authentication: authenticationOf(root, resolve),
    operations,
    operation: (name) => byName.get(name.trim().replace(/ +/, ' ')),
    resolve,
  };
}

/** Path parameters that have one value for all requests, such as a version: `{ apiVersion: v4 }` in `/{apiVersion}/folders`. */
export function withParameters(
  document: OpenapiDocument,
  values: Readonly<Record<string, string>>,
): OpenapiDocument {
  const filled = (template: string) =>
    template.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      return value === undefined ? whole : encodeURIComponent(value);
    });
  const changed = new Map(
    document.operations.map((operation) => {
      const parameters = operation.parameters.filter(
        ({ name, in: place }) => place !== 'path' || !Object.hasOwn(values, name),
      );
      const { path, route } = operation;
      return [operation, { ...operation, path: filled(path), route: filled(route), parameters }];
    }),
  );
  const byRoute = new Map([...changed.values()].map((operation) => [operation.route, operation]));
  return {
    ...document,
    operations: [...changed.values()],
    operation: (name) => {
      const own = document.operation(name);
      return own === undefined ? byRoute.get(name.trim().replace(/ +/, ' ')) : (changed.get(own) ?? own);
    },
  };
}

/** Those whose schema has a default, or one possible value, in each operation: of several the most frequent one. */
export function constantParameters({ operations }: OpenapiDocument): Readonly<Record<string, string>> {
  const counts = new Map<string, Map<string, number>>();
  const open = new Set<string>();
  for (const { parameters } of operations)
    for (const { name, in: place, schema } of parameters) {
      if (place !== 'path') continue;
      const only = Array.isArray(schema.enum) && schema.enum.length === 1 ? schema.enum[0] : schema.const;
      const value = schema.default ?? only;
      if (typeof value !== 'string') open.add(name);
      else {
        const known = counts.get(name) ?? new Map<string, number>();
        counts.set(name, known.set(value, (known.get(value) ?? 0) + 1));
      }
    }
  return Object.fromEntries(
    [...counts]
      .filter(([name]) => !open.has(name))
      .map(([name, values]) => [name, [...values].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '']),
  );
}

function parsed(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    // A byte order mark counts as white space.
    const trimmed = text.trimStart();
    // Merge keys (`<<`) are of YAML 1.1, which documents use all the same.
    value = trimmed.startsWith('{') ? JSON.parse(trimmed) : parse(text, { maxAliasCount: 1000, merge: true });
  } catch (error) {
    throw new DocumentError(error instanceof Error ? error.message : String(error));
  }
  if (!isObject(value)) throw new DocumentError('it is no mapping');
  return { ...value };
}

/** OpenAPI 2.0 becomes 3.0; 3.0 and 3.1 differ in ways that the readers of schemas know, and what 3.2 has more is not read. */
function inVersion3(root: Record<string, unknown>): JsonObject {
  // In YAML a version without quotes is a number.
  if (root.openapi === 3 || /^3\.[012]\b/.test(String(root.openapi))) return root;
  if (/^2(\.0)?$/.test(String(root.swagger))) {
    try {
      return { ...upgrade({ ...root, swagger: '2.0' }, '3.0') };
    } catch (error) {
      throw new DocumentError(`it cannot be read as OpenAPI 2.0: ${messageOf(error)}`);
    }
  }
  throw new DocumentError(
    `it is no OpenAPI document of version 2.0, 3.0 or 3.1: it has ${
      root.openapi !== undefined
        ? `openapi: ${root.openapi}`
        : root.swagger !== undefined
          ? `swagger: ${root.swagger}`
          : 'neither openapi nor swagger'
    }`,
  );
}

/** The value that `#/components/schemas/Folder` names. */
function pointed(root: JsonObject, reference: string): JsonObject {
  if (!reference.startsWith('#/'))
    throw new DocumentError(`${reference} is in another file; bundle the document into one first`);
  let value: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const key = decoded(step)?.replaceAll('~1', '/').replaceAll('~0', '~');
    if (key === undefined) throw new DocumentError(`it has no ${reference}`);
    value = Array.isArray(value) ? value[Number(key)] : isObject(value) ? ownMember(value, key) : undefined;
  }
  if (!isObject(value)) throw new DocumentError(`it has no ${reference}`);
  return value;
}

function decoded(step: string): string | undefined {
  try {
    return decodeURIComponent(step);
  } catch {
    return undefined;
  }
}

interface At {
  readonly method: string;
  readonly path: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
  readonly resolve: OpenapiDocument['resolve'];
}

/** One that is broken is the matter of what uses it. */
function readable(at: At): Operation {
  try {
    return operationOf(at);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const { method, path, operation } = at;
    return {
      ...{ id: textOf(operation.operationId), method: method.toUpperCase(), path },
      route: `${method.toUpperCase()} ${path}`,
      ...{ summary: undefined, parameters: [], request: undefined, responses: [], problem: error.message },
    };
  }
}

function operationOf({ method, path, item, operation, resolve }: At): Operation {
  const parameters = new Map<string, Parameter>();
  for (const each of [...listOf(item.parameters), ...listOf(operation.parameters)]) {
    const { name, in: place, required, description, schema } = resolve(each).value;
    if (typeof name !== 'string' || typeof place !== 'string') continue;
    parameters.set(`${place} ${name}`, {
      name,
      in: place,
      required: required === true || place === 'path',
      description: textOf(description),
      schema: isObject(schema) ? schema : {},
    });
  }
  const responses = Object.entries(objectAt(operation, 'responses'))
    .flatMap(([code, response]): OperationResponse[] => {
      const status = successOf(code);
      const { value } = resolve(response);
      const headers = Object.keys(objectAt(value, 'headers')).map((name) => name.toLowerCase());
      return status === undefined ? [] : [{ status, content: contentOf(value, resolve), headers }];
    })
    .sort((a, b) => a.status - b.status);
  const body = resolve(operation.requestBody).value;
  const request = contentOf(body);
  const others = request === undefined ? Object.keys(objectAt(body, 'content')) : [];
  return {
    id: textOf(operation.operationId),
    method: method.toUpperCase(),
    path,
    route: `${method.toUpperCase()} ${path}`,
    summary: textOf(operation.summary) ?? textOf(operation.description),
    parameters: [...parameters.values()],
    request,
    responses,
    ...(others.length === 0 ? {} : { problem: `its request is ${others.join(' or ')}, not JSON` }),
  };
}

/** `default` is for errors; `2XX` is 200. */
function successOf(status: string): number | undefined {
  if (/^2XX$/i.test(status)) return 200;
  return /^2[0-9][0-9]$/.test(status) ? Number(status) : undefined;
}

/** A reference that leads nowhere is the matter of what uses it. */
function exampled(schema: JsonObject, media: JsonObject, resolve: OpenapiDocument['resolve']): JsonObject {
  try {
    return withExample(schema, media, resolve);
  } catch (error) {
    if (error instanceof DocumentError) return schema;
    throw error;
  }
}

const isAny = ([type]: readonly [string, unknown]) => type === '*/*';

/** Plain JSON first, then other media types that are JSON. With `resolve` the schema has what its example shows. */
function contentOf(holder: JsonObject, resolve?: OpenapiDocument['resolve']): Content | undefined {
  const types = Object.entries(objectAt(holder, 'content'));
  const isPlain = ([type]: readonly [string, unknown]) => /^(?:application|text)\/json *(?:;|$)/i.test(type);
  // A JSON Patch is a list of operations, not the object.
  const isJson = ([type]: readonly [string, unknown]) =>
    /^application\/[\w.-]+\+json\b/i.test(type) && !type.includes('json-patch');
  const isPatch = ([type]: readonly [string, unknown]) => type.startsWith('application/json-patch+json');
  const found = [isPlain, isJson, isAny, isPatch]
    .map((is) => types.find(is))
    .find((each) => each !== undefined);
  if (found === undefined) return undefined;
  const [contentType, media] = found;
  const schema = isObject(media) && isObject(media.schema) ? media.schema : {};
  const isResponse = resolve !== undefined && isObject(media);
  return { contentType, schema: isResponse ? exampled(schema, media, resolve) : schema };
}

function serversOf(root: JsonObject): Pick<OpenapiDocument, 'url' | 'exampleUrl'> {
  const urls = listOf(root.servers).flatMap((server) =>
    isObject(server) && typeof server.url === 'string' ? [server.url.replace(/\/$/, '')] : [],
  );
  const url = urls.find((each) => /^https?:\/\/[^{}]+$/.test(each) && !LOCAL.test(each));
  return { url, exampleUrl: url === undefined ? urls.find((each) => each !== '') : undefined };
}

const LOCAL = /^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)(?:[:/]|$)/;

/** What the document requires first and is known, else the first of its schemes that is. */
function authenticationOf(root: JsonObject, resolve: OpenapiDocument['resolve']): Authentication | undefined {
  const schemes = objectAt(objectAt(root, 'components'), 'securitySchemes');
  const of = (name: string) => {
    const scheme = ownMember(schemes, name);
    return scheme === undefined ? undefined : authenticationBy(resolve(scheme).value);
  };
  for (const requirement of listOf(root.security)) {
    const names = isObject(requirement) ? Object.keys(requirement) : [];
    const known = names.length === 1 ? of(names[0] ?? '') : headersOf(names, of);
    if (known !== undefined) return known;
  }
  return Object.keys(schemes)
    .map(of)
    .find((each) => each !== undefined);
}

/** Of schemes that are all required, if each is a header: their names are the members of the credentials. */
function headersOf(
  names: readonly string[],
  of: (name: string) => Authentication | undefined,
): Authentication | undefined {
  const headers: Record<string, string> = {};
  for (const name of names) {
    const known = of(name);
    if (typeof known !== 'object' || !('header' in known)) return undefined;
    headers[known.header] = name;
  }
  return names.length === 0 ? undefined : { headers };
}

function authenticationBy(securityScheme: JsonObject): Authentication | undefined {
  const { type, scheme, in: place, name, flows, description = 'Bearer' } = securityScheme;
  if (type === 'http' && typeof scheme === 'string') {
    if (scheme.toLowerCase() === 'bearer') return 'bearer';
    if (scheme.toLowerCase() === 'basic') return 'basic';
  }
  if (type === 'apiKey' && typeof name === 'string') {
    // Swagger 2.0 has no bearer tokens; documents describe them as this header.
    const isBearer = name.toLowerCase() === 'authorization' && /bearer/i.test(String(description));
    if (place === 'header') return isBearer ? 'bearer' : { header: name };
    if (place === 'query') return { query: name };
  }
  if (type === 'oauth2' && isObject(flows) && isObject(flows.clientCredentials)) return 'client-credentials';
  return undefined;
}

function objectAt(parent: JsonObject, name: string): JsonObject {
  const value = ownMember(parent, name);
  return isObject(value) ? value : {};
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

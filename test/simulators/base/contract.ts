import { readFile } from 'node:fs/promises';
import { Ajv2020, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

/** The part of a request that the contract describes. */
export interface ContractRequest {
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly contentType: string | undefined;
  /** As received; empty: none. */
  readonly body: string;
}

export interface ContractAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Operation<R extends string> {
  readonly route: R;
  /** The parsed body, and what of the request the contract does not allow, if anything. */
  checkRequest(request: ContractRequest): { readonly body: unknown; readonly violation?: string };
  /** How the response breaks the contract. */
  checkAnswer(answer: ContractAnswer): string | undefined;
}

/** The OpenAPI document that the client's types come from, checked against each request and response. */
export interface Contract<R extends string> {
  find(
    method: string,
    path: string,
  ): { readonly operation: Operation<R>; readonly parameters: Readonly<Record<string, string>> } | undefined;
}

/** Formats of JSON numbers say what a language takes for them. */
const FORMATS = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  int32: true,
  int64: true,
  uri: true,
  uuid: true,
} as const;

type Json = { readonly [key: string]: unknown };

/** @param routes the names of the calls in faults, records and assertions, by operationId */
export async function loadContract<R extends string>(
  document: URL,
  routes: Readonly<Record<string, R>>,
): Promise<Contract<R>> {
  const root: Json = parse(await readFile(document, 'utf8'));
  const ajv = new Ajv2020({ strict: false, allErrors: false, formats: FORMATS });
  ajv.addSchema(root, 'contract');
  const found: { method: string; pattern: RegExp; operation: Operation<R> }[] = [];
  for (const [path, item] of Object.entries(object(root.paths))) {
    const shared = array(object(item).parameters);
    for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
      const definition = object(item)[method];
      if (definition === undefined) continue;
      const { operationId } = object(definition);
      const route = routes[String(operationId)];
      if (route === undefined) throw new Error(`the contract has an operation ${operationId} unknown here`);
      const operation = createOperation({ ajv, root, route, definition: object(definition), shared });
      found.push({ method: method.toUpperCase(), pattern: patternOf(path), operation });
    }
  }
  return {
    find: (method, path) => {
      for (const candidate of found) {
        const match = candidate.method === method ? candidate.pattern.exec(path) : null;
        if (match) {
          const encoded = Object.entries(match.groups ?? {});
          const parameters = Object.fromEntries(
            encoded.map(([name, value]) => [name, decodeURIComponent(value)]),
          );
          return { operation: candidate.operation, parameters };
        }
      }
      return undefined;
    },
  };
}

interface OperationParts<R extends string> {
  readonly ajv: Ajv2020;
  readonly root: Json;
  readonly route: R;
  readonly definition: Json;
  /** Parameters of the path. */
  readonly shared: readonly unknown[];
}

function createOperation<R extends string>(parts: OperationParts<R>): Operation<R> {
  const { ajv, root, route, definition, shared } = parts;
  const parameters = [...shared, ...array(definition.parameters)].map((parameter) =>
    resolve(root, parameter),
  );
  const body = resolve(root, definition.requestBody ?? {});
  const responses = object(definition.responses);
  const compiled = new Map<unknown, ValidateFunction>();
  const check = (schema: unknown, value: unknown, name: string): string | undefined => {
    const validate = compiled.get(schema) ?? ajv.compile(absolute(schema));
    compiled.set(schema, validate);
    return validate(value) ? undefined : describe(name, validate.errors?.[0]);
  };
  return {
    route,
    checkRequest: (request) => {
      const parsed = parseBody(request);
      const violation =
        checkParameters(parameters, request, check) ??
        checkMedia(body, request.contentType, request.body) ??
        (parsed === undefined ? 'the body cannot be parsed' : undefined) ??
        (request.body === '' ? undefined : check(schemaOf(body), parsed, 'body'));
      return violation === undefined ? { body: parsed } : { body: parsed, violation };
    },
    checkAnswer: ({ status, headers, body: text }) => {
      const response = resolve(root, responses[String(status)] ?? responses.default ?? {});
      const media = checkMedia(response, headers['content-type'], text);
      if (media !== undefined) return `answer ${status}: ${media}`;
      const missing = Object.entries(object(response.headers ?? {})).find(
        ([name, header]) =>
          resolve(root, header).required === true && headers[name.toLowerCase()] === undefined,
      );
      if (missing !== undefined) return `answer ${status}: header ${missing[0]} is missing`;
      if (text === '') return undefined;
      return check(schemaOf(response), parseJson(text), `answer ${status}`);
    },
  };
}

type Check = (schema: unknown, value: unknown, name: string) => string | undefined;

function checkParameters(
  parameters: readonly Json[],
  request: ContractRequest,
  check: Check,
): string | undefined {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  for (const name of request.query.keys()) {
    if (!inQuery.some((parameter) => parameter.name === name)) return `query parameter ${name} is unknown`;
    if (request.query.getAll(name).length > 1) return `query parameter ${name} is given more than once`;
  }
  for (const parameter of parameters) {
    const name = String(parameter.name);
    if (parameter.in === 'header') continue;
    const value = parameter.in === 'path' ? request.pathParameters[name] : request.query.get(name);
    if (value !== null && value !== undefined) {
      const problem = check(parameter.schema, value, `parameter ${name}`);
      if (problem !== undefined) return problem;
    } else if (parameter.required === true) return `parameter ${name} is missing`;
  }
  return undefined;
}

function checkMedia(definition: Json, contentType: string | undefined, body: string): string | undefined {
  const allowed = Object.keys(object(definition.content ?? {}));
  if (body === '') return definition.required === true ? 'the body is missing' : undefined;
  if (allowed.length === 0) return 'there must be no body';
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  return type !== undefined && allowed.includes(type)
    ? undefined
    : `content type ${type ?? 'is missing'} is not ${allowed}`;
}

/** The schema of the first media type: the contract has one for each body. */
function schemaOf(definition: Json): unknown {
  const [media] = Object.values(object(definition.content ?? {}));
  return object(media ?? {}).schema ?? true;
}

/** `undefined`: it cannot be parsed. Forms become objects of strings. */
function parseBody({ contentType, body }: ContractRequest): unknown {
  if (body === '') return null;
  if (!contentType?.startsWith('application/x-www-form-urlencoded')) return parseJson(body);
  const form = new URLSearchParams(body);
  const repeated = [...form.keys()].some((name) => form.getAll(name).length > 1);
  return repeated ? undefined : Object.fromEntries(form);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describe(name: string, error: ErrorObject | null | undefined): string {
  if (!error) return `${name} does not fit`;
  const extra = error.params.additionalProperty;
  const field = error.instancePath.slice(1).replaceAll('/', '.');
  return `${name}${field === '' ? '' : ` ${field}`} ${error.message}${extra === undefined ? '' : ` (${extra})`}`;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]*)')}$`);
}

/** References point into the document, which ajv knows as `contract`. */
function absolute(schema: unknown): AnySchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/'));
}

function resolve(root: Json, value: unknown): Json {
  const reference = object(value).$ref;
  if (typeof reference !== 'string') return object(value);
  return reference
    .slice(2)
    .split('/')
    .reduce<Json>((at, step) => object(at[step]), root);
}

function object(value: unknown): Json {
  if (typeof value !== 'object' || value === null)
    throw new Error('the contract has no object where one must be');
  return { ...value };
}

function array(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

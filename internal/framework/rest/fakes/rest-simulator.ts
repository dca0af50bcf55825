/**
 * A stateful REST API over HTTP, made of the definitions of kinds: it keeps what is created, answers as the document says, and refuses
 * requests without the credentials. Faults can be injected.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ownMember, setAt, valueAt } from '../../base/json/json-value.ts';
import {
  fieldPath,
  type JsonObject,
  longForm,
  pathOf,
  type RestDefinition,
  type RestDelete,
  type RestList,
  type RestOperation,
  type RestUpdate,
  type Route,
} from '../definition.ts';
import { textOf } from '../external-name.ts';
import type { RestAuthentication } from '../rest-api.ts';
import { parametersIn, splitRoute } from '../rest-calls.ts';
import { changeable, merged, nested, objectAt, overlaid, patched } from './simulated-objects.ts';
import {
  type Answer,
  credentialsText,
  isAuthorized,
  type Match,
  matches,
  type Operation,
  type RestVerb,
  type SimulatedKind,
} from './simulated-requests.ts';

export interface RestRequestRecord {
  readonly kind: string;
  readonly verb: RestVerb;
  readonly route: string;
  /** The fields in the body, without what wraps them. */
  readonly body: JsonObject;
}

export interface RestFault {
  readonly kind: string;
  readonly verb: RestVerb;
  /** A status; `drop`: the request takes effect, and the connection ends without a response. */
  readonly answer: number | 'drop';
  times: number;
}

/** An external resource. */
export interface RestItem {
  /** Values of the parameters of its paths. */
  readonly parameters: Record<string, string>;
  /** All that was sent, and what the API adds. */
  object: Record<string, unknown>;
  /** Reads that still show it in a pending state. */
  pendingReads?: number;
}

export interface RestSimulator {
  readonly url: string;
  /** Those of kinds, in order; not those for tokens. */
  readonly requests: RestRequestRecord[];
  /** `GET /x` without an operation of any definition. */
  readonly unknown: string[];
  readonly faults: RestFault[];
  /** The external resources of a kind. */
  items(kind: string): RestItem[];
  /** Creates one as another client of the API. */
  add(kind: string, fields: JsonObject, parameters: Readonly<Record<string, string>>): RestItem;
  /** Other kinds or definitions, and another authentication. External resources stay. */
  serve(kinds: readonly SimulatedKind[], authentication: RestAuthentication): void;
  /** The text of valid credentials, for a Secret; another one for each number. */
  credentials(version?: number): string;
  /** How many reads show what was created or changed in the first state of `ready.pending`, if it has one. Default 0. */
  pendingReads: number;
  /** The state with which operations end. Default: the first one of success. */
  operationsEnd: 'succeeded' | 'failed';
  close(): void;
}

interface RunningOperation {
  readonly kind: SimulatedKind;
  readonly later: RestOperation;
  /** Once, when it succeeds. Returns the external resource, if it is a create. */
  readonly effect: () => JsonObject;
  reads: number;
  result: JsonObject | undefined;
}

/** What the last token or key is; earlier ones are refused. */
const SECRET = 'simulated-secret';
const NOT_FOUND: Answer = { status: 404, body: { message: 'not found' } };
const TOKEN_PAGE = 2;
const OPERATIONS = '/simulated-operations/{operation}';

export async function startRestSimulator(
  kinds: readonly SimulatedKind[],
  authentication: RestAuthentication,
): Promise<RestSimulator> {
  const items = new Map<string, RestItem[]>();
  const running = new Map<string, RunningOperation>();
  let count = 0;
  let secret = `${SECRET}-1`;
  const of = (kind: string): RestItem[] => {
    const known = items.get(kind) ?? [];
    items.set(kind, known);
    return known;
  };
  const find = (kind: SimulatedKind, parameters: Readonly<Record<string, string>>) =>
    of(kind.name).find((item) =>
      Object.entries(parameters).every(([name, value]) => item.parameters[name] === value),
    );

  const newItem = (
    kind: SimulatedKind,
    fields: JsonObject,
    given: Readonly<Record<string, string>>,
  ): RestItem => {
    const { definition, sample } = kind;
    const parameters: Record<string, string> = { ...given };
    const object = overlaid(definition, structuredClone(sample.response), fields);
    for (const { parameter, from, field = parameter, listed } of definition.id.parts) {
      const sent = from === 'response' ? textOf(valueAt(fields, field.split('.'))) : undefined;
      if (sent !== undefined) parameters[parameter] ??= sent;
      if (from === 'response' && parameters[parameter] === undefined) {
        count += 1;
        const like = valueAt(sample.response, field.split('.'));
        setAt(
          object,
          field.split('.'),
          typeof like === 'number' ? count : `${definition.noun.replaceAll(' ', '-')}-${count}`,
        );
        parameters[parameter] = textOf(valueAt(object, field.split('.'))) ?? '';
        if (listed !== undefined) {
          const own = parameters[parameter];
          const isNumber = typeof valueAt(sample.response, pathOf(listed)) === 'number';
          setAt(object, pathOf(listed), isNumber ? count : own);
          if (isNumber) parameters[parameter] = String(count);
          setAt(object, field.split('.'), valueAt(object, pathOf(listed)));
        }
        continue;
      }
      const path =
        from === 'spec' ? fieldPath(field, ownMember(definition.fields, field) ?? {}) : pathOf(field);
      parameters[parameter] ??= textOf(valueAt(fields, path)) ?? '';
      // What the client has chosen is in the response too, in the type of the document.
      const like = valueAt(sample.response, path);
      if (like !== undefined)
        setAt(object, path, typeof like === 'number' ? Number(parameters[parameter]) : parameters[parameter]);
    }
    return { parameters, object };
  };
  /** The fields that the document has in the response of read, in its form there: it may be another one than that of requests. */
  const shown = (kind: SimulatedKind, item: RestItem): JsonObject => {
    const { sample, definition } = kind;
    const object = stateOf(kind, item);
    const ofRequests = new Set(
      Object.entries(definition.fields).flatMap(([name, field]) =>
        field.writeOnly && field.within === undefined ? fieldPath(name, field) : [],
      ),
    );
    return Object.fromEntries(
      Object.entries(object).flatMap(([name, value]) => {
        if (!Object.hasOwn(sample.response, name)) return [];
        return [[name, ofRequests.has(name) ? structuredClone(sample.response[name]) : value]];
      }),
    );
  };

  /** What a read shows: for a while, a pending state after a write. */
  const stateOf = ({ definition: { ready } }: SimulatedKind, item: RestItem): JsonObject => {
    const [state] = ready?.pending ?? [];
    if (ready === undefined || state === undefined || !item.pendingReads) return item.object;
    const object = structuredClone(item.object);
    setAt(object, pathOf(ready.field), state);
    return object;
  };
  /** Counts the read. */
  const readOf = (kind: SimulatedKind, item: RestItem): JsonObject => {
    const object = shown(kind, item);
    if (item.pendingReads) item.pendingReads -= 1;
    return object;
  };
  const keepPending = (item: RestItem): void => {
    item.pendingReads = simulator.pendingReads;
  };

  /** The ID is also where read does not return it, or where it is a connection detail. */
  const withId = ({ definition: { id } }: SimulatedKind, { object }: RestItem, shownObject: JsonObject) => {
    const external = { ...shownObject };
    for (const { parameter, from, field = parameter } of id.parts)
      if (from === 'response') setAt(external, pathOf(field), valueAt(object, pathOf(field)));
    return external;
  };

  /** The answer that names an operation. Its effect is its result. */
  const begin = (kind: SimulatedKind, later: RestOperation, effect: RunningOperation['effect']): Answer => {
    count += 1;
    const operation = String(count);
    running.set(operation, { kind, later, effect, reads: 0, result: undefined });
    const status = later.always ? 200 : 202;
    if (later.from === 'location')
      return { status, headers: { location: OPERATIONS.replace('{operation}', operation) } };
    return { status, body: nested(later.from.field, operation) };
  };

  const createIn = (kind: SimulatedKind): Operation['handle'] => {
    const { create, id } = kind.definition;
    const { request, result, later } =
      typeof create === 'string' ? { request: undefined, result: undefined, later: undefined } : create;
    return ({ parameters, path, body }) => {
      const fields = objectAt(body, request);
      const item = newItem(kind, fields, parameters);
      const isKnown = id.parts.every(({ from }) => from !== 'response');
      const before = isKnown ? find(kind, item.parameters) : undefined;
      if (later !== undefined && before === undefined)
        return begin(kind, later, () => {
          keepPending(item);
          of(kind.name).push(item);
          return withId(kind, item, shown(kind, item));
        });
      keepPending(before ?? item);
      if (before === undefined) of(kind.name).push(item);
      else before.object = item.object;
      if (kind.sample.isLocated) {
        const own = id.parts.filter(
          ({ parameter }) => !parametersIn(splitRoute(routeOf(create)).path).includes(parameter),
        );
        const values = own.map(({ parameter }) => encodeURIComponent(item.parameters[parameter] ?? ''));
        return { status: 201, headers: { location: [path, ...values].join('/') } };
      }
      const created = withId(kind, item, { ...shown(kind, item), ...structuredClone(kind.sample.created) });
      return { status: 201, body: nested(result, created) };
    };
  };

  const readOperation =
    (last: string): Operation['handle'] =>
    ({ parameters }) => {
      const operation = running.get(parameters[last] ?? '');
      if (operation === undefined) return NOT_FOUND;
      const { later } = operation;
      operation.reads += 1;
      if (operation.reads === 1) return { status: 200, body: nested(later.state, 'in-progress') };
      const state = (simulator.operationsEnd === 'failed' ? later.failed : later.succeeded)[0] ?? 'ended';
      const body = nested(later.state, state);
      if (simulator.operationsEnd === 'failed')
        return {
          status: 200,
          body: merged(body, later.message === undefined ? {} : nested(later.message, 'quota exceeded')),
        };
      operation.result ??= operation.effect();
      const { result } = operation;
      return {
        status: 200,
        body: Object.keys(result).length === 0 ? body : merged(body, nested(later.result, result)),
      };
    };

  const listOf =
    ({ list: route, items: path, pages }: RestList): Operation['handle'] =>
    ({ parameters, path: pathname, query }) => {
      const all = current.kinds
        .filter(({ definition }) => listsOf(definition).some(({ list }) => list === route))
        .flatMap((kind) =>
          of(kind.name)
            .filter((item) =>
              Object.entries(parameters).every(([name, value]) => item.parameters[name] === value),
            )
            .map((item) => readOf(kind, item)),
        );
      if (pages === undefined) return { status: 200, body: nested(path, all) };
      if (pages.by === 'token' || pages.by === 'link') {
        const parameter = pages.by === 'token' ? pages.parameter : 'simulated-cursor';
        const start = Number(query.get(parameter) ?? 0);
        const body = nested(path, all.slice(start, start + TOKEN_PAGE));
        const last = start + TOKEN_PAGE >= all.length;
        const cursor = String(start + TOKEN_PAGE);
        const kept = new URLSearchParams({ ...Object.fromEntries(query), [parameter]: cursor });
        const next = pages.by === 'token' ? cursor : `https://api.example.org${pathname}?${kept}`;
        if (last) return { status: 200, body };
        return pages.next === undefined
          ? { status: 200, body, headers: { link: `<${next}>; rel="next"` } }
          : { status: 200, body: merged(body, nested(pages.next, next)) };
      }
      const size = Number(query.get(pages.sizeParameter) ?? 10);
      // Without the parameter it is the first page.
      const first = pages.by === 'offset' ? 0 : (pages.first ?? 1);
      const at = Number(query.get(pages.parameter) ?? first);
      const start = pages.by === 'offset' ? at : (at - first) * size;
      return { status: 200, body: nested(path, all.slice(start, start + size)) };
    };

  const operationsOf = (kind: SimulatedKind): Operation[] => {
    const { create, read, update, delete: remove, deleted, fields, id } = kind.definition;
    const add = (
      verb: RestVerb,
      route: Route,
      handle: Operation['handle'],
      isFor?: Operation['isFor'],
    ): Operation => ({
      ...{ verb, kind, route, handle },
      pattern: splitRoute(route).path.split('/'),
      ...(isFor === undefined ? {} : { isFor }),
    });
    const exists: Operation['isFor'] = ({ parameters }) => find(kind, parameters) !== undefined;
    const hasConstants: Operation['isFor'] = ({ body }) =>
      Object.entries(fields).every(
        ([name, field]) =>
          field.value === undefined ||
          valueAt(fieldsIn(kind.definition, 'create', createRoute, body), fieldPath(name, field)) ===
            field.value,
      );
    const found: Operation[] = [];
    const updateBy = ({ route, request, later }: Pick<RestUpdate, 'route' | 'request' | 'later'>) =>
      add(
        'update',
        route,
        ({ parameters, body, ifMatch }) => {
          const item = find(kind, parameters);
          if (item === undefined) return NOT_FOUND;
          if (isOutdated(kind, item, ifMatch)) return OUTDATED;
          const steps = valueAt(body, pathOf(request));
          const sent = Array.isArray(steps) ? patched(item.object, steps) : objectAt(body, request);
          const ids = Object.fromEntries(
            id.parts.flatMap(({ parameter, field = parameter }) => {
              const [name = ''] = field.split('.', 1);
              return Object.hasOwn(item.object, name) ? [[name, item.object[name]]] : [];
            }),
          );
          const state = pathOf(kind.definition.ready?.field);
          const change = () => {
            // A request that sets the state itself is of a test.
            if (valueAt(sent, state) === undefined) keepPending(item);
            else item.pendingReads = 0;
            // PUT replaces what an update can have; what it does not name has the value of the API again.
            const reset = route.startsWith('PUT ') && !isOfField(fields, route) ? changeable(kind) : {};
            item.object = { ...overlaid(kind.definition, { ...item.object, ...reset }, sent), ...ids };
            return {};
          };
          if (later !== undefined) return begin(kind, later, change);
          change();
          return { status: 200, body: shown(kind, item) };
        },
        exists,
      );
    const createRoute = routeOf(create);
    found.push(add('create', createRoute, createIn(kind), hasConstants));
    const ofOperations = new Set(
      [create, update, remove].flatMap((each): Route[] =>
        typeof each !== 'object' || each.later === undefined ? [] : [each.later.read ?? `GET ${OPERATIONS}`],
      ),
    );
    for (const route of ofOperations) {
      const last = parametersIn(route).at(-1) ?? '';
      const isOwn: Operation['isFor'] = ({ parameters }) =>
        running.get(parameters[last] ?? '')?.kind.name === kind.name;
      found.push(add('operation', route, readOperation(last), isOwn));
    }
    if (typeof read === 'object' && 'list' in read) found.push(add('read', read.list, listOf(read)));
    else {
      const { route, result } = typeof read === 'string' ? { route: read, result: undefined } : read;
      found.push(
        add(
          'read',
          route,
          ({ parameters }) => {
            const item = find(kind, parameters);
            if (item === undefined) return NOT_FOUND;
            const headers: Answer['headers'] = kind.definition.ifMatch ? { etag: etagOf(item) } : {};
            return { status: 200, body: nested(result, readOf(kind, item)), headers };
          },
          exists,
        ),
      );
    }
    if (id.findIn !== undefined) found.push(add('read', id.findIn.list, listOf(id.findIn)));
    if (update !== undefined) {
      const form: RestUpdate = longForm(update);
      // A PUT may be create and update.
      if (form.route !== createRoute) found.push(updateBy(form));
    }
    for (const { update: route } of Object.values(fields))
      if (route !== undefined) found.push(updateBy({ route }));
    for (const [route, body] of Object.entries(kind.sample.responses ?? {}) as [Route, unknown][]) {
      const verb = route.startsWith('GET ') ? 'read' : 'update';
      found.push(
        add(
          verb,
          route,
          ({ parameters }) => (find(kind, ofId(kind, parameters)) ? { status: 200, body } : NOT_FOUND),
          ({ parameters }) => find(kind, ofId(kind, parameters)) !== undefined,
        ),
      );
    }
    const { route: deleteRoute, later }: RestDelete = longForm(remove);
    found.push(
      add(
        'delete',
        deleteRoute,
        ({ parameters, ifMatch }) => {
          const list = of(kind.name);
          const item = find(kind, parameters);
          if (item === undefined) return NOT_FOUND;
          if (isOutdated(kind, item, ifMatch)) return OUTDATED;
          const change = () => {
            if (deleted !== undefined)
              setAt(item.object, pathOf(deleted.field), deleted.values?.[0] ?? '2026-01-01T00:00:00Z');
            else if (list.includes(item)) list.splice(list.indexOf(item), 1);
            return {};
          };
          if (later !== undefined) return begin(kind, later, change);
          change();
          return { status: 204 };
        },
        exists,
      ),
    );
    return found;
  };
  const served = (all: readonly SimulatedKind[], by: RestAuthentication) => ({
    kinds: all,
    authentication: by,
    operations: all.flatMap(operationsOf),
  });
  let current = served(kinds, authentication);

  const server = createServer(async (request, response) => {
    try {
      await respond(request, response);
    } catch (error) {
      send(response, { status: 500, body: { message: String(error) } });
    }
  });
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://simulator');
    const text = (await request.toArray()).join('');
    const { method = 'GET' } = request;
    if (url.pathname === '/simulated-token')
      return send(
        response,
        isAuthorized(request, url, { method: 'basic' }, secret)
          ? { status: 200, body: { access_token: secret, token_type: 'bearer', expires_in: 3600 } }
          : { status: 401, body: { error: 'invalid_client' } },
      );
    if (!isAuthorized(request, url, current.authentication, secret))
      return send(response, { status: 401, body: { message: 'unknown credentials' } });
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const matching = matches(current.operations, method, url);
    const isFor = ({ operation, parameters }: Match) => operation.isFor?.({ parameters, body }) ?? true;
    const found = matching.find(isFor) ?? matching[0];
    if (found === undefined) {
      simulator.unknown.push(`${method} ${url.pathname}`);
      return send(response, NOT_FOUND);
    }
    const { operation, parameters } = found;
    const { kind, verb, route } = operation;
    simulator.requests.push({
      kind: kind.name,
      verb,
      route,
      body: fieldsIn(kind.definition, verb, route, body),
    });
    const fault = simulator.faults.find(
      (each) => each.times > 0 && each.kind === kind.name && each.verb === verb,
    );
    if (fault !== undefined) {
      fault.times -= 1;
      if (fault.answer !== 'drop')
        return send(response, {
          status: fault.answer,
          body: { message: 'a fault' },
          headers: fault.answer === 429 ? { 'retry-after': '7' } : {},
        });
    }
    const answer = operation.handle({
      ...{ parameters, path: url.pathname, query: url.searchParams, body },
      ifMatch: request.headers['if-match'],
    });
    if (fault?.answer === 'drop') request.socket.destroy();
    else send(response, answer);
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const simulator: RestSimulator = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    unknown: [],
    faults: [],
    items: of,
    add: (name, fields, parameters) => {
      const kind = current.kinds.find((each) => each.name === name);
      if (kind === undefined) throw new RangeError(`the simulator has no kind ${name}`);
      const item = newItem(kind, fields, parameters);
      of(name).push(item);
      return item;
    },
    serve: (...other) => {
      current = served(...other);
    },
    credentials: (version = 1) => {
      secret = `${SECRET}-${version}`;
      return credentialsText(current.authentication, secret, simulator.url);
    },
    pendingReads: 0,
    operationsEnd: 'succeeded',
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return simulator;
}

const isOfField = (fields: RestDefinition['fields'], route: Route) =>
  Object.values(fields).some(({ update }) => update === route);

/** Without parameters that are not of the ID. */
const ofId = ({ definition: { id } }: SimulatedKind, parameters: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(parameters).filter(([name]) => id.parts.some(({ parameter }) => parameter === name)),
  );

const listsOf = ({ read, id: { findIn } }: RestDefinition): readonly RestList[] => [
  ...(typeof read === 'object' && 'list' in read ? [read] : []),
  ...(findIn === undefined ? [] : [findIn]),
];

const routeOf = (create: RestDefinition['create']): Route =>
  typeof create === 'string' ? create : create.route;

const etagOf = ({ object }: RestItem) =>
  `"${createHash('sha256').update(JSON.stringify(object)).digest('hex')}"`;
const OUTDATED: Answer = { status: 412, body: { message: 'another version' } };
const isOutdated = ({ definition }: SimulatedKind, item: RestItem, ifMatch: string | undefined) =>
  definition.ifMatch === true && ifMatch !== etagOf(item);

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? '' : JSON.stringify(body));
}

function fieldsIn(definition: RestDefinition, verb: RestVerb, route: Route, body: unknown): JsonObject {
  const { create, update, fields } = definition;
  if (isOfField(fields, route)) return objectAt(body, undefined);
  const form = verb === 'create' ? create : verb === 'update' ? update : undefined;
  const path = typeof form === 'object' ? form.request : undefined;
  const steps = valueAt(body, pathOf(path));
  return Array.isArray(steps) ? patched({}, steps) : objectAt(body, path);
}

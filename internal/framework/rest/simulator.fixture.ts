/** A stateful REST API over HTTP: collections of JSON objects by path, with pages, operations that end later, and faults. */
import { createServer, type IncomingMessage } from 'node:http';
import { parseRawNumbers } from '../base/json/json-text.ts';
import { listenOnLoopback } from '../base/loopback.fixture.ts';

export type Item = Record<string, unknown>;

export interface Simulator {
  readonly url: string;
  /** The items of a collection by ID, e.g. of `/folders`. */
  items(collection: string): Map<string, Item>;
  /** `POST /folders {"title":"a"}`, in order. */
  readonly requests: string[];
  /** Those of the last request. */
  headers: IncomingMessage['headers'];
  /** The response to the next matching requests; `drop`: the request takes effect, and the connection ends. */
  readonly faults: { readonly on: string; readonly answer: number | 'drop'; times: number }[];
  /** Creates answer with `status`, 202 by default, and name an operation, which is in this state. */
  later: undefined | { readonly state: string | undefined; readonly status?: number };
  /** The ID of the item that is created as the nth. Default: a text. */
  idOf: (count: number) => unknown;
  /** Most items on a page, whatever is requested. */
  maxPage: number;
  /** Requested beyond the last page: an empty one, the last one again, or this status. */
  beyondPages: 'empty' | 'last' | number;
  /** A deletion sets this member of the item, which is deleted later. Default: it is deleted at once. */
  marksDeleted: string | undefined;
  /** What not every API does. */
  readonly habits: {
    /** Updates and deletions answer with 202 too, and take effect when their operation is read as `done`. */
    changesLater?: boolean;
    /** Creates answer with the header Location alone. */
    location?: boolean;
    /** Reads have an ETag, without which nothing is changed or deleted. */
    etag?: boolean;
    /** Pages are lists, and the header Link leads to the next one. */
    links?: boolean;
    /** For an item that does not exist. Default: 404 with JSON. */
    missing?: { readonly status: number; readonly text: string };
  };
  close(): void;
}

export const TOKEN = 's3cr3t-t0ken';

export async function startSimulator(): Promise<Simulator> {
  const collections = new Map<string, Map<string, Item>>();
  /** What the result of an operation is, and how it takes effect. */
  const operations = new Map<string, { readonly id: string; readonly effect?: () => unknown }>();
  let count = 0;
  const items = (collection: string) => {
    const found = collections.get(collection) ?? new Map<string, Item>();
    collections.set(collection, found);
    return found;
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://simulator');
    const body = await bodyOf(request);
    const { method = 'GET' } = request;
    simulator.headers = request.headers;
    simulator.requests.push(
      [`${method} ${url.pathname}${url.search}`, ...(body ? [JSON.stringify(body)] : [])].join(' '),
    );
    const answer = (status: number, value?: unknown, headers: Record<string, string> = {}) => {
      const text = value === undefined ? '' : JSON.stringify(value);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    };
    const { habits } = simulator;
    if (request.headers.authorization !== `Bearer ${TOKEN}`)
      return answer(401, { message: `the token ${request.headers.authorization} is unknown` });
    const fault = simulator.faults.find(
      ({ on, times }) => times > 0 && `${method} ${url.pathname}`.startsWith(on),
    );
    if (fault !== undefined) {
      fault.times -= 1;
      if (fault.answer !== 'drop')
        return answer(
          fault.answer,
          { message: 'a fault' },
          fault.answer === 429 ? { 'retry-after': '7' } : {},
        );
    }
    const found = itemAt(url.pathname);
    const etag = (item: Item | undefined) => `"${JSON.stringify(item)?.length}"`;
    if (habits.etag && ['PATCH', 'DELETE'].includes(method) && request.headers['if-match'] !== etag(found))
      return answer(request.headers['if-match'] === undefined ? 428 : 412, { message: 'another version' });
    const [status, value] = handle(method, url, body);
    if (status === 404 && habits.missing !== undefined)
      return response.writeHead(habits.missing.status).end(habits.missing.text);
    if (habits.location && method === 'POST')
      return answer(201, undefined, { location: `/v2${url.pathname}/${count}?x=1` });
    if (habits.links && isPage(value)) {
      const next = `<https://proxy.invalid${url.pathname}?cursor=${value.next}>; Rel="Next", <https://x>; rel="last"`;
      return answer(status, value.items, value.next === undefined ? {} : { link: next });
    }
    if (habits.etag && ['GET', 'PATCH'].includes(method))
      return answer(status, value, { etag: etag(itemAt(url.pathname)) });
    if (fault?.answer === 'drop') return request.socket.destroy();
    const root = url.pathname.slice(0, url.pathname.lastIndexOf('/'));
    const location = `${root}/operations/${count}?version=2`;
    return answer(status, value, status === 202 ? { location } : {});
  });
  const itemAt = (path: string) => {
    const slash = path.lastIndexOf('/');
    return items(path.slice(0, slash)).get(decodeURIComponent(path.slice(slash + 1)));
  };
  const handle = (method: string, url: URL, body: Item | undefined): [number, unknown?] => {
    const path = url.pathname;
    const operation = path.split('/operations/')[1];
    if (operation !== undefined) {
      const known = operations.get(operation);
      const state = simulator.later === undefined ? 'done' : simulator.later.state;
      if (known === undefined) return [404, { message: 'no operation' }];
      if (state === 'done') known.effect?.();
      return [200, { state, message: 'quota exceeded', result: { id: known.id } }];
    }
    const slash = path.lastIndexOf('/');
    const [parent, last] = [path.slice(0, slash), decodeURIComponent(path.slice(slash + 1))];
    if (method === 'POST') {
      const own = simulator.idOf(++count);
      const id = typeof own === 'string' ? own : JSON.stringify(own);
      items(path).set(id, { colour: 'grey', ...body, id: own, key: `key-${id}` });
      if (simulator.later === undefined) return [201, items(path).get(id)];
      operations.set(id, { id });
      return [simulator.later.status ?? 202, { operation: { id } }];
    }
    const list = collections.get(path);
    if (method === 'GET' && list !== undefined) return pageOf([...list.values()].map(shown), url, simulator);
    const found = items(parent).get(last);
    if (method === 'PUT') {
      items(parent).set(last, { ...body, id: last });
      return [200, body];
    }
    if (found === undefined) return [404, { message: 'no such item' }];
    const change = () => {
      if (method === 'DELETE') items(parent).delete(last);
      for (const [name, value] of Array.isArray(body) ? body.map(patched) : Object.entries(body ?? {}))
        found[name] = value;
    };
    if (simulator.habits.changesLater && method !== 'GET') {
      const id = `change-${operations.size}`;
      operations.set(id, { id, effect: change });
      return [202, { operation: { id } }];
    }
    if (method === 'DELETE' && simulator.marksDeleted !== undefined) {
      items(parent).set(last, { ...found, [simulator.marksDeleted]: '2026-07-01' });
      return [202];
    }
    if (method !== 'GET') change();
    return method === 'DELETE' ? [204] : [200, shown(found)];
  };
  const { url, close } = await listenOnLoopback(server);
  const simulator: Simulator = {
    url,
    items,
    requests: [],
    headers: {},
    faults: [],
    later: undefined,
    idOf: String,
    maxPage: Number.POSITIVE_INFINITY,
    beyondPages: 'empty',
    marksDeleted: undefined,
    habits: {},
    close,
  };
  return simulator;
}

const isPage = (value: unknown): value is { items: readonly Item[]; next?: string } =>
  typeof value === 'object' && value !== null && 'items' in value;

/** A step of a JSON Patch for a field of the item. */
const patched = ({ path, value }: { path: string; value: unknown }): [string, unknown] => [
  path.slice(1),
  value,
];

/** The key is in the response of create alone. */
const shown = ({ key: _, ...item }: Item) => item;

function pageOf(
  all: readonly Item[],
  { searchParams: query }: URL,
  { maxPage, beyondPages }: Pick<Simulator, 'maxPage' | 'beyondPages'>,
): [number, unknown] {
  const number = (name: string) => Number(query.get(name) ?? 0);
  if (query.has('page') || query.has('offset')) {
    const size = Math.min(number('size'), maxPage);
    const start = query.has('page') ? (number('page') - 1) * size : number('offset');
    const isBeyond = start > 0 && start >= all.length;
    if (isBeyond && typeof beyondPages === 'number') return [beyondPages, { message: 'no such page' }];
    const from = isBeyond && beyondPages === 'last' ? Math.max(0, all.length - size) : start;
    return [200, { items: all.slice(from, from + size) }];
  }
  const start = number('cursor');
  const next = start + 2 < all.length;
  return [
    200,
    {
      items: all.slice(start, start + 2),
      ...(next
        ? { next: String(start + 2), links: { next: `https://proxy.invalid/x?cursor=${start + 2}` } }
        : {}),
    },
  ];
}

async function bodyOf(request: IncomingMessage): Promise<Item | undefined> {
  const text = (await request.toArray()).join('');
  return text === '' ? undefined : (parseRawNumbers(text) as Item);
}

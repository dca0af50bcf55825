/** The collections of an OpenAPI document: paths with the operations of what is below them by an ID. */
import type { OpenapiDocument, Operation } from '../document/openapi-document.ts';
import { wordsOf } from '../document/structural-schema.ts';

type Methods = ReadonlyMap<string, Operation>;

export interface Collection {
  /** As the document has it: `/v1/folders`. */
  readonly path: string;
  /** Its words in the singular, the own ones last: `['service account', 'token']`. */
  readonly nouns: readonly string[];
  /** By method, of the collection and of one of its items. */
  readonly all: Methods;
  readonly one: Methods;
  /** The collection around this one, e.g. `/v1/folders` of `/v1/folders/{id}/rules`, with the parameter of its items. */
  readonly parent: { readonly key: string; readonly parameter: string } | undefined;
  /** Its path without names of parameters: the identity of a collection. */
  readonly key: string;
}

/** In the order of the document. */
export function collectionsOf({ operations }: OpenapiDocument): Collection[] {
  const byKey = new Map<string, Map<string, Operation>>();
  for (const operation of operations) {
    const key = keyOf(operation.path);
    const methods = byKey.get(key) ?? new Map<string, Operation>();
    methods.set(operation.method, operation);
    byKey.set(key, methods);
  }
  const found = new Map<string, Collection>();
  const add = (key: string, one: Methods) => {
    const all = byKey.get(key) ?? new Map();
    const [example] = [...all.values(), ...one.values()];
    if (example === undefined || found.has(key)) return;
    const path = all.size > 0 ? example.path : example.path.slice(0, lengthOfCollection(example.path));
    found.set(key, { key, path, all, one, parent: parentOf(path), nouns: nounsOf(path) });
  };
  for (const [key, methods] of byKey) {
    const collection = key.slice(0, lengthOfCollection(key));
    if (collection !== key) add(collection, methods);
    // One that can be read and written, but has no items: a collection without IDs, or a single object.
    else if (
      methods.has('GET') &&
      ['POST', 'PUT', 'PATCH'].some((method) => methods.has(method)) &&
      !hasItems(key, byKey)
    )
      add(key, new Map());
  }
  return [...found.values()];
}

/** An operation that may create what is in a collection elsewhere: `POST /guilds/{id}/channels` for `/channels/{id}`. */
export interface Creator extends Pick<Collection, 'path' | 'nouns' | 'parent'> {
  readonly create: Operation;
}

/** At paths without items of their own. */
export function creatorsOf({ operations }: OpenapiDocument, collections: readonly Collection[]): Creator[] {
  const withItems = new Set(collections.filter(({ one }) => one.size > 0).map(({ key }) => key));
  return operations
    .filter(({ method, path }) => {
      const key = keyOf(path);
      return method === 'POST' && lengthOfCollection(key) === key.length && !withItems.has(key);
    })
    .map((create) => {
      const { path } = create;
      return { path, create, parent: parentOf(path), nouns: nounsOf(path) };
    });
}

/** Whether what is created at one path is an item of a collection elsewhere: `custom field`, `option` and `custom field option`. */
export const isNounOf = (created: readonly string[], items: readonly string[]): boolean =>
  created.at(-1) === items.at(-1) || ` ${created.join(' ')}`.endsWith(` ${items.at(-1)}`);

const hasItems = (key: string, byKey: ReadonlyMap<string, unknown>): boolean =>
  [`${key}/{}`, `${key}({})`, `${key}('{}')`].some((item) => byKey.has(item));

/** `/folders/{uid}/` and `/folders/{id}` are the same path. */
const keyOf = (path: string): string => path.replaceAll(/\{[^}]*\}/g, '{}').replace(/\/$/, '');

/** Of the path without its last parameter, `/{id}` or, as OData has it, `('{id}')`; the whole length if it does not end with one. */
function lengthOfCollection(path: string): number {
  const item = /(?:\/\{[^/{}]*\}|\('?\{[^/{}]*\}'?\))\/?$/.exec(path);
  return item === null || item.index === 0 ? path.length : item.index;
}

function parentOf(path: string): Collection['parent'] {
  const parameters = [...path.matchAll(/(?:\/\{([^/{}]*)\}|\('?\{([^/{}]*)\}'?\))/g)];
  const last = parameters.at(-1);
  if (last === undefined) return undefined;
  return { key: keyOf(path.slice(0, last.index)), parameter: last[1] ?? last[2] ?? '' };
}

/** `/api/v1/service-accounts/{id}/tokens` → service account, token. */
function nounsOf(path: string): string[] {
  const literals = path
    .split('/')
    .map((segment) => segment.replace(/\('?\{[^{}]*\}'?\)$/, ''))
    .filter(
      (segment) =>
        segment !== '' && !segment.includes('{') && !/^(?:api|rest|v?[0-9][a-z0-9.]*)$/i.test(segment),
    );
  return literals.map(singularOf).filter((noun) => noun !== '');
}

function singularOf(segment: string): string {
  const words = wordsOf(segment);
  const last = words.pop() ?? '';
  return [...words, singular(last)].join(' ');
}

const IRREGULAR: Readonly<Record<string, string>> = {
  people: 'person',
  children: 'child',
  indices: 'index',
  aliases: 'alias',
  statuses: 'status',
  buses: 'bus',
  data: 'data',
  series: 'series',
  news: 'news',
};

export function singular(word: string): string {
  const irregular = Object.hasOwn(IRREGULAR, word) ? IRREGULAR[word] : undefined;
  if (irregular !== undefined) return irregular;
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|zz)es$/.test(word)) return word.slice(0, -2);
  if (/(?:us|ss|is)$/.test(word)) return word;
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

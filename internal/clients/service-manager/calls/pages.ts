import { ProviderError } from '../../../base/errors/errors.ts';
import { DifferenceError } from '../objects/reader.ts';
import { type Answer, bodyOf } from './api-calls.ts';

export interface Page<T> {
  readonly items: readonly T[];
  /** Of the next page. */
  readonly token?: string;
}

/** More pages are an error: the queries of this client find few items. */
const MAX_PAGES = 100;
const MAX_ITEMS = 10_000;
/** Length of a token, in characters; it is part of a URL. */
const MAX_TOKEN = 4096;

/** Reads `token` of a list. */
export function pageOf<T>(answer: Answer, itemsOf: () => readonly T[]): Page<T> {
  const token = bodyOf(answer).optionalText('token');
  if (token === undefined || token === '') return { items: itemsOf() };
  if (token.length > MAX_TOKEN) throw new DifferenceError(`token has more than ${MAX_TOKEN} characters`);
  return { items: itemsOf(), token };
}

/** The items of all pages. */
export async function allPages<T>(
  doing: string,
  fetchPage: (token: string | undefined) => Promise<Page<T>>,
): Promise<T[]> {
  const items: T[] = [];
  const seen = new Set<string>();
  let token: string | undefined;
  do {
    const page = await fetchPage(token);
    items.push(...page.items);
    token = page.token;
    if (token === undefined) return items;
    if (seen.has(token)) throw endless(doing, 'repeats a page');
    seen.add(token);
  } while (seen.size < MAX_PAGES && items.length <= MAX_ITEMS);
  throw endless(doing, `has more than ${MAX_PAGES} pages or ${MAX_ITEMS} items`);
}

function endless(doing: string, what: string): ProviderError {
  return new ProviderError('transient', `cannot ${doing}: the list ${what}`);
}

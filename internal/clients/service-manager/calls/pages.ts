import { ProviderError } from '../../../base/errors/errors.ts';
import { DifferenceError } from '../objects/reader.ts';
import { type Answer, bodyOf } from './api-calls.ts';

export interface Page<T> {
  readonly items: readonly T[];
  /** Of its JSON text, in characters. */
  readonly length: number;
  /** Of the next page. */
  readonly token?: string;
}

/**
 * More is an error: the queries of this client find few items. Authors of credentials choose the host, so that the items in
 * memory, and the work for each of them, need a limit.
 */
const MAX_PAGES = 100;
const MAX_ITEMS = 10_000;
/** Length of all pages together, in characters. */
const MAX_LENGTH = 8 * 1024 * 1024;
/** Length of a token, in characters; it is part of a URL. */
const MAX_TOKEN = 4096;

/** Reads `token` of a list. */
export function pageOf<T>(answer: Answer, itemsOf: () => readonly T[]): Page<T> {
  const token = bodyOf(answer).optionalText('token');
  const { length } = answer.text;
  if (token === undefined || token === '') return { items: itemsOf(), length };
  if (token.length > MAX_TOKEN) throw new DifferenceError(`token has more than ${MAX_TOKEN} characters`);
  return { items: itemsOf(), length, token };
}

/** The items of all pages. */
export async function allPages<T>(
  doing: string,
  fetchPage: (token: string | undefined) => Promise<Page<T>>,
): Promise<T[]> {
  const items: T[] = [];
  const seen = new Set<string>();
  let token: string | undefined;
  let length = 0;
  do {
    const page = await fetchPage(token);
    length += page.length;
    if (items.length + page.items.length > MAX_ITEMS || length > MAX_LENGTH) throw endless(doing, tooLarge);
    items.push(...page.items);
    token = page.token;
    if (token === undefined) return items;
    if (seen.has(token)) throw endless(doing, 'repeats a page');
    seen.add(token);
  } while (seen.size < MAX_PAGES);
  throw endless(doing, tooLarge);
}

const tooLarge = `has more than ${MAX_PAGES} pages, ${MAX_ITEMS} items or ${MAX_LENGTH} characters`;

function endless(doing: string, what: string): ProviderError {
  return new ProviderError('transient', `cannot ${doing}: the list ${what}`);
}

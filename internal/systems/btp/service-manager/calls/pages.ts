import { ProviderError } from '../../../../framework/base/index.ts';

import { DifferenceError } from '../objects.ts';
import { type Answer, bodyOf } from './api-calls.ts';

export interface Page<T> {
  readonly items: readonly T[];
  /** Of its JSON text, in characters. */
  readonly length: number;
  /** Of the next page. */
  readonly token?: string;
}

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

/** What a list may have in all pages. */
export interface ListLimits {
  readonly pages: number;
  readonly items: number;
  /** Of the JSON texts, in characters. */
  readonly length: number;
}

/** More is an error: the queries for one object find few items. */
const FOR_ONE: ListLimits = { pages: 100, items: 10_000, length: 8 * 1024 * 1024 };
/** All objects of a cluster, of which one page is in memory at a time. */
export const FOR_CLUSTER: ListLimits = { pages: 2000, items: 200_000, length: 256 * 1024 * 1024 };

/** The items of all pages. */
export async function allPages<T>(
  doing: string,
  fetchPage: (token: string | undefined) => Promise<Page<T>>,
): Promise<T[]> {
  const items: T[] = [];
  await eachPage(doing, fetchPage, (page) => items.push(...page), FOR_ONE);
  return items;
}

/**
 * Calls `onPage` with the items of each page.
 *
 * @throws a `transient` error beyond the limits: authors of credentials choose the host
 */
export async function eachPage<T>(
  doing: string,
  fetchPage: (token: string | undefined) => Promise<Page<T>>,
  onPage: (items: readonly T[]) => void,
  limits: ListLimits,
): Promise<void> {
  const seen = new Set<string>();
  let token: string | undefined;
  let length = 0;
  let items = 0;
  do {
    const page = await fetchPage(token);
    length += page.length;
    items += page.items.length;
    if (items > limits.items || length > limits.length) throw endless(doing, tooLarge(limits));
    onPage(page.items);
    token = page.token;
    if (token === undefined) return;
    if (seen.has(token)) throw endless(doing, 'repeats a page');
    seen.add(token);
  } while (seen.size < limits.pages);
  throw endless(doing, tooLarge(limits));
}

const tooLarge = ({ pages, items, length }: ListLimits) =>
  `has more than ${pages} pages, ${items} items or ${length} characters`;

function endless(doing: string, what: string): ProviderError {
  return new ProviderError('transient', `cannot ${doing}: the list ${what}`);
}

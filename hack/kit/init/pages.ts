/** How a list has pages, by its query parameters and its response. */
import { flatSchema } from '../document/object-properties.ts';
import type { OpenapiDocument, Operation } from '../document/openapi-document.ts';
import type { PagesSettings } from '../format/provider-file.ts';
import { responseOf } from '../model/kind-operations.ts';
import { isText } from './field-guesses.ts';

const SIZES = ['per_page', 'perPage', 'perpage', 'page_size', 'pageSize', 'limit', 'size', 'count'];
const TOKENS = ['page_token', 'pageToken', 'cursor', 'continue', 'next_token', 'nextToken'];
const NEXT = [
  'next_page_token',
  'nextPageToken',
  'next_cursor',
  'nextCursor',
  'next_token',
  'nextToken',
  'continue',
  'next',
];

export function pagesOf(list: Operation, document: OpenapiDocument): PagesSettings | undefined {
  const parameters = list.parameters.filter(({ in: place }) => place === 'query');
  const named = (names: readonly string[]) => parameters.find(({ name }) => names.includes(name));
  const token = named(TOKENS);
  const { properties } = flatSchema(responseOf(list)?.schema, document);
  const next = NEXT.find((name) => properties.has(name));
  if (list.responses.some(({ headers }) => headers.includes('link'))) return { by: 'link' };
  if (token !== undefined && next !== undefined) return { by: 'token', parameter: token.name, next };
  const address = addressIn(properties, document);
  if (address !== undefined) return { by: 'link', next: address };
  const sized = named(SIZES);
  if (sized === undefined) return undefined;
  const { own } = flatSchema(sized.schema, document);
  const size =
    [own.maximum, own.default].find((value) => typeof value === 'number' && value >= 1 && value <= 1000) ??
    100;
  const pages = { sizeParameter: sized.name, size: Number(size) };
  const page = named(['page', 'page_number', 'pageNumber']);
  if (page !== undefined) return { by: 'number', parameter: page.name, ...pages };
  const offset = named(['offset', 'skip', 'start']);
  return offset === undefined ? undefined : { by: 'offset', parameter: offset.name, ...pages };
}

/** The field with the address of the next page: `next` of format `uri`, or within `links`. */
function addressIn(properties: ReadonlyMap<string, unknown>, document: OpenapiDocument): string | undefined {
  const isAddress = (schema: unknown) => /^ur[il]$/.test(String(flatSchema(schema, document).own.format));
  if (isAddress(properties.get('next'))) return 'next';
  const around = ['links', '_links'].find((name) =>
    isText(flatSchema(properties.get(name), document).properties.get('next'), document),
  );
  return around === undefined ? undefined : `${around}.next`;
}

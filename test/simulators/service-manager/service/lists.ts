import { type Answer, json } from '../../base/answer.ts';
import { badRequest } from '../answers.ts';
import { matchesFields, matchesLabels, parseQuery } from '../state/query.ts';

export interface ListOptions<T extends object> {
  readonly query: URLSearchParams;
  readonly items: readonly T[];
  /** The fields that can be queried. */
  readonly fields: readonly string[];
  readonly labelsOf?: (item: T) => Readonly<Record<string, readonly string[]>>;
  readonly pageSize: number;
  readonly shown: (item: T) => object;
}

/** A page of the items that match the queries. Its token is the number of items before the next page. */
export function listed<T extends object>(options: ListOptions<T>): Answer {
  const { query, items, fields, labelsOf, pageSize, shown } = options;
  let found = [...items];
  try {
    const fieldQuery = query.get('fieldQuery');
    const labelQuery = query.get('labelQuery');
    if (fieldQuery !== null) {
      const clauses = parseQuery(fieldQuery);
      const unknown = clauses.find(({ field }) => !fields.includes(field));
      if (unknown !== undefined) return badRequest(`unsupported field query key: ${unknown.field}`);
      found = found.filter((item) => matchesFields(clauses, item));
    }
    if (labelQuery !== null) {
      const clauses = parseQuery(labelQuery);
      found = found.filter((item) => matchesLabels(clauses, labelsOf?.(item) ?? {}));
    }
  } catch (error) {
    return badRequest(`invalid query: ${error instanceof Error ? error.message : error}`);
  }
  const start = startOf(query.get('token'));
  if (start === undefined) return badRequest('invalid token');
  const size = Math.min(Number(query.get('max_items') ?? pageSize), pageSize);
  const end = start + size;
  const token = end < found.length ? { token: Buffer.from(`${end}`).toString('base64') } : {};
  return json(200, { items: found.slice(start, end).map(shown), num_items: found.length, ...token });
}

function startOf(token: string | null): number | undefined {
  if (token === null) return 0;
  const start = Number(Buffer.from(token, 'base64').toString('utf8'));
  return Number.isInteger(start) && start > 0 ? start : undefined;
}

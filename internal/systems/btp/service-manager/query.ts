/** Queries of Service Manager: `fieldQuery` and `labelQuery`. */

/** `name eq 'value'` */
export function equal(name: string, value: string): string {
  return `${name} eq ${quoted(value)}`;
}

/** `name in ('a', 'b')` */
export function oneOf(name: string, values: readonly string[]): string {
  return `${name} in (${values.map(quoted).join(', ')})`;
}

/** All clauses. */
export function all(...clauses: readonly string[]): string {
  return clauses.join(' and ');
}

/** A quote in a value is doubled, so that the value cannot end the clause. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** Parameters sorted by name, form-encoded. */
export function serializeQuery(query: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'string') parameters.append(name, value);
  }
  parameters.sort();
  return parameters.toString();
}

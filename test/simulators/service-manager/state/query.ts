/** The queries of Service Manager on JSON objects. */

export type Clause = { readonly field: string; readonly values: readonly string[] };

/** `name eq 'value'` or `name in ('a', 'b')`, joined with ` and `. Throws for anything else. */
export function parseQuery(text: string): Clause[] {
  const clauses: Clause[] = [];
  let rest = text;
  const take = (pattern: RegExp, what: string): RegExpExecArray => {
    const match = pattern.exec(rest);
    if (match === null) throw new Error(`${what} is missing at "${rest.slice(0, 40)}"`);
    rest = rest.slice(match[0].length);
    return match;
  };
  const value = () => (take(/^'((?:[^']|'')*)'/, 'a quoted value')[1] ?? '').replaceAll("''", "'");
  for (;;) {
    const field = take(/^[A-Za-z_][\w/]*/, 'a field')[0];
    const operator = take(/^ (eq|in) /, 'an operator')[1];
    if (operator === 'eq') clauses.push({ field, values: [value()] });
    else {
      take(/^\(/, 'a bracket');
      const values = [value()];
      while (rest.startsWith(', ')) {
        rest = rest.slice(2);
        values.push(value());
      }
      take(/^\)/, 'a bracket');
      clauses.push({ field, values });
    }
    if (rest === '') return clauses;
    take(/^ and /, '"and"');
  }
}

/** Whether the fields of an object match all clauses. An absent field counts as empty. */
export function matchesFields(clauses: readonly Clause[], object: object): boolean {
  return clauses.every(({ field, values }) => {
    let value: unknown = object;
    for (const step of field.split('/')) {
      value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
    }
    return values.includes(String(value ?? ''));
  });
}

/** Whether the labels match all clauses. */
export function matchesLabels(
  clauses: readonly Clause[],
  labels: Readonly<Record<string, readonly string[]>>,
): boolean {
  return clauses.every(
    ({ field, values }) => labels[field]?.some((value) => values.includes(value)) ?? false,
  );
}

/** What a newer schema would refuse, prune or read differently of what an older one let in. */

/** The part of a CRD's schema that decides whether stored objects stay valid. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string }[];
  readonly [keyword: string]: unknown;
}

/**
 * Upper bounds that may be added where there was none: no stored object of a provider or a user exceeds them. Names,
 * namespaces and labels have this limit.
 */
const roomyBounds: Readonly<Record<string, number>> = { maxLength: 63, maxItems: 64, maxProperties: 256 };

/** Of one of three words. */
const roomyForConditionStatus = 16;

/** Each makes a schema narrower when it comes or changes. */
const limits = [
  'pattern',
  'minLength',
  'minimum',
  'maximum',
  'minItems',
  'uniqueItems',
  'minProperties',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
] as const;

/**
 * Incompatible changes as text, one for each; empty: all stored objects stay valid and complete, with the same meaning.
 */
export function breakingChanges(before: Schema, after: Schema, path = ''): string[] {
  const at = path === '' ? 'the object' : path;
  const changes: string[] = [];
  for (const keyword of ['type', 'format'] as const) {
    if (before[keyword] !== after[keyword])
      changes.push(`${at}: ${keyword} was ${before[keyword]}, is ${after[keyword]}`);
  }
  for (const keyword of limits) {
    if (after[keyword] !== undefined && text(before[keyword]) !== text(after[keyword]))
      changes.push(`${at}: ${keyword} is ${text(after[keyword])}, was ${text(before[keyword])}`);
  }
  for (const [keyword, roomy] of Object.entries(roomyBounds)) {
    const [old, now] = [before[keyword], after[keyword]];
    if (typeof now !== 'number') continue;
    const least = typeof old === 'number' ? old : isConditionStatus(path) ? roomyForConditionStatus : roomy;
    if (now < least) changes.push(`${at}: ${keyword} is ${now}, was ${text(old)}`);
  }
  if (before.nullable && !after.nullable) changes.push(`${at}: may not be null any more`);
  if (before['x-kubernetes-preserve-unknown-fields'] && !after['x-kubernetes-preserve-unknown-fields'])
    changes.push(`${at}: unknown fields are pruned`);
  if (text(before.default) !== text(after.default))
    changes.push(`${at}: default was ${text(before.default)}, is ${text(after.default)}`);
  changes.push(...newlyRefused(before, after, at));
  for (const [name, schema] of Object.entries(before.properties ?? {})) {
    const child = after.properties?.[name];
    const below = `${path}.${name}`;
    changes.push(...(child === undefined ? [`${below}: is gone`] : breakingChanges(schema, child, below)));
  }
  for (const [keyword, suffix] of [
    ['items', '[]'],
    ['additionalProperties', '{}'],
  ] as const) {
    const [old, now] = [before[keyword], after[keyword]];
    if (typeof old !== 'object') continue;
    if (typeof now === 'object') changes.push(...breakingChanges(old, now, `${path}${suffix}`));
    else changes.push(`${at}: ${keyword} are not described any more`);
  }
  return changes;
}

const isConditionStatus = (path: string): boolean => path.endsWith('.conditions[].status');

function newlyRefused(before: Schema, after: Schema, at: string): string[] {
  const required = (after.required ?? []).filter((name) => !before.required?.includes(name));
  const unfilled = required.filter((name) => after.properties?.[name]?.default === undefined);
  const values = after.enum === undefined ? [] : (before.enum ?? ['anything']);
  const dropped = values.filter((value) => !after.enum?.includes(value));
  const rules = (schema: Schema) => schema['x-kubernetes-validations']?.map(({ rule }) => rule) ?? [];
  const added = rules(after).filter((rule) => !rules(before).includes(rule));
  return [
    ...unfilled.map((name) => `${at}: ${name} is required`),
    ...dropped.map((value) => `${at}: ${text(value)} is not allowed any more`),
    ...added.map((rule) => `${at}: a rule was added: ${rule}`),
  ];
}

const text = (value: unknown): string => JSON.stringify(value) ?? 'not there';

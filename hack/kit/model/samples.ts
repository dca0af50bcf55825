/** Values of schemas for tests: what the document gives as example, default or enum; else one of the type. */
import { isObject } from '../../../internal/framework/base/json/json-value.ts';
import { problemsIn } from '../../../internal/framework/kube/object/structural-schema.ts';
import { withoutNulls } from '../../../internal/framework/rest/compare.ts';
import { flatSchema } from '../document/object-properties.ts';
import type { JsonObject, OpenapiDocument } from '../document/openapi-document.ts';
import { isFor, structuralSchema } from '../document/structural-schema.ts';

export interface SampleOptions {
  readonly document: Pick<OpenapiDocument, 'resolve'>;
  readonly name: string;
  /** 0: the first value; 1: another one. */
  readonly variant: 0 | 1;
  readonly use: 'spec' | 'status';
}

/** Schemas with names around a value. */
const MAX_DEPTH = 8;

export function sampleOf(schema: unknown, options: SampleOptions, within: readonly string[] = []): unknown {
  const { document, name, variant, use } = options;
  const { type, own, properties, names } = flatSchema(schema, document);
  const isDeep = within.length > MAX_DEPTH || names.some((each) => within.includes(each));
  const inner = [...within, ...names];
  const given = givenValues(own).filter(
    (value) => isOfType(value, type) && (use === 'status' || isAccepted(schema, value, options)),
  );
  const first = given[variant];
  // A null is no value of a schema that is not nullable, as those of specs are.
  if (first !== undefined)
    return use === 'spec' ? withoutNulls(first) : filled(first, schema, options, within);
  switch (type) {
    case 'boolean':
      return variant === 0;
    case 'integer':
    case 'number':
      return numberOf(own, variant, given[0]);
    case 'string':
      return stringOf(own, { name, variant, first: given[0] });
    case 'array':
      return isDeep
        ? []
        : itemsFor(own, (each) => sampleOf(own.items ?? {}, { ...options, variant: each }, inner), variant);
    case 'object': {
      if (isDeep) return {};
      const { additionalProperties } = own;
      if (properties.size === 0)
        return isObject(additionalProperties) && Object.keys(additionalProperties).length > 0
          ? { key: sampleOf(additionalProperties, options, inner) }
          : { key: `value-${variant + 1}` };
      return Object.fromEntries(
        [...properties]
          .filter(([, part]) => isFor(use, flatSchema(part, document).own))
          .map(([key, part]) => [key, sampleOf(part, { ...options, name: key }, inner)]),
      );
    }
    default:
      return `${name}-${variant + 1}`;
  }
}

/** An example of what the API returns with the members that it leaves out. */
function filled(
  example: unknown,
  schema: unknown,
  options: SampleOptions,
  within: readonly string[],
): unknown {
  const { properties, names } = flatSchema(schema, options.document);
  if (!isObject(example) || names.some((each) => within.includes(each))) return example;
  const inner = [...within, ...names];
  const all = [...properties].flatMap(([name, part]): [string, unknown][] => {
    if (!isFor('status', flatSchema(part, options.document).own)) return [];
    const own = { ...options, name };
    const given = example[name];
    if (given === null) return [[name, null]];
    return [[name, given === undefined ? sampleOf(part, own, inner) : filled(given, part, own, inner)]];
  });
  return { ...example, ...Object.fromEntries(all) };
}

/** As many as there must be; all but the first have the other values. */
function itemsFor(
  { minItems }: JsonObject,
  item: (variant: 0 | 1) => unknown,
  variant: 0 | 1,
): readonly unknown[] {
  const least = typeof minItems === 'number' ? Math.min(minItems, MAX_SAMPLE_ITEMS) : 1;
  const others = Array.from({ length: Math.max(0, least - 1) }, () => item(variant === 0 ? 1 : 0));
  return [item(variant), ...others];
}

const MAX_SAMPLE_ITEMS = 64;

/** Examples of a document need not have its own limits. */
const isAccepted = (schema: unknown, value: unknown, { document, name }: SampleOptions): boolean =>
  problemsIn(structuralSchema(schema, document, { use: 'spec', name }), withoutNulls(value)).length === 0;

/** Different values in the order of preference. */
function givenValues(own: JsonObject): readonly unknown[] {
  const lists = [own.examples, own.enum].flatMap((each) => (Array.isArray(each) ? each : []));
  const all = [own.example, own.const, ...lists, own.default].filter(
    (value) => value !== undefined && value !== null,
  );
  const texts = new Set<string>();
  return all.filter((value) => {
    const text = JSON.stringify(value);
    const isNew = !texts.has(text);
    texts.add(text);
    return isNew;
  });
}

function isOfType(value: unknown, type: string | undefined): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer' || type === 'number') return typeof value === 'number';
  return type === undefined || typeof value === type;
}

function numberOf({ minimum, maximum }: JsonObject, variant: 0 | 1, first: unknown): number {
  const low = typeof minimum === 'number' ? minimum : 1;
  const start = typeof first === 'number' ? first : low;
  const next = start + variant;
  return typeof maximum === 'number' && next > maximum ? start - variant : next;
}

const FORMATS: Readonly<Record<string, (n: number) => string>> = {
  'date-time': (n) => `2030-01-0${n}T00:00:00Z`,
  date: (n) => `2030-01-0${n}`,
  uuid: (n) => `00000000-0000-4000-8000-00000000000${n}`,
  email: (n) => `user${n}@example.org`,
  uri: (n) => `https://example.org/${n}`,
  url: (n) => `https://example.org/${n}`,
  hostname: (n) => `host${n}.example.org`,
  ipv4: (n) => `192.0.2.${n}`,
};

function stringOf(
  { format, minLength, maxLength }: JsonObject,
  { name, variant, first }: { readonly name: string; readonly variant: 0 | 1; readonly first: unknown },
): string {
  const make = typeof format === 'string' ? FORMATS[format] : undefined;
  if (make !== undefined) return make(variant + 1);
  const text = typeof first === 'string' ? `${first}-${variant + 1}` : `${name}-${variant + 1}`;
  const least = typeof minLength === 'number' ? minLength : 0;
  const most = typeof maxLength === 'number' ? maxLength : text.length + least;
  return text.padEnd(least, 'x').slice(-Math.max(1, most));
}

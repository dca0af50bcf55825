type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type Schema = { [key: string]: Json };

const PREFIX = '#/components/schemas/';

/** Types use the project's own. */
const LEFT_OUT = ['ObjectMeta'];

/** Not used by types and CRDs. Gardener itself says which values of an enum it knows. */
const DROPPED_KEYS = new Set([
  'default',
  'enum',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-group-version-kind',
]);

/** Go types that stand for any JSON object; the document says `type: object` without properties of them. */
const OPEN_OBJECTS = new Set(['RawExtension', 'FieldsV1']);

/**
 * The part of an OpenAPI v3 document of a Kubernetes API server that some of its schemas need, under short names.
 *
 * @param kinds short names of the schemas to start from
 * @param kinds short names of the schemas to start from
 * @throws if a kind is missing
 */
export function pruneDocument(document: unknown, kinds: readonly string[]): Schema {
  const { info, components } = document as {
    readonly info: Json;
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  };
  const names = shortNames(Object.keys(components.schemas));
  const named = new Map(
    Object.entries(components.schemas).map(([name, schema]) => [names.get(name) ?? name, schema]),
  );
  const kept = new Map<string, Schema>();
  const waiting = [...kinds];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (kept.has(name)) continue;
    const found = named.get(name);
    if (found === undefined) throw new Error(`cannot prune the document: it has no ${name}`);
    const schema = pruneSchema(found, names);
    kept.set(name, OPEN_OBJECTS.has(name) ? { ...schema, additionalProperties: true } : schema);
    waiting.push(...references(schema));
  }
  const schemas = Object.fromEntries([...kept].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { openapi: '3.1.0', info, paths: {}, components: { schemas } };
}

/** By full name. Of schemas that differ in their package only, the first in the order of names has the short one. */
function shortNames(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const short = [...names].sort().map((name): [string, string] => {
    const last = name.slice(name.lastIndexOf('.') + 1);
    if (taken.has(last)) return [name, name];
    taken.add(last);
    return [name, last];
  });
  return new Map(short);
}

type Names = ReadonlyMap<string, string>;

function referred(schema: Json | undefined): string | undefined {
  const reference = (schema as Schema | undefined)?.$ref;
  return typeof reference === 'string' ? reference.slice(PREFIX.length) : undefined;
}

function pruneSchema({ allOf, description, ...schema }: Schema, names: Names): Schema {
  // Kubernetes wraps a reference to give it a description and a default.
  const wrapped = Array.isArray(allOf) && allOf.length === 1 ? referred(allOf[0]) : referred(schema);
  const pruned: Schema = {
    ...(typeof description === 'string' ? { description: firstSentence(description) } : {}),
    ...(wrapped === undefined ? {} : { $ref: PREFIX + (names.get(wrapped) ?? wrapped) }),
  };
  for (const [key, value] of Object.entries(schema)) {
    if (key === '$ref' || DROPPED_KEYS.has(key)) continue;
    if (key === 'properties') pruned[key] = pruneProperties(value as Record<string, Schema>, names);
    else if (key === 'items' || key === 'additionalProperties')
      pruned[key] = pruneSchema(value as Schema, names);
    else pruned[key] = value;
  }
  return pruned;
}

function pruneProperties(properties: Readonly<Record<string, Schema>>, names: Names): Schema {
  const pruned = Object.entries(properties).map(
    ([name, schema]) => [name, pruneSchema(schema, names)] as const,
  );
  return Object.fromEntries(pruned.filter(([, schema]) => !LEFT_OUT.includes(referred(schema) ?? '')));
}

function firstSentence(text: string): string {
  const [paragraph = ''] = text.split('\n\n', 1);
  return (/^.*?\.(?=\s+[A-Z]|\s*$)/s.exec(paragraph)?.[0] ?? paragraph).replaceAll(/\s+/g, ' ').trim();
}

function references(schema: Json): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = referred(schema);
  return [...(own === undefined ? [] : [own]), ...Object.values(schema).flatMap(references)];
}

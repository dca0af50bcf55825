import type { Schema } from '../source/source.ts';

/** A version of a CRD, as far as its schema is checked. */
export interface CheckedVersion {
  readonly subresources?: object;
  readonly additionalPrinterColumns?: readonly { readonly name: string }[];
  readonly schema: { readonly openAPIV3Schema: Schema };
}

/** By rule the paths that break it; the rules are those of the API server and of all generated CRDs. */
export function schemaProblems({
  schema: { openAPIV3Schema: root },
  subresources,
  additionalPrinterColumns = [],
}: CheckedVersion): Record<string, string[]> {
  const all = [...walk(root, '')];
  const paths = (breaks: (path: string, schema: Schema) => boolean) =>
    all.filter(({ path, schema }) => breaks(path, schema)).map(({ path }) => path);
  const problems = {
    'each value has a type, or the schema is not structural': paths(
      (_, { type, 'x-kubernetes-int-or-string': isEither = false }) => type === undefined && !isEither,
    ),
    'each field has a description, for kubectl explain': paths(
      (path, { description }) => !/[\]}]$/.test(path) && path !== '.metadata' && !description?.endsWith('.'),
    ),
    'each string, list and map is bounded, or a resource may be as large as etcd allows': paths(isUnbounded),
    'the API server knows each keyword': paths((_, schema) =>
      Object.keys(schema).some((key) => key.startsWith('$')),
    ),
    'the API server knows each key of a column': additionalPrinterColumns
      .filter((column) => 'at' in column)
      .map(({ name }) => name),
    'there is a status subresource exactly if there is a status':
      (subresources !== undefined) === (root.properties?.status !== undefined) ? [] : ['.status'],
  };
  return Object.fromEntries(Object.entries(problems).filter(([, broken]) => broken.length > 0));
}

/** Every schema inside, with the path users know it by. */
function* walk(schema: Schema, path: string): Generator<{ path: string; schema: Schema }> {
  yield { path, schema };
  for (const [name, value] of Object.entries(schema.properties ?? {})) yield* walk(value, `${path}.${name}`);
  if (schema.items !== undefined) yield* walk(schema.items, `${path}[]`);
  if (schema.additionalProperties !== undefined) yield* walk(schema.additionalProperties, `${path}{}`);
}

function isUnbounded(path: string, schema: Schema): boolean {
  // The API server bounds these itself.
  if (['.apiVersion', '.kind'].includes(path)) return false;
  if (schema.type === 'string') return schema.maxLength === undefined && schema.enum === undefined;
  if (schema.type === 'array') return schema.maxItems === undefined;
  return schema.additionalProperties !== undefined && schema.maxProperties === undefined;
}

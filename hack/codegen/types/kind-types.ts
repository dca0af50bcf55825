import { dirname } from 'node:path/posix';
import { objectSchema } from '../schema/object-schema.ts';
import { sharedSchema } from '../schema/shared-schema.ts';
import type { Form, Schema, Source } from '../source/source.ts';
import { comment } from './comment.ts';
import { typeText } from './type-text.ts';

/** `apis/<group>/<version>/<kind>.gen.ts`: in the folder of the source, or of the other versions that it states. */
export function kindTypesPath(source: Source): string {
  return `${dirname(dirname(source.file))}/${source.version}/${source.kind.toLowerCase()}.gen.ts`;
}

/** A module of types. It needs ObjectMeta only; everything else has the form that the framework expects. */
export function typesModule(objectMeta: string, parts: readonly string[]): string {
  return `import type { ObjectMeta } from "${objectMeta}";\n${parts.join('')}`;
}

/**
 * The part of a module for one version of a kind: a resource type for each form, and one object type for all of them,
 * with a type guard and builders.
 *
 * @param forms those that are emitted
 */
export function kindTypes(source: Source, forms: readonly Form[]): string {
  const object = sharedSchema(forms.map((form) => ({ form, schema: objectSchema(source, form) })));
  const body = Object.entries(object.properties ?? {})
    .filter(([name]) => !rootNames.includes(name))
    .map(([name, schema]) => ({ name, schema, isRequired: object.required?.includes(name) === true }));
  const { kind } = source;
  const types = forms.map((form) => ({ form, constant: constantName(form, forms) }));
  const union = (key: 'apiVersion' | 'kind', of: (form: Form) => string) =>
    [...Map.groupBy(types, ({ form }) => of(form)).values()]
      .flatMap(([first]) => (first === undefined ? [] : `typeof ${first.constant}.${key}`))
      .join(' | ');
  return `
${types.map(({ form, constant }) => resourceType(source, form, constant)).join('\n')}${byScope(source, types)}
${comment([source.description])}
export interface ${kind} {
    apiVersion: ${union('apiVersion', ({ group }) => group)};
    kind: ${union('kind', (form) => form.kind)};
    metadata: ${metadataType(forms)};
${body.map(({ name, isRequired }) => `    ${name}${isRequired ? '' : '?'}: ${typeName(kind, name)};`).join('\n')}
}
${body
  .map(
    ({ name, schema }) => `
${comment([schema.description ?? ''])}
export type ${typeName(kind, name)} = ${typeText(withConditionStatus(schema))};
`,
  )
  .join('')}${source.managed ? aliases(kind) : ''}
/** Goes by apiVersion and kind; the API server has seen to the rest. */
export function is${kind}(object: unknown): object is ${kind} {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return ${types
      .map(({ constant }) => `apiVersion === ${constant}.apiVersion && kind === ${constant}.kind`)
      .join('\n        || ')};
}
${[...Map.groupBy(types, ({ form }) => form.kind).values()].map((of) => builder(kind, of, body)).join('')}`;
}

const rootNames = ['apiVersion', 'kind', 'metadata'];

/** A form with the name of its resource type. */
interface TypedForm {
  readonly form: Form;
  readonly constant: string;
}

function resourceType({ kind, version, forms }: Source, form: Form, constant: string): string {
  const isOne = forms.filter((other) => other.kind === form.kind && other.emit).length === 1;
  const scope = form.scope === 'Namespaced' ? 'namespaced' : 'cluster-scoped';
  return `/** Where ${isOne ? '' : `${scope} `}${plain(form)} are served. */
export const ${constant}: {
    readonly apiVersion: "${form.group}/${version}";
    readonly group: "${form.group}";
    readonly version: "${version}";
    readonly kind: "${form.kind}";
    readonly plural: "${form.plural}";
    readonly namespaced: ${form.scope === 'Namespaced'};
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: ${kind};
} = {
    apiVersion: "${form.group}/${version}",
    group: "${form.group}",
    version: "${version}",
    kind: "${form.kind}",
    plural: "${form.plural}",
    namespaced: ${form.scope === 'Namespaced'},
};
`;
}

/** A managed kind of both scopes has one controller for each. */
function byScope({ kind, managed }: Source, types: readonly TypedForm[]): string {
  const of = (scope: Form['scope']) => types.find(({ form }) => form.scope === scope)?.constant;
  const [cluster, namespaced] = [of('Cluster'), of('Namespaced')];
  if (!managed || cluster === undefined || namespaced === undefined) return '';
  return `
/** By scope. */
export const ${lowerFirst(kind)}Types: {
    readonly cluster: typeof ${cluster};
    readonly namespaced: typeof ${namespaced};
} = { cluster: ${cluster}, namespaced: ${namespaced} };
`;
}

function aliases(kind: string): string {
  return `
/** What \`spec.forProvider\` holds. */
export type ${kind}Parameters = ${kind}Spec["forProvider"];

/** What \`status.atProvider\` holds. */
export type ${kind}Observation = NonNullable<${kind}Status["atProvider"]>;
`;
}

/** The builder of the forms of one name. A namespace makes the object a namespaced one. */
function builder(
  type: string,
  forms: readonly TypedForm[],
  body: readonly { readonly name: string; readonly isRequired: boolean }[],
): string {
  const kind = forms[0]?.form.kind ?? type;
  const namespaced = forms.find(({ form }) => form.scope === 'Namespaced')?.constant;
  const cluster = forms.find(({ form }) => form.scope === 'Cluster')?.constant;
  const constant =
    namespaced !== undefined && cluster !== undefined
      ? `metadata.namespace === undefined ? ${cluster} : ${namespaced}`
      : (namespaced ?? cluster);
  return `
/** A ${kind} from what differs between two of them; what is not part of the body is metadata. */
export function ${lowerFirst(kind)}(
    parts: ${metadataType(forms.map(({ form }) => form))} & Omit<${type}, "apiVersion" | "kind" | "metadata">,
): ${type} {
    const { ${[...body.map(({ name }) => name), '...metadata'].join(', ')} } = parts;
    const { apiVersion, kind } = ${constant};
    return {
        apiVersion,
        kind,
        metadata,
${body.map(({ name, isRequired }) => (isRequired ? `        ${name},` : `        ...(${name} === undefined ? {} : { ${name} }),`)).join('\n')}
    };
}
`;
}

/** Crossplane's schema leaves the status of a condition open; the type has the three values in use. */
function withConditionStatus(schema: Schema): Schema {
  const conditions = schema.properties?.conditions;
  const status = conditions?.items?.properties?.status;
  if (conditions?.items === undefined || status === undefined) return schema;
  const properties = {
    ...conditions.items.properties,
    status: { ...status, enum: ['True', 'False', 'Unknown'] },
  };
  return {
    ...schema,
    properties: {
      ...schema.properties,
      conditions: { ...conditions, items: { ...conditions.items, properties } },
    },
  };
}

function metadataType(forms: readonly Form[]): string {
  const [scope, other] = new Set(forms.map((form) => form.scope));
  if (other !== undefined) return 'ObjectMeta';
  return `ObjectMeta & { ${scope === 'Namespaced' ? 'namespace: string' : 'namespace?: never'} }`;
}

/** The plural; the second form of a name has its scope in front. */
export function constantName(form: Form, forms: readonly Form[]): string {
  if (forms.find(({ kind }) => kind === form.kind) === form) return lowerFirst(plain(form));
  return `${form.scope.toLowerCase()}${plain(form)}`;
}

function typeName(kind: string, property: string): string {
  return `${kind}${property.slice(0, 1).toUpperCase()}${property.slice(1)}`;
}

function lowerFirst(name: string): string {
  return `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;
}

/** The plural with the capitals of the kind, where one begins with the other: policies of Policy stay policies. */
function plain(form: Form): string {
  const { kind, plural } = form;
  let shared = 0;
  while (shared < kind.length && kind[shared]?.toLowerCase() === plural[shared]) shared += 1;
  return kind.slice(0, shared) + plural.slice(shared);
}

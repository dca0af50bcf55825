import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { generatedHeader } from '../generated-header.ts';
import { innerSchemas } from '../schema/inner-schemas.ts';
import { objectSchema } from '../schema/object-schema.ts';
import type { Form, Schema, Source } from '../source/source.ts';
import { comment, tidyComments } from './comment.ts';

/** `apis/<group>/<version>/<kind>.gen.ts`; for the form of the source's own group it is beside the source. */
export function kindTypesPath(source: Source, form: Form): string {
  return `apis/${form.group}/${source.version}/${form.singular}.gen.ts`;
}

/**
 * A module for one kind: its resource type, types, a type guard and a builder. It imports nothing; its constant and
 * object type have the form that the Kubernetes client and the reconciler expect.
 */
export async function kindTypes(source: Source, form: Form): Promise<string> {
  const object = objectSchema(source, form);
  const body = Object.entries(object.properties ?? {}).filter(([name]) => !rootNames.includes(name));
  const texts = await schemaTexts({
    ObjectMeta: objectMeta(form),
    ...Object.fromEntries(body.map(([name, schema]) => [typeName(form, name), withConditionStatus(schema)])),
  });
  const { kind } = form;
  const constant = constantName(form);
  const isRequired = (name: string) => object.required?.includes(name) === true;
  const aliases = source.managed
    ? `
/** What \`spec.forProvider\` holds. */
export type ${kind}Parameters = ${kind}Spec["forProvider"];

/** What \`status.atProvider\` holds. */
export type ${kind}Observation = NonNullable<${kind}Status["atProvider"]>;
`
    : '';
  const types = body.map(
    ([name, schema]) => `
${comment([schema.description ?? ''])}
export type ${typeName(form, name)} = ${texts.get(typeName(form, name))};
`,
  );
  return `${generatedHeader(source.file, '//')}
/** Where ${plain(form)} are served. */
export const ${constant}: {
    readonly apiVersion: "${form.group}/${source.version}";
    readonly group: "${form.group}";
    readonly version: "${source.version}";
    readonly kind: "${kind}";
    readonly plural: "${form.plural}";
    readonly namespaced: ${form.scope === 'Namespaced'};
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: ${kind};
} = {
    apiVersion: "${form.group}/${source.version}",
    group: "${form.group}",
    version: "${source.version}",
    kind: "${kind}",
    plural: "${form.plural}",
    namespaced: ${form.scope === 'Namespaced'},
};

${comment([source.description])}
export interface ${kind} {
    apiVersion: typeof ${constant}.apiVersion;
    kind: typeof ${constant}.kind;
    metadata: ObjectMeta;
${body.map(([name]) => `    ${name}${isRequired(name) ? '' : '?'}: ${typeName(form, name)};`).join('\n')}
}
${types.join('')}${aliases}
interface ObjectMeta ${texts.get('ObjectMeta')}

/** Goes by apiVersion and kind; the API server has seen to the rest. */
export function is${kind}(object: unknown): object is ${kind} {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === ${constant}.apiVersion && kind === ${constant}.kind;
}

/** A ${kind} from what differs between two of them; what is not part of the body is metadata. */
export function ${lowerFirst(kind)}(
    parts: ObjectMeta & Omit<${kind}, "apiVersion" | "kind" | "metadata">,
): ${kind} {
    const { ${[...body.map(([name]) => name), '...metadata'].join(', ')} } = parts;
    return {
        apiVersion: ${constant}.apiVersion,
        kind: ${constant}.kind,
        metadata,
${body.map(([name]) => (isRequired(name) ? `        ${name},` : `        ...(${name} === undefined ? {} : { ${name} }),`)).join('\n')}
    };
}
`;
}

const rootNames = ['apiVersion', 'kind', 'metadata'];

/** The TypeScript of each schema, as openapi-typescript writes it. */
async function schemaTexts(schemas: Readonly<Record<string, Schema>>): Promise<Map<string, string>> {
  const document = {
    openapi: '3.0.3',
    info: { title: 'kinds', version: '1' },
    paths: {},
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, asOpenApi(schema)])),
    },
  };
  // The document is passed as text, so that it is validated.
  const nodes = await openapiTS(JSON.stringify(document), { defaultNonNullable: false, silent: true });
  const texts = new Map<string, string>();
  for (const node of nodes) {
    if (!ts.isInterfaceDeclaration(node) || node.name.text !== 'components') continue;
    const schemasNode = node.members.find((member) => nameOf(member) === 'schemas');
    if (!isTypeLiteralMember(schemasNode)) continue;
    for (const member of schemasNode.type.members) {
      if (ts.isPropertySignature(member) && member.type !== undefined) {
        texts.set(nameOf(member), tidyComments(astToString(member.type)).trimEnd());
      }
    }
  }
  return texts;
}

/** Replaces the keywords of Kubernetes that decide on types by those of OpenAPI. */
function asOpenApi(schema: Schema): object {
  return {
    ...schema,
    ...(schema['x-kubernetes-preserve-unknown-fields'] === true && schema.type === 'object'
      ? { additionalProperties: true }
      : {}),
    ...(schema['x-kubernetes-int-or-string'] === true
      ? { oneOf: [{ type: 'integer' }, { type: 'string' }] }
      : {}),
    ...innerSchemas(schema, asOpenApi),
  };
}

function isTypeLiteralMember(
  member: ts.TypeElement | undefined,
): member is ts.PropertySignature & { type: ts.TypeLiteralNode } {
  return (
    member !== undefined &&
    ts.isPropertySignature(member) &&
    member.type !== undefined &&
    ts.isTypeLiteralNode(member.type)
  );
}

function nameOf(member: ts.TypeElement): string {
  const { name } = member;
  return name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : '';
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

const text: Schema = { type: 'string' };
const time: Schema = { type: 'string', format: 'date-time' };
const texts: Schema = { type: 'object', additionalProperties: text };

function objectMeta(form: Form): Schema {
  const namespaced = form.scope === 'Namespaced';
  return {
    type: 'object',
    required: namespaced ? ['name', 'namespace'] : ['name'],
    properties: {
      name: text,
      ...(namespaced ? { namespace: text } : {}),
      generateName: text,
      uid: text,
      resourceVersion: text,
      generation: { type: 'integer' },
      creationTimestamp: time,
      deletionTimestamp: time,
      deletionGracePeriodSeconds: { type: 'integer' },
      labels: texts,
      annotations: texts,
      finalizers: { type: 'array', items: text },
      ownerReferences: {
        type: 'array',
        items: {
          type: 'object',
          required: ['apiVersion', 'kind', 'name', 'uid'],
          properties: {
            apiVersion: text,
            kind: text,
            name: text,
            uid: text,
            controller: { type: 'boolean' },
            blockOwnerDeletion: { type: 'boolean' },
          },
        },
      },
      managedFields: { type: 'array', items: {} },
    },
  };
}

function typeName(form: Form, property: string): string {
  return `${form.kind}${property.slice(0, 1).toUpperCase()}${property.slice(1)}`;
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

function constantName(form: Form): string {
  return lowerFirst(plain(form));
}

/** The page of a kind for users, `docs/kinds/<kind>.md`: what they can set, what becomes of it, and how it is called outside. */
import {
  fieldPath,
  isFixed,
  type RestDefinition,
  type RestField,
  secretRefName,
} from '../../../internal/framework/rest/definition.ts';
import {
  code,
  type FieldRow,
  innerRows,
  prose,
  ruleMessages,
  table,
} from '../../codegen/pages/field-table.ts';
import { objectSchema } from '../../codegen/schema/object-schema.ts';
import { referenceNames } from '../../codegen/schema/reference-fields.ts';
import type { Form, ManagedSource, Schema } from '../../codegen/source/source.ts';
import type { KindModel } from '../model/kind-model.ts';
import { examplePath } from './examples.ts';

export const pagePath = (kind: string): string => `docs/kinds/${kind.toLowerCase()}.md`;
export const INDEX = 'docs/kinds/README.md';

export interface PageGiven {
  readonly source: ManagedSource;
  /** Those that are served. */
  readonly forms: readonly Form[];
  readonly model: KindModel;
  /** Of the last form. */
  readonly example: string;
}

export function kindPage({ source, forms, model, example }: PageGiven): string {
  const { definition } = model;
  const references = referencesIn(source.forProvider);
  const objects = forms.map((form) => ({ form, schema: objectSchema(source, form) }));
  const rules = [...new Set(objects.flatMap(({ schema }) => ruleMessages(schema)))];
  const within = (...path: readonly string[]) =>
    objects.map(({ form, schema }) => ({ form, schema: at(schema, path) }));
  return `
# ${source.kind}

${prose(source.description)}

${table(
  ['scope', 'apiVersion', 'for kubectl', 'example'],
  forms.map((form) => [
    form.scope,
    code(`${form.group}/${source.version}`),
    code(`${form.plural}.${form.group}`),
    `[${examplePath(source.kind, form)}](../../${examplePath(source.kind, form)})`,
  ]),
)}
${namesOf(source)}## Example

\`\`\`yaml
${example.trimEnd()}
\`\`\`

## spec.forProvider

${fieldsTable(within('spec', 'forProvider'), { isLeaf: leafOf(references), behaviour: behaviourIn(definition, references) })}
${referencesSection(references)}${detailsSection(definition)}## External resource

${externalSection(definition)}
## spec

${fieldsTable(within('spec').map(withoutForProvider))}
## status.atProvider

${fieldsTable(within('status', 'atProvider'))}${
  rules.length === 0
    ? ''
    : `
## Rules

What the API server refuses beyond types and limits:

${rules.map((message) => `- ${prose(message)}\n`).join('')}`
}`;
}

/** All pages and examples of a provider. */
export function indexPage(title: string, pages: readonly PageGiven[], configs: readonly string[]): string {
  const rows = pages.map(({ source, forms }) => [
    `[${source.kind}](${pagePath(source.kind).split('/').at(-1)})`,
    prose(source.description),
    forms.map((form) => `[${form.scope}](../../${examplePath(source.kind, form)})`).join(', '),
  ]);
  return `
# Kinds of ${prose(title)}

${table(['Kind', 'Meaning', 'Examples'], rows)}
How a provider reaches the API: ${configs.map((path) => `[${path}](../../${path})`).join(', ')}.
`;
}

function namesOf({ categories, columns }: ManagedSource): string {
  const shown = columns.map(({ name, priority = 0 }) => (priority > 0 ? `${name} (wide)` : name));
  const rows = [
    ...(categories.length === 0 ? [] : [['categories', categories.map(code).join(', ')]]),
    ...(shown.length === 0 ? [] : [['columns', shown.map(prose).join(', ')]]),
  ];
  return rows.length === 0 ? '' : `${table(['', ''], rows)}\n`;
}

interface Reference {
  /** Through objects and lists, as rows have it. */
  readonly path: string;
  readonly kind: string;
  readonly value: string | undefined;
  readonly isList: boolean;
  readonly ref: string;
  readonly selector: string;
}

function referencesIn(schema: Schema, path = ''): readonly Reference[] {
  if (schema.items !== undefined) return referencesIn(schema.items, `${path}[]`);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]): readonly Reference[] => {
    const at = (each: string) => (path === '' ? each : `${path}.${each}`);
    if (field.$reference === undefined) return referencesIn(field, at(name));
    const { kind, value } = field.$reference;
    const { ref, selector } = referenceNames(name, field);
    const isList = field.type === 'array';
    return [{ path: at(name), kind, value, isList, ref: at(ref), selector: at(selector) }];
  });
}

/** Their own fields are those of every reference. */
const leafOf = (references: readonly Reference[]) => {
  const leaves = new Set(references.flatMap(({ ref, selector }) => [ref, selector]));
  return (path: string) => leaves.has(path);
};

type Behaviour = (path: string) => readonly string[];

/** What becomes of a field besides that it is sent. */
function behaviourIn(definition: RestDefinition, references: readonly Reference[]): Behaviour {
  const { fields, immutable, id } = definition;
  const change = immutable === 'replace' ? 'a change replaces the external resource' : 'cannot be changed';
  const ofId = id.parts.flatMap(({ from, parameter, field = parameter }) => (from === 'spec' ? [field] : []));
  const ofField = (name: string, field: RestField | undefined): readonly string[] => {
    if (field === undefined) return [change];
    const { secret, writeOnly, unordered, lateInitialize } = field;
    return [
      ...(secret ? ['the value is in a Secret'] : []),
      ...(isFixed(definition, field) || ofId.includes(name) ? [change] : []),
      ...(writeOnly ? ['its drift is not seen'] : []),
      ...(unordered ? ['the order does not count'] : []),
      ...(secret || writeOnly || lateInitialize === false ? [] : ['late-initialized']),
    ];
  };
  return (path) => {
    const [first = '', ...rest] = path.replaceAll('[]', '').split('.');
    const reference = references.find((each) => each.path === path);
    const refers = reference === undefined ? [] : [`refers to ${reference.kind}`];
    if (references.some(({ ref, selector }) => ref === path || selector === path)) return [];
    if (rest.length > 0) {
      const inner = fields[first]?.inner?.find(({ path: own, secret }) =>
        secret ? secretRefName(own) === rest.join('.') : own === rest.join('.'),
      );
      return [
        ...refers,
        ...(inner?.secret ? ['the value is in a Secret'] : []),
        ...(inner?.writeOnly ? ['its drift is not seen'] : []),
      ];
    }
    const name = first.endsWith('SecretRef') && fields[first] === undefined ? first.slice(0, -9) : first;
    return [...refers, ...ofField(name, fields[name])];
  };
}

interface Shown {
  readonly form: Form;
  readonly schema: Schema;
}

function withoutForProvider({ form, schema }: Shown): Shown {
  const { forProvider: _, ...properties } = schema.properties ?? {};
  return { form, schema: { ...schema, properties } };
}

interface TableOptions {
  readonly isLeaf?: (path: string) => boolean;
  readonly behaviour?: Behaviour;
}

/** The fields of an object in all scopes; what one scope lacks says so. */
function fieldsTable(
  objects: readonly Shown[],
  { isLeaf = () => false, behaviour = () => [] }: TableOptions = {},
): string {
  const byPath = new Map<string, { readonly row: FieldRow; readonly scopes: Set<string> }>();
  for (const { form, schema } of objects)
    for (const row of innerRows('', schema, isLeaf)) {
      const known = byPath.get(row.path) ?? { row, scopes: new Set() };
      byPath.set(row.path, known);
      known.scopes.add(form.scope);
    }
  const rows = [...byPath.values()];
  if (rows.length === 0) return 'There is none.\n';
  const shown = rows.slice(0, MAX_ROWS).map(({ row, scopes }) => {
    const [only = '', ...others] = scopes;
    return [
      code(row.path),
      row.type,
      row.required ? 'yes' : '',
      [
        ...(row.fallback === '' ? [] : [`default ${row.fallback}`]),
        ...behaviour(row.path).filter((text) => !(row.required && text === 'late-initialized')),
        ...(others.length === 0 && objects.length > 1 ? [`scope ${only} only`] : []),
      ].join('; '),
      prose(row.description),
    ];
  });
  const [kind = ''] = objects.map(({ form }) => `${form.plural}.${form.group}`);
  const more =
    rows.length <= MAX_ROWS
      ? ''
      : `\n${rows.length - MAX_ROWS} more: \`kubectl explain ${kind} --recursive\` lists all.\n`;
  return `${table(['Field', 'Type', 'Required', 'Behaviour', 'Meaning'], shown)}${more}`;
}

/** A document may have thousands of fields within fields. */
const MAX_ROWS = 400;

const at = (schema: Schema, path: readonly string[]): Schema =>
  path.reduce<Schema>((inner, name) => inner.properties?.[name] ?? {}, schema);

function referencesSection(references: readonly Reference[]): string {
  if (references.length === 0) return '';
  const rows = references.map(({ path, kind, value, isList, ref, selector }) => [
    code(path),
    kind,
    value === undefined ? (isList ? 'its external name, of each' : 'its external name') : code(value),
    code(ref),
    code(selector),
  ]);
  return `## References

One of three is set: the value itself, a reference by name, or a selector by labels. The object waits until the other one has the value.

${table(['Field', 'Kind', 'Value', 'By name', 'By labels'], rows)}
`;
}

function detailsSection({ connection = {} }: RestDefinition): string {
  const entries = Object.entries(connection);
  if (entries.length === 0) return '';
  const rows = entries.map(([key, { from, field }]) => [
    code(key),
    code(field),
    from === 'created'
      ? 'the creation; it cannot be had again'
      : from === 'observed'
        ? 'each observation'
        : `each observation once it is ready, by ${code(from)}`,
  ]);
  return `## Connection details

Written to the Secret that \`spec.writeConnectionSecretToRef\` names:

${table(['Key', 'Field of the response', 'Known from'], rows)}
`;
}

function externalSection(definition: RestDefinition): string {
  const { id, create, read, update, delete: remove, ready, deleted } = definition;
  const routeOf = (operation: typeof create | typeof read | typeof update | typeof remove) => {
    if (operation === undefined) return 'none';
    if (typeof operation === 'string') return code(operation);
    return code('route' in operation ? operation.route : operation.list);
  };
  const own = Object.entries(definition.fields).flatMap(([name, field]) =>
    field.update === undefined ? [] : [`${code(fieldPath(name, field).join('.'))}: ${code(field.update)}`],
  );
  const rows = [
    ['create', routeOf(create)],
    ['read', routeOf(read)],
    ['update', [routeOf(update), ...own].join(', ')],
    ['delete', routeOf(remove)],
    ...(ready === undefined
      ? []
      : [['Ready', `while ${code(ready.field)} is one of ${ready.values.map(code).join(', ')}`]]),
    ...(deleted === undefined
      ? []
      : [
          [
            'gone',
            `once ${code(deleted.field)} is ${deleted.values === undefined ? 'set' : `one of ${deleted.values.map(code).join(', ')}`}`,
          ],
        ]),
  ];
  const name = id.parts.map(({ parameter }) => `{${parameter}}`).join('/');
  const parts = id.parts.map(({ parameter, from, field = parameter }) => [
    code(parameter),
    from === 'name'
      ? code('metadata.name')
      : from === 'spec'
        ? code(`spec.forProvider.${field}`)
        : `chosen by the API: ${code(field)}`,
  ]);
  return `${table(['', ''], rows)}
The annotation \`crossplane.io/external-name\` has its ID: ${code(name)}.

${table(['Part', 'From'], parts)}
To import an external resource, create the object with the annotation. With \`managementPolicies: [Observe]\` it is only observed.
`;
}

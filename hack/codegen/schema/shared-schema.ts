import type { Form, Schema } from '../source/source.ts';

/** A schema in one of the forms of its kind. */
export interface FormSchema {
  readonly form: Form;
  readonly schema: Schema;
}

/**
 * One schema for the objects of all forms, from which their type is made. A field that is missing or optional in a form
 * is optional; the description tells the forms apart.
 */
export function sharedSchema(forms: readonly FormSchema[]): Schema {
  const [first, ...others] = forms;
  if (first === undefined || others.length === 0) return first?.schema ?? {};
  const { description, default: fallback, ...schema } = first.schema;
  const isDefault = others.every((each) => JSON.stringify(each.schema.default) === JSON.stringify(fallback));
  const differing = others.filter((each) => each.schema.description !== description);
  const names = new Set(forms.flatMap((each) => Object.keys(each.schema.properties ?? {})));
  const inner = (key: 'items' | 'additionalProperties') => {
    const schemas = innerOf(forms, (each) => each[key]);
    return schemas.length === 0 ? {} : { [key]: sharedSchema(schemas) };
  };
  return {
    ...schema,
    ...(description === undefined
      ? {}
      : { description: [description, ...differing.map((each) => addition(each, description))].join('\n\n') }),
    ...(isDefault && fallback !== undefined ? { default: fallback } : {}),
    required: [...names].filter((name) => forms.every((each) => each.schema.required?.includes(name))),
    ...(names.size === 0
      ? {}
      : { properties: Object.fromEntries([...names].map((name) => [name, property(forms, name)])) }),
    ...inner('items'),
    ...inner('additionalProperties'),
  };
}

function property(forms: readonly FormSchema[], name: string): Schema {
  const having = innerOf(forms, ({ properties }) => properties?.[name]);
  const schema = sharedSchema(having);
  const [scope, other] = new Set(having.map(({ form }) => form.scope));
  if (scope === undefined || other !== undefined || having.length === forms.length) return schema;
  return { ...schema, description: `${schema.description} ${label(scope)} form only.` };
}

function innerOf(forms: readonly FormSchema[], read: (schema: Schema) => Schema | undefined): FormSchema[] {
  return forms.flatMap(({ form, schema }) => {
    const inner = read(schema);
    return inner === undefined ? [] : [{ form, schema: inner }];
  });
}

/** What the form adds to the description of the first one, or has in place of it. */
function addition({ form, schema: { description = '' } }: FormSchema, first: string): string {
  const text = description.startsWith(first) ? description.slice(first.length).trim() : description;
  return `${label(form.scope)} form: ${text}`;
}

const label = (scope: Form['scope']): string => (scope === 'Cluster' ? 'Cluster-scoped' : 'Namespaced');

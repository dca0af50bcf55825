import { innerSchemas } from '../source/inner-schemas.ts';
import type { Form, Rule, Schema } from '../source/source.ts';

/** The names of the fields that fill `name`; in camel case, also where that of another system is not. */
export function referenceNames(
  name: string,
  { type }: Schema,
): { readonly ref: string; readonly selector: string } {
  const own = name.replaceAll(/[-_]+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return { ref: `${own}${type === 'array' ? 'Refs' : 'Ref'}`, selector: `${own}Selector` };
}

/**
 * Adds the reference and the selector of each property with `$reference`, as Crossplane's providers have them, also within objects and
 * lists. A required one is replaced by a rule, since any of the three will do.
 *
 * @param times how often an object can have the schema
 */
export function withReferences(schema: Schema, form: Form, times = 1): Schema {
  const each = schema.type === 'array' ? times * (schema.maxItems ?? Number.POSITIVE_INFINITY) : times;
  const forProvider = { ...schema, ...innerSchemas(schema, (inner) => withReferences(inner, form, each)) };
  const { properties = {}, required = [], 'x-kubernetes-validations': own = [] } = forProvider;
  const rules: Rule[] = [];
  const all = Object.entries(properties).flatMap(([name, { $reference, ...field }]): [string, Schema][] => {
    if ($reference === undefined) return [[name, field]];
    const { ref, selector } = referenceNames(name, field);
    const place = field.$namespaced === undefined ? {} : { $namespaced: field.$namespaced };
    const isAbsent = form.scope === 'Namespaced' && field.$namespaced === 'absent';
    const isOptional = typeof field.$namespaced === 'object' && field.$namespaced.optional === true;
    if (
      required.includes(name) &&
      times <= MAX_CHECKS &&
      !isAbsent &&
      !(form.scope === 'Namespaced' && isOptional)
    )
      rules.push({
        rule: `has(self.${celName(name)}) || has(self.${ref}) || has(self.${selector})`,
        message: `one of ${name}, ${ref} and ${selector} is required`,
      });
    const reference = referenceSchema($reference.kind, form);
    const filled =
      `${field.description ?? ''} Filled from ${ref} or ${selector}, if one of them is set.`.trim();
    return [
      [name, { ...field, description: filled }],
      [
        ref,
        field.type === 'array'
          ? {
              ...place,
              description: `The ${$reference.kind}s that ${name} is of.`,
              type: 'array',
              items: reference,
            }
          : { ...reference, ...place, description: `The ${$reference.kind} that ${name} is of.` },
      ],
      [selector, { ...selectorSchema($reference.kind, form), ...place }],
    ];
  });
  const kept = required.filter((name) => properties[name]?.$reference === undefined);
  return {
    ...withoutRequired(forProvider),
    ...(kept.length === 0 ? {} : { required: kept }),
    ...(Object.keys(properties).length === 0 ? {} : { properties: Object.fromEntries(all) }),
    ...(own.length + rules.length === 0 ? {} : { 'x-kubernetes-validations': [...own, ...rules] }),
  };
}

/** The API server refuses a rule whose cost may be over ten million; one of these costs up to six. */
const MAX_CHECKS = 1_500_000;

/** As rules have names of other systems. */
const celName = (name: string) => name.replaceAll('__', '__underscores__').replaceAll('-', '__dash__');

function withoutRequired({ required: _, ...schema }: Schema): Schema {
  return schema;
}

const policy: Schema = {
  description: 'How the reference is resolved.',
  type: 'object',
  properties: {
    resolution: {
      description:
        'Required: the resource waits for the other one. Optional: the field stays empty meanwhile.',
      type: 'string',
      enum: ['Required', 'Optional'],
      default: 'Required',
    },
    resolve: {
      description: 'Always: at every reconcile. IfNotPresent: while the field is empty.',
      type: 'string',
      enum: ['Always', 'IfNotPresent'],
    },
  },
};

function namespaceOf(kind: string, form: Form): Readonly<Record<string, Schema>> {
  if (form.scope === 'Cluster') return {};
  const description = `Namespace of the ${kind}. Default: that of this resource.`;
  return { namespace: { description, type: 'string', maxLength: 63 } };
}

function referenceSchema(kind: string, form: Form): Schema {
  return {
    description: `A ${kind}.`,
    type: 'object',
    required: ['name'],
    properties: {
      name: { description: `Name of the ${kind}.`, type: 'string', maxLength: 253 },
      ...namespaceOf(kind, form),
      policy,
    },
  };
}

function selectorSchema(kind: string, form: Form): Schema {
  return {
    description: `Selects a ${kind} by labels; the first one is kept as a reference.`,
    type: 'object',
    properties: {
      matchLabels: {
        description: `Labels of the ${kind}.`,
        type: 'object',
        additionalProperties: { type: 'string', maxLength: 63 },
      },
      matchControllerRef: {
        description: `Only a ${kind} with the same controller as this resource, such as its composite.`,
        type: 'boolean',
      },
      ...namespaceOf(kind, form),
      policy,
    },
  };
}

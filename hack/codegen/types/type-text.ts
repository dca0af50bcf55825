import type { Schema } from '../source/source.ts';
import { comment } from './comment.ts';

const indentation = '    ';

/**
 * The TypeScript type of the values of a structural schema. A property with a default is optional, because an object
 * that was never stored lacks it.
 *
 * openapi-typescript would do the same, but it needs TypeScript 5, and authors have TypeScript 7
 * (docs/decisions/0020-authors-generate-without-openapi-typescript.md).
 */
export function typeText(schema: Schema, indent = ''): string {
  const type = schema.enum?.map((value) => JSON.stringify(value)).join(' | ') ?? valueText(schema, indent);
  return schema.nullable === true ? `${type} | null` : type;
}

function valueText(schema: Schema, indent: string): string {
  switch (schema.type) {
    case 'object':
      return objectText(schema, indent);
    case 'array': {
      const item = schema.items === undefined ? 'unknown' : typeText(schema.items, indent);
      return isComposed(schema.items) ? `(${item})[]` : `${item}[]`;
    }
    case 'integer':
    case 'number':
      return 'number';
    case undefined:
      return schema['x-kubernetes-int-or-string'] === true ? 'number | string' : 'unknown';
    default:
      return schema.type;
  }
}

function objectText(schema: Schema, indent: string): string {
  const { properties = {}, required = [] } = schema;
  const inner = indent + indentation;
  const members = Object.entries(properties).map(([name, property]) => {
    const text = notes(property);
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const optional = required.includes(name) && property.default === undefined ? '' : '?';
    const member = `${inner}${key}${optional}: ${typeText(property, inner)};\n`;
    return text.length === 0 ? member : `${comment(text, inner)}\n${member}`;
  });
  const others = otherMembers(schema, inner);
  const closed = members.length === 0 ? [] : [`{\n${members.join('')}${indent}}`];
  const open = others === undefined ? [] : [`{\n${inner}[key: string]: ${others};\n${indent}}`];
  return [...closed, ...open].join(' & ') || 'Record<string, never>';
}

/** What a comment says of a property: its description, then what its type lacks. */
function notes({ description, format, default: fallback }: Schema): string[] {
  return [
    ...(description?.split('\n\n') ?? []),
    ...(format === undefined ? [] : [`Format: ${format}`]),
    ...(fallback === undefined ? [] : [`@default ${defaultText(fallback)}`]),
  ];
}

function defaultText(value: Schema['default']): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 1);
}

/** The type of the members that no property names; undefined if the API server prunes them. */
function otherMembers(schema: Schema, indent: string): string | undefined {
  if (schema.additionalProperties !== undefined) return typeText(schema.additionalProperties, indent);
  const isOpen =
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema['x-kubernetes-embedded-resource'] === true;
  return isOpen ? 'unknown' : undefined;
}

/** Whether the type is a union or an intersection, which needs parentheses in a list. */
function isComposed(schema: Schema = {}): boolean {
  const { enum: values = [], nullable, properties } = schema;
  return (
    values.length > 1 ||
    nullable === true ||
    schema['x-kubernetes-int-or-string'] === true ||
    (properties !== undefined && otherMembers(schema, '') !== undefined)
  );
}

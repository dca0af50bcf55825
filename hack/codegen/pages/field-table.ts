/** Fields of a schema as a table of a page. Texts may be those of a document of others. */

import { visible } from '../../../internal/framework/base/text/redact.ts';
import { cutText } from '../../../internal/framework/base/text/text.ts';
import type { Schema } from '../source/source.ts';

export interface FieldRow {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly fallback: string;
  readonly description: string;
}

/**
 * A field, then its own fields.
 *
 * @param isLeaf whether the fields of the field at a path are left out. Default: of none
 */
export function fieldRows(
  path: string,
  schema: Schema,
  required: boolean,
  isLeaf: (path: string) => boolean = () => false,
): FieldRow[] {
  const row: FieldRow = {
    path,
    type: typeOf(schema),
    required,
    fallback: schema.default === undefined ? '' : code(JSON.stringify(schema.default)),
    description: schema.description ?? '',
  };
  return isLeaf(path) ? [row] : [row, ...innerRows(path, schema, isLeaf)];
}

/** The fields of the object at a path, or of the items of the list there; those of the root have the empty path. */
export function innerRows(
  path: string,
  { items, properties = {}, required = [] }: Schema,
  isLeaf: (path: string) => boolean = () => false,
): FieldRow[] {
  if (items !== undefined) return innerRows(`${path}[]`, items, isLeaf);
  return Object.entries(properties).flatMap(([name, value]) =>
    fieldRows(path === '' ? name : `${path}.${name}`, value, required.includes(name), isLeaf),
  );
}

export const fieldTable = (rows: readonly FieldRow[]): string =>
  table(
    ['Field', 'Type', 'Required', 'Default', 'Meaning'],
    rows.map(({ path, type, required, fallback, description }) => [
      code(path),
      type,
      required ? 'yes' : '',
      fallback,
      prose(description),
    ]),
  );

/** Cells are Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return `${line(head)}|${'---|'.repeat(head.length)}\n${rows.map(line).join('')}`;
}

export function typeOf(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(', ');
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (schema.additionalProperties !== undefined) return `map of ${typeOf(schema.additionalProperties)}`;
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  return schema.format === undefined ? (schema.type ?? 'any') : `${schema.type} (${schema.format})`;
}

/** What the API server refuses besides types and bounds. */
export function ruleMessages(schema: Schema): string[] {
  return [
    ...(schema['x-kubernetes-validations'] ?? []).map(({ message }) => message),
    ...(schema.items === undefined ? [] : ruleMessages(schema.items)),
    ...Object.values(schema.properties ?? {}).flatMap(ruleMessages),
  ];
}

/** Text as code, also within a table. */
export function code(text: string): string {
  const shown = visible(cutText(text, MAX_CODE)).replaceAll('|', '\\|');
  return shown.includes('`') ? `\`\` ${shown} \`\`` : `\`${shown}\``;
}

/** Text as a paragraph or a cell: of markup it has code alone, no link, picture or HTML. */
export const prose = (text: string): string =>
  visible(cutText(text.replaceAll(/\s+/g, ' ').trim(), MAX_PROSE)).replaceAll(
    /(`[^`|\\]+`)|[\\`*|~&<]|\](?=[([])|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g,
    (found, span?: string) => span ?? ENTITIES[found] ?? `\\${found}`,
  );

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;' };
const MAX_CODE = 256;
const MAX_PROSE = 2048;

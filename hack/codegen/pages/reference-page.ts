import { basename } from 'node:path/posix';
import { objectSchema } from '../schema/object-schema.ts';
import type { Kind } from '../source/kinds.ts';
import type { Form, Schema, Source } from '../source/source.ts';

/**
 * `docs/reference/<kind>.md`; other versions and other forms, which have its name, add version and group.
 *
 * @param isShort whether the first form has no group in its name: no kind of another group has the same name
 */
export function referencePagePath({ stored }: Kind, source: Source, form: Form, isShort: boolean): string {
  const version = source === stored ? '' : `.${source.version}`;
  const group = isShort && form === stored.forms[0] ? '' : `.${form.group}`;
  return `docs/reference/${form.singular}${version}${group}.md`;
}

/** The fields of a kind as a page for users. */
export function referencePage(kind: Kind, source: Source, form: Form, isShort: boolean): string {
  const object = objectSchema(source, form);
  const sections = Object.entries(object.properties ?? {})
    .filter(([name]) => !['apiVersion', 'kind', 'metadata'].includes(name))
    .map(([name, schema]) => section(name, schema, object.required?.includes(name) === true));
  return `
# ${form.kind}

${source.description}

| | |
|---|---|
| apiVersion | \`${form.group}/${source.version}\` |
${versions(kind, form, isShort)}| kind | \`${form.kind}\` |
| scope | ${form.scope} |
${names(source, form)}
${sections.join('\n')}${rulesSection(object)}`;
}

/** Where there are several forms, each has its page. */
function versions(kind: Kind, form: Form, isShort: boolean): string {
  if (kind.versions.length === 1) return '';
  const list = kind.versions.map((source) => {
    const { version, served, storage, deprecated } = source;
    const states = Object.entries({ stored: storage, 'not served': !served, deprecated });
    const named = states.filter(([, holds]) => holds).map(([name]) => name);
    const page = basename(referencePagePath(kind, source, form, isShort));
    return `[${code(version)}](${page})${named.length === 0 ? '' : ` (${named.join(', ')})`}`;
  });
  return `| versions | ${list.join(', ')} |\n`;
}

function names(source: Source, form: Form): string {
  const rows = [
    `| names for kubectl | ${[form.plural, form.singular, ...source.shortNames].map(code).join(', ')} |`,
  ];
  if (source.categories.length > 0) rows.push(`| categories | ${source.categories.map(code).join(', ')} |`);
  if (source.columns.length > 0) {
    const columns = source.columns.map(({ name, priority = 0 }) => (priority > 0 ? `${name} (wide)` : name));
    rows.push(`| columns | ${columns.join(', ')} |`);
  }
  return `${rows.join('\n')}\n`;
}

function section(name: string, schema: Schema, required: boolean): string {
  const rows = rowsOf(name, schema, required).map(
    ({ path, type, required, fallback, description }) =>
      `| ${code(path)} | ${type} | ${required ? 'yes' : ''} | ${fallback} | ${cell(description)} |`,
  );
  return `## ${name}

| Field | Type | Required | Default | Meaning |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

interface Row {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly fallback: string;
  readonly description: string;
}

/** The field itself, then its own fields. */
function rowsOf(path: string, schema: Schema, required: boolean): Row[] {
  const row: Row = {
    path,
    type: typeOf(schema),
    required,
    fallback: schema.default === undefined ? '' : code(JSON.stringify(schema.default)),
    description: schema.description ?? '',
  };
  return [row, ...fieldsOf(path, schema)];
}

function fieldsOf(path: string, schema: Schema): Row[] {
  if (schema.items !== undefined) return fieldsOf(`${path}[]`, schema.items);
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) =>
    rowsOf(`${path}.${name}`, value, schema.required?.includes(name) === true),
  );
}

function typeOf(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(', ');
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (schema.additionalProperties !== undefined) return `map of ${typeOf(schema.additionalProperties)}`;
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  return schema.format === undefined ? (schema.type ?? '') : `${schema.type} (${schema.format})`;
}

function rulesSection(object: Schema): string {
  const messages = messagesOf(object);
  if (messages.length === 0) return '';
  return `
## Rules

What the API server refuses beyond the types above:

${messages.map((message) => `- ${message}`).join('\n')}
`;
}

function messagesOf(schema: Schema): string[] {
  return [
    ...(schema['x-kubernetes-validations'] ?? []).map(({ message }) => message),
    ...(schema.items === undefined ? [] : messagesOf(schema.items)),
    ...Object.values(schema.properties ?? {}).flatMap(messagesOf),
  ];
}

function code(text: string): string {
  return `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

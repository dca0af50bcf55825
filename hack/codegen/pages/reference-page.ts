import { basename } from 'node:path/posix';
import { objectSchema } from '../schema/object-schema.ts';
import type { Kind } from '../source/kinds.ts';
import type { Form, Schema, Source } from '../source/source.ts';
import { code, fieldRows, fieldTable, prose, ruleMessages } from './field-table.ts';

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

${prose(source.description)}

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
  return `## ${name}

${fieldTable(fieldRows(name, schema, required))}`;
}

function rulesSection(object: Schema): string {
  const messages = ruleMessages(object);
  if (messages.length === 0) return '';
  return `
## Rules

What the API server refuses beyond the types above:

${messages.map((message) => `- ${prose(message)}`).join('\n')}
`;
}

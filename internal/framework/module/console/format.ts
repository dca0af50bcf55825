import { Option } from 'commander';
import { Document, isScalar, visit } from 'yaml';
import { visible, visibleJson } from '../../base/text/visible.ts';
import { type Shown, shown } from './shown.ts';

/** Output formats: a table for users, JSON and YAML for programs. */
export type OutputFormat = 'table' | 'json' | 'yaml';

/** The option `-o` of all commands. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print it')
    .choices(['table', 'json', 'yaml'] satisfies OutputFormat[])
    .default('table');
}

/** @param asTable called only for `table`, with escaped texts */
export function printed<T>(format: OutputFormat, value: T, asTable: (value: Shown<T>) => string): string {
  switch (format) {
    case 'table':
      return asTable(shown(value));
    case 'json':
      return jsonText(value);
    case 'yaml':
      return yamlText(JSON.parse(JSON.stringify(value)));
    default:
      return format satisfies never;
  }
}

export function jsonText(value: unknown): string {
  return `${visibleJson(JSON.stringify(value, undefined, 2))}\n`;
}

/** Texts with control characters are double-quoted, since only there YAML has escape sequences. */
export function yamlText(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      if (isScalar(node) && typeof node.value === 'string' && needsQuotes(node.value))
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return visibleJson(document.toString({ lineWidth: 0 }));
}

/** Without line breaks, which are harmless in YAML block scalars. */
const needsQuotes = (text: string): boolean =>
  visible(text.replaceAll('\n', '')) !== text.replaceAll('\n', '');

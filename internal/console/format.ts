import { Option } from 'commander';
import { Document, isScalar, visit } from 'yaml';
import { type Shown, shown, visible, visibleJson } from './visible.ts';

/** How a command prints what it found: for people, or for programs. */
export type OutputFormat = 'table' | 'json' | 'yaml';

/** `-o`, the same for all commands. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print it')
    .choices(['table', 'json', 'yaml'] satisfies OutputFormat[])
    .default('table');
}

/** @param asTable called for people only, with the value as people may see it */
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

/** Texts with characters that a terminal would obey are in double quotes, where YAML has escape sequences for them. */
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

/** YAML writes texts of several lines as blocks, which is fine. */
const needsQuotes = (text: string): boolean =>
  visible(text.replaceAll('\n', '')) !== text.replaceAll('\n', '');

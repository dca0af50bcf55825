import { Option } from 'commander';
import { stringify } from 'yaml';

/** How a command prints what it found: for people, or for programs. */
export type OutputFormat = 'table' | 'json' | 'yaml';

/** `-o`, the same for all commands. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print it')
    .choices(['table', 'json', 'yaml'] satisfies OutputFormat[])
    .default('table');
}

/** @param asTable called for people only */
export function printed(format: OutputFormat, value: unknown, asTable: () => string): string {
  switch (format) {
    case 'table':
      return asTable();
    case 'json':
      return `${JSON.stringify(value, undefined, 2)}\n`;
    case 'yaml':
      return stringify(JSON.parse(JSON.stringify(value)), { lineWidth: 0, aliasDuplicateObjects: false });
    default:
      return format satisfies never;
  }
}

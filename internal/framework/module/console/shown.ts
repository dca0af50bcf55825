import { stripVTControlCharacters, styleText } from 'node:util';
import { Option } from 'commander';
import { kubernetesYaml } from '../../base/text/kubernetes-yaml.ts';
import { visible, visibleJson } from '../../base/text/redact.ts';
import type { OutputLike, ProcessLike } from './process-like.ts';

declare const isShown: unique symbol;

/**
 * A value with all texts, including property names, escaped by `visible`. Formatters of commands accept only this type.
 */
export type Shown<T> = T & { readonly [isShown]: true };

/** A copy of plain data with escaped texts. */
export function shown<T>(value: T): Shown<T> {
  return copyOf(value) as Shown<T>;
}

function copyOf(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [visible(name), copyOf(member)]));
}

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
  return visibleJson(kubernetesYaml(value, { lineWidth: 0 }, needsQuotes));
}

/** Without line breaks, which are harmless in YAML block scalars. */
const needsQuotes = (text: string): boolean =>
  visible(text.replaceAll('\n', '')) !== text.replaceAll('\n', '');

/** The meaning of a text; it decides the colour. */
export type Tone = 'good' | 'notice' | 'bad' | 'faint' | 'strong';

/** Colours a text, or returns it unchanged. */
export type Style = (tone: Tone, text: string) => string;

export const plain: Style = (_tone, text) => text;

const formats = {
  good: 'green',
  notice: 'yellow',
  bad: 'red',
  faint: 'dim',
  strong: 'bold',
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

/**
 * Colours on a terminal that supports them. FORCE_COLOR and NO_COLOR override this; FORCE_COLOR has precedence
 * (force-color.org, no-color.org). `FORCE_COLOR=0` or `false` means never.
 */
export function styleFor(output: OutputLike, env: ProcessLike['env']): Style {
  return hasColours(output, env)
    ? (tone, text) => styleText(formats[tone], text, { validateStream: false })
    : plain;
}

function hasColours({ isTTY = false }: OutputLike, env: ProcessLike['env']): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return !/^(0|false)$/i.test(FORCE_COLOR);
  return isTTY && !NO_COLOR && TERM !== 'dumb';
}

/** Columns under their headings, two spaces apart, as kubectl prints them. Colour codes do not count as width. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows];
  const widthOf = (text: string) => [...stripVTControlCharacters(text)].length;
  const widths = headings.map((_, column) =>
    all.reduce((width, row) => Math.max(width, widthOf(row[column] ?? '')), 0),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
      .join('  ')
      .trimEnd();
  return `${all.map(line).join('\n')}\n`;
}

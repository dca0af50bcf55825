import { basename } from 'node:path';
import { parseDocument } from 'yaml';
import {
  isDeeperThan,
  type YamlLimits,
  yamlExcess,
} from '../../../../framework/base/configuration/configuration.ts';
import { cutText, isObject, ProviderError, systemClock } from '../../../../framework/base/index.ts';
import { similar } from '../../../../framework/base/text/nearest.ts';
import { visible, visibleLines } from '../../../../framework/base/text/redact.ts';
import { readText, STDIN } from '../../../../framework/module/commands/read-text.ts';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { table } from '../../../../framework/module/console/shown.ts';
import {
  byteLength,
  createBudget,
  DEFAULT_LIMITS,
  dict,
  fromJson,
  fromOutside,
  type MissingName,
  nodeText,
  type PipeNode,
  parseTemplate,
  positionIn,
  printf,
  SPRIG_FUNCTIONS,
  stringMap,
  TemplateExecError,
  TemplateLimitError,
  TemplateParseError,
  type TraceStep,
  typeOf,
  type Value,
} from '../../../../templates/gotemplate/index.ts';
import {
  parseSecretDocument,
  type SecretDocument,
  SecretDocumentError,
} from '../../servicebinding/secret/template/secret-document.ts';
import { type RenderFlags, renderExitCodes } from './render-flags.ts';

/** Prints the output or the explanation; an error goes to stderr. @returns the exit code */
export async function runRender(flags: RenderFlags, host: ProcessLike): Promise<number> {
  const { showValues = false } = flags;
  const source = await readText(flags.template, host.stdin);
  const data = parseTemplateData(
    flags.data === undefined ? '' : await readText(flags.data, host.stdin),
    flags.data ?? '',
  );
  const explanation = flags.explain ? new Explanation(showValues) : undefined;
  try {
    const name = flags.name ?? (flags.template === STDIN ? 'stdin' : basename(flags.template));
    const template = parseTemplate(name, source, { functions: SPRIG_FUNCTIONS });
    const output = template.execute(data, explanation && { trace: (step) => explanation.add(step) });
    if (!output.isWellFormed()) throw new SecretDocumentError('the output is not valid UTF-8');
    if (explanation) host.stdout.write(explanation.text(source));
    // Escaped on a terminal only, so that a file gets the output as it is.
    else host.stdout.write(host.stdout.isTTY ? visibleLines(output) : output);
    if (flags.secret) host.stderr.write(`${secretText(parseSecretDocument(output))}\n`);
    return renderExitCodes.rendered;
  } catch (error) {
    const text =
      error instanceof SecretDocumentError ? visible(error.message) : failureText(error, source, showValues);
    if (text === undefined) throw error;
    // What was executed before the error explains it.
    if (explanation && !(error instanceof SecretDocumentError)) host.stdout.write(explanation.text(source));
    host.stderr.write(`provider-kyma: ${text}\n`);
    return renderExitCodes.failed;
  }
}

/** Names of keys, no values. */
function secretText({ data, labels, annotations }: SecretDocument): string {
  const keys = Object.keys(data);
  const marks = [
    ['labels', labels],
    ['annotations', annotations],
  ] as const;
  const others = marks.map(([what, of]) => `${Object.keys(of).length} ${what}`).join(', ');
  const entries =
    keys.length === 0
      ? 'no entries of its own, so it gets those of a binding without a template'
      : `entries ${keys.map(visible).join(', ')}`;
  return `The Secret is valid: ${entries}; ${others}.`;
}

/** What the commands of one pipeline gave. */
interface Explained {
  runs: number;
  /** By command. Values of the first run. */
  readonly steps: { readonly types: Set<string>; readonly value: string }[];
}

/** Values are cut, in characters. */
const MAX_VALUE = 80;

const MASKED = '***';

/** Collects the pipelines of an execution, and prints them in the order of the template. */
class Explanation {
  readonly #pipes = new Map<PipeNode, Explained>();
  readonly #showsValues: boolean;

  constructor(showsValues: boolean) {
    this.#showsValues = showsValues;
  }

  add({ pipe, command, value }: TraceStep): void {
    const explained = this.#pipes.get(pipe) ?? { runs: 0, steps: [] };
    this.#pipes.set(pipe, explained);
    if (command === 0) explained.runs++;
    const step = explained.steps[command];
    if (step) step.types.add(typeText(value));
    else explained.steps[command] = { types: new Set([typeText(value)]), value: this.#valueText(value) };
  }

  text(source: string): string {
    const pipes = [...this.#pipes].sort(([one], [other]) => one.position - other.position);
    const rows = pipes.flatMap(([pipe, { runs, steps }]) => {
      const { line, column } = positionIn(source, pipe.position);
      return steps.map(({ types, value }, i) => {
        const command = pipe.commands[i];
        return [
          i === 0 ? `${line}:${column}` : '',
          i === 0 && runs > 1 ? `${runs}` : '',
          `${i === 0 ? '' : '| '}${command ? visible(cutText(nodeText(command), MAX_VALUE)) : ''}`,
          [...types].join(', '),
          value,
        ];
      });
    });
    return rows.length === 0
      ? 'No action was executed.\n'
      : table(['AT', 'RUNS', 'COMMAND', 'TYPE', 'VALUE'], rows);
  }

  #valueText(value: Value | undefined): string {
    if (value === undefined || value === null) return '';
    if (!this.#showsValues) return MASKED;
    const format = typeof value === 'string' ? '%q' : '%v';
    try {
      return visible(cutText(printf(format, [value], createBudget(DEFAULT_LIMITS, systemClock)), MAX_VALUE));
    } catch {
      return 'too large';
    }
  }
}

const typeText = (value: Value | undefined): string =>
  value === undefined ? 'no value' : (typeOf(value) ?? 'nil');

/** Characters of a line that are shown around the place of an error. */
const MAX_BEFORE = 60;
const MAX_AFTER = 40;
const MAX_NAMES = 20;

/**
 * The text about an error of a template: message, source line with a caret, and a hint. Undefined for other errors.
 *
 * @param showsValues whether the message may quote data
 */
function failureText(error: unknown, source: string, showsValues: boolean): string | undefined {
  if (error instanceof TemplateParseError) {
    return lines(error.message, sourceLine(source, error.line), hint(error.missing));
  }
  if (error instanceof TemplateExecError) {
    const { line, column } = error.location;
    const message = showsValues ? error.message : error.safeMessage;
    const withheld = !showsValues && error.quotesData && 'hint: --show-values shows the rest of the message';
    return lines(message, sourceLine(source, line, column), withheld || hint(error.missing));
  }
  if (error instanceof TemplateLimitError) {
    const { location } = error;
    return lines(error.message, location && sourceLine(source, location.line, location.column));
  }
  return undefined;
}

const lines = (message: string, ...others: readonly (string | undefined)[]): string =>
  [visible(message), ...others].filter((line) => line !== undefined).join('\n');

/** @param column in bytes; undefined: no caret */
function sourceLine(source: string, line: number, column?: number): string {
  const text = source.split('\n')[line - 1] ?? '';
  const at = column === undefined ? 0 : offsetOf(text, column);
  const start = Math.max(0, at - MAX_BEFORE);
  const before = `${start > 0 ? '…' : ''}${visible(text.slice(start, at))}`;
  const end = at + MAX_BEFORE + MAX_AFTER;
  const after = `${visible(text.slice(at, end))}${end < text.length ? '…' : ''}`;
  const margin = `${line} | `;
  const shown = `${margin}${before}${after}`;
  return column === undefined ? shown : `${shown}\n${' '.repeat(margin.length + before.length)}^`;
}

/** The index of the character that begins at a byte. */
function offsetOf(text: string, column: number): number {
  let bytes = 0;
  let at = 0;
  for (const char of text) {
    if (bytes >= column) break;
    bytes += byteLength(char);
    at += char.length;
  }
  return at;
}

function hint(missing: MissingName | undefined): string | undefined {
  if (!missing) return undefined;
  const { name, available } = missing;
  const meant = similar(name, available);
  if (meant !== undefined) return `hint: did you mean ${visible(meant)}?`;
  // All functions would be a long list.
  if (available.length === 0 || available.length > MAX_NAMES) return undefined;
  return `hint: there are ${visible(available.join(', '))}`;
}

const limits: YamlLimits = { maxBytes: 2 ** 20, maxDepth: 64, maxTokens: 200_000, maxAnchors: 100 };

const EXCESS = { bytes: 'bytes', depth: 'levels', tokens: 'tokens', anchors: 'anchors and aliases' } as const;

/**
 * The data of a template from JSON or YAML, with the types that it has for a binding: the members of `instance` are texts,
 * as in map[string]string; all else is as in JSON.
 *
 * @param file for errors, which quote nothing of the text
 */
function parseTemplateData(text: string, file: string): Value {
  const root = parseYaml(text, file) ?? {};
  if (!isObject(root)) throw refusal(file, 'it is not a mapping with credentials and instance');
  const members = Object.entries({ credentials: {}, instance: {}, ...root });
  return dict(members.map(([key, value]) => [fromOutside(key), memberOf(key, value, file)]));
}

function memberOf(key: string, value: unknown, file: string): Value {
  if (key !== 'instance') return fromJson(value);
  const texts = isObject(value) ? Object.entries(value) : undefined;
  if (!texts) throw refusal(file, 'instance is not a mapping');
  return stringMap(
    texts.map(([name, text]) => {
      if (typeof text !== 'string') throw refusal(file, `instance.${name} is not a text`);
      return [fromOutside(name), fromOutside(text)];
    }),
  );
}

function parseYaml(text: string, file: string): unknown {
  const excess = yamlExcess(text, limits);
  if (excess !== undefined) throw refusal(file, `it has too many ${EXCESS[excess]}`);
  const document = parseDocument(text, { logLevel: 'silent', uniqueKeys: false, prettyErrors: false });
  const [mistake] = document.errors;
  if (mistake !== undefined) throw refusal(file, `it is not valid YAML (${mistake.code})`);
  if (isDeeperThan(document.contents, limits.maxDepth)) throw refusal(file, 'it has too many levels');
  try {
    return document.toJS({ maxAliasCount: limits.maxAnchors });
  } catch {
    // The error of the library quotes the alias.
    throw refusal(file, 'it has an alias without an anchor, or too many aliases');
  }
}

const refusal = (file: string, problem: string): ProviderError =>
  new ProviderError('terminal', `cannot read ${file}: ${problem}`);

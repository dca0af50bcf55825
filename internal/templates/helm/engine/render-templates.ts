import {
  type CallContext,
  dict,
  FunctionError,
  type GoFunctions,
  type GoMap,
  INTERFACE,
  quote,
  TemplateExecError,
  TemplateLimitError,
  TemplateParseError,
  TemplateSet,
  typed,
  type Value,
} from '../../gotemplate/index.ts';
import type { Chart } from '../chart/chart.ts';
import { HelmError } from '../render-request.ts';
import { collectTemplates, valuesOf } from './collect-templates.ts';
import { HELM_FUNCTIONS, WARNING_END, WARNING_START } from './functions.ts';
import { RandomRecord } from './random-functions.ts';

/** The output of each template of a chart and its dependencies, by path. */
export type Outputs = ReadonlyMap<string, string>;

/**
 * Executes all templates. Those whose file names begin with `_` are only included by others.
 *
 * @param data what the templates of the chart see: `.Values`, `.Release`, `.Capabilities`
 * @param random what random functions made before, and make now
 * @throws HelmError, TemplateLimitError, RandomValuesWanted
 */
export function renderTemplates(
  chart: Chart,
  data: GoMap,
  context: CallContext,
  random = new RandomRecord(undefined),
): Outputs {
  const templates = collectTemplates(chart, data);
  const nesting = new Nesting();
  const set: TemplateSet = new TemplateSet({
    limits: context.budget.limits,
    missingKey: 'zero',
    functions: { ...random.functions(HELM_FUNCTIONS), ...nestedFunctions(() => set, nesting) },
  });
  for (const { path, text } of templates) parse(set, path, text);
  const outputs = new Map<string, string>();
  for (const { path, data: own, basePath } of templates) {
    if (path.slice(path.lastIndexOf('/') + 1).startsWith('_')) continue;
    random.begin(path);
    own.entries.set('Template', templateValue(path, basePath));
    outputs.set(path, execute(set, path, own, context).replaceAll('<no value>', ''));
  }
  return outputs;
}

const templateValue = (name: string, basePath: string): Value =>
  valuesOf(
    dict([
      ['Name', name],
      ['BasePath', basePath],
    ]),
  );

function parse(set: TemplateSet, path: string, text: string): void {
  try {
    set.parse(path, text);
  } catch (error) {
    if (!(error instanceof TemplateParseError)) throw error;
    const parts = error.message.split(': ');
    throw new HelmError(`parse error at (${parts[1] ?? path}): ${parts.at(-1) ?? ''}`, { cause: error });
  }
}

function execute(set: TemplateSet, path: string, data: Value, context: CallContext): string {
  const tree = set.get(path);
  if (!tree) return '';
  try {
    return set.execute(path, tree, data, context);
  } catch (error) {
    if (error instanceof RangeError && error.message.includes('call stack'))
      throw new HelmError(`${path}: templates are nested too deeply`, { cause: error });
    if (!(error instanceof TemplateExecError)) throw error;
    throw new HelmError(describe(error), { cause: error });
  }
}

/** The message of a chart alone, if it failed by `fail` or `required`; else all of the error. */
function describe(error: TemplateExecError): string {
  const { message, location } = error;
  const start = message.indexOf(WARNING_START);
  const end = message.lastIndexOf(WARNING_END);
  if (start < 0 || end < start) return message.replace(/^template: /, '');
  return `execution error at (${location.name}:${location.line}:${location.column}): ${message.slice(start + WARNING_START.length, end)}`;
}

// `include` and `tpl`, which execute other templates.

/** What Helm allows a template to include itself. */
const MAX_RECURSION = 1000;
/** Templates in templates: what fits the stack of a thread. */
const MAX_NESTING = 200;

/** The state of one rendering. */
class Nesting {
  readonly #counts = new Map<string, number>();
  #depth = 0;

  /** Runs `execute` within the template of a name. */
  include(name: string, execute: () => string): string {
    const count = this.#counts.get(name) ?? 0;
    if (count > MAX_RECURSION) {
      throw new FunctionError(
        `rendering template has a nested reference name: ${name}: unable to execute template`,
      );
    }
    this.#counts.set(name, count + 1);
    const result = this.nested(execute);
    this.#counts.set(name, count);
    return result;
  }

  nested(execute: () => string): string {
    if (++this.#depth > MAX_NESTING) throw new TemplateLimitError('depth', MAX_NESTING);
    const result = execute();
    this.#depth--;
    return result;
  }
}

/** @param set the templates that can be included; a function, since its own functions are these */
function nestedFunctions(set: () => TemplateSet, nesting: Nesting): GoFunctions {
  return {
    include: typed(['string', INTERFACE], ([given, data = null], context) => {
      const name = String(given);
      return nesting.include(name, () => executeNamed(set(), name, data, context));
    }),
    tpl: typed(['string', INTERFACE], ([given, data = null], context) => {
      const text = String(given);
      return nesting.nested(() => executeText(set(), text, data, context, nesting));
    }),
  };
}

function executeNamed(set: TemplateSet, name: string, data: Value, context: CallContext): string {
  const tree = set.get(name);
  if (!tree) {
    throw new FunctionError(`template: no template ${quote(name)} associated with template "gotpl"`);
  }
  return asFunctionError('', () => set.execute(name, tree, data, context));
}

/** The name that Helm gives the text. */
const TEXT_NAME = 'gotpl';

function executeText(
  parent: TemplateSet,
  text: string,
  data: Value,
  context: CallContext,
  nesting: Nesting,
): string {
  context.budget.charge(text.length * BYTES_PER_CHARACTER);
  const set: TemplateSet = parent.clone(nestedFunctions(() => set, nesting));
  const tree = asFunctionError(`cannot parse template ${quote(text)}: `, () => set.parse(TEXT_NAME, text));
  const output = asFunctionError(`error during tpl function execution for ${quote(text)}: `, () =>
    set.execute(TEXT_NAME, tree, data, context),
  );
  return output.replaceAll('<no value>', '');
}

/** Of the tree of a text. */
const BYTES_PER_CHARACTER = 16;

function asFunctionError<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof TemplateExecError || error instanceof TemplateParseError) {
      throw new FunctionError(prefix + error.message);
    }
    throw error;
  }
}

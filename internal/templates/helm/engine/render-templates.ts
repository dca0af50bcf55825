import {
  type CallContext,
  dict,
  type GoMap,
  TemplateExecError,
  TemplateParseError,
  TemplateSet,
  type Value,
} from '../../gotemplate/index.ts';
import type { Chart } from '../chart/chart.ts';
import { HelmError } from '../helm-error.ts';
import { collectTemplates, valuesOf } from './collect-templates.ts';
import { HELM_FUNCTIONS, WARNING_END, WARNING_START } from './functions.ts';
import { Nesting, nestedFunctions } from './nested-templates.ts';
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

/** `include` and `tpl`, which execute other templates. */
import {
  type CallContext,
  FunctionError,
  type GoFunctions,
  INTERFACE,
  quote,
  TemplateExecError,
  TemplateLimitError,
  TemplateParseError,
  type TemplateSet,
  typed,
  type Value,
} from '../../gotemplate/index.ts';

/** What Helm allows a template to include itself. */
const MAX_RECURSION = 1000;
/** Templates in templates: what fits the stack of a thread. */
const MAX_NESTING = 200;

/** The state of one rendering. */
export class Nesting {
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
export function nestedFunctions(set: () => TemplateSet, nesting: Nesting): GoFunctions {
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

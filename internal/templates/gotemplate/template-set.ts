import type { TemplateLimits } from './budget.ts';
import type { Builtin } from './builtins/builtin.ts';
import { BUILTINS } from './builtins/builtins.ts';
import { TemplateLimitError } from './errors/template-limit-error.ts';
import type { MissingKey } from './exec/execution.ts';
import { execute } from './exec/executor.ts';
import { isEmpty, parseTemplates, type TemplateTree } from './parse/parser.ts';
import { byteLength } from './values/text.ts';
import type { CallContext, GoFunction, GoFunctions, Value } from './values/value.ts';

export interface TemplateSetOptions {
  readonly limits: TemplateLimits;
  readonly missingKey: MissingKey;
  /** Those of templates that are executed; they replace builtins of the same name. */
  readonly functions: GoFunctions;
}

/**
 * Templates that can call each other by name, such as the files of a chart. A later definition replaces an earlier one,
 * unless it is empty.
 */
export class TemplateSet {
  readonly #trees: Map<string, TemplateTree>;
  readonly #functions: Map<string, GoFunction>;
  readonly #builtins: ReadonlyMap<string, Builtin>;
  readonly #names: ReadonlySet<string>;
  readonly #options: TemplateSetOptions;

  constructor(options: TemplateSetOptions, from?: TemplateSet) {
    this.#options = options;
    this.#trees = new Map(from === undefined ? [] : from.#trees);
    this.#functions = new Map(Object.entries(options.functions));
    this.#builtins = from === undefined ? new Map(Object.entries(BUILTINS)) : from.#builtins;
    this.#names =
      from !== undefined ? from.#names : new Set([...this.#functions.keys(), ...this.#builtins.keys()]);
  }

  /** One with the same templates, which can get others. @param functions replace those of the same names */
  clone(functions: GoFunctions): TemplateSet {
    const all = { ...this.#options.functions, ...functions };
    return new TemplateSet({ ...this.#options, functions: all }, this);
  }

  has(name: string): boolean {
    return this.#trees.has(name);
  }

  /**
   * Adds a text and what it defines.
   *
   * @param text as templates hold it: what comes from outside is well-formed already
   * @returns the text itself
   * @throws TemplateParseError, TemplateLimitError
   */
  parse(name: string, text: string): TemplateTree {
    const { limits } = this.#options;
    if (text.length > limits.sourceBytes || byteLength(text) > limits.sourceBytes) {
      throw new TemplateLimitError('source', limits.sourceBytes, name);
    }
    const parsed = parseTemplates(name, text, this.#names, (depth) => {
      if (depth > limits.depth) throw new TemplateLimitError('depth', limits.depth, name);
    });
    for (const [defined, tree] of parsed) {
      if (!this.#trees.has(defined) || !isEmpty(tree.nodes)) this.#trees.set(defined, tree);
    }
    return parsed.get(name) ?? { nodes: [], source: { name, text } };
  }

  /** The template of a name. Undefined: none is known. */
  get(name: string): TemplateTree | undefined {
    return this.#trees.get(name);
  }

  /** @throws TemplateExecError, TemplateLimitError */
  execute(name: string, tree: TemplateTree, data: Value, context: CallContext): string {
    const { missingKey } = this.#options;
    const environment = {
      functions: this.#functions,
      builtins: this.#builtins,
      missingKey,
      context,
      trace: undefined,
    };
    return execute(name, tree, this.#trees, environment, data);
  }
}

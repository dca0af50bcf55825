import { createSecureRandom, type Random } from '../../framework/base/random.ts';
import { type Clock, systemClock } from '../../framework/base/time/clock.ts';
import { createBudget, DEFAULT_LIMITS, type TemplateLimits } from './budget.ts';
import { BUILTINS, type Builtin } from './builtins.ts';
import { TemplateLimitError } from './errors.ts';
import type { MissingKey, TraceStep } from './exec/execution.ts';
import { execute } from './exec/executor.ts';
import { isEmpty, parseTemplates, type TemplateTree } from './parse/parser.ts';
import { byteLength, fromOutside } from './values/text.ts';
import type { CallContext, GoFunction, GoFunctions, Value } from './values/value.ts';

export interface ParseOptions {
  /** Further functions; they replace builtins of the same name. Default: none. */
  readonly functions?: GoFunctions;
  /** Default: `DEFAULT_LIMITS`. */
  readonly limits?: Partial<TemplateLimits>;
}

export interface ExecuteOptions {
  /** Default `error`. */
  readonly missingKey?: MissingKey;
  /** For the time limit, and functions of time. Default: the system's. */
  readonly clock?: Clock;
  /** For functions of random values. Default: numbers that cannot be predicted, since templates make passwords. */
  readonly random?: Random;
  /** Called after each command of a pipeline. Default: none. */
  readonly trace?: (step: TraceStep) => void;
}

/** A parsed template. Immutable: it can be kept and executed many times. */
export interface Template {
  readonly name: string;
  readonly source: string;
  /**
   * The output for some data. Bytes that are not UTF-8 are lone surrogates in it (see values/text.ts).
   *
   * @throws TemplateExecError if the template fails, TemplateLimitError if it exceeds a limit
   */
  execute(data: Value, options?: ExecuteOptions): string;
}

/**
 * Parses a template.
 *
 * @param name in errors, for a Secret `namespace/name` of its ServiceBinding
 * @throws TemplateParseError, and TemplateLimitError if the text is too long or too deeply nested
 */
export function parseTemplate(name: string, text: string, options: ParseOptions = {}): Template {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  // A character has at most 3 bytes in each of its code units.
  if (text.length > limits.sourceBytes || byteLength(text) > limits.sourceBytes) {
    throw new TemplateLimitError('source', limits.sourceBytes);
  }
  const source = fromOutside(text);
  const functions = new Map<string, GoFunction>(Object.entries(options.functions ?? {}));
  const builtins = new Map(Object.entries(BUILTINS));
  const names = new Set([...functions.keys(), ...builtins.keys()]);
  const templates = parseTemplates(name, source, names, (depth) => {
    if (depth > limits.depth) throw new TemplateLimitError('depth', limits.depth);
  });
  return {
    name,
    source,
    execute: (
      data,
      { missingKey = 'error', clock = systemClock, random = createSecureRandom(), trace } = {},
    ) =>
      execute(
        name,
        templates.get(name) ?? { nodes: [], source: { name, text: source } },
        templates,
        {
          functions,
          builtins,
          missingKey,
          context: { budget: createBudget(limits, clock), clock, random },
          trace,
        },
        data,
      ),
  };
}

interface TemplateSetOptions {
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

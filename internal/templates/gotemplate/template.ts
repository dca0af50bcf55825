import { createSecureRandom, type Random } from '../../framework/base/random.ts';
import { type Clock, systemClock } from '../../framework/base/time/clock.ts';
import { createBudget, DEFAULT_LIMITS, type TemplateLimits } from './budget.ts';
import { BUILTINS } from './builtins/builtins.ts';
import { TemplateLimitError } from './errors/template-limit-error.ts';
import type { MissingKey, TraceStep } from './exec/execution.ts';
import { execute } from './exec/executor.ts';
import { parseTemplates } from './parse/parser.ts';
import { byteLength, fromOutside } from './values/text.ts';
import type { GoFunction, GoFunctions, Value } from './values/value.ts';

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

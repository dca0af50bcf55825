import { cutText } from '../../../../framework/base/text/text.ts';
import { visible } from '../../../../framework/base/text/visible.ts';
import { systemClock } from '../../../../framework/base/time/clock.ts';
import { table } from '../../../../framework/module/console/table.ts';
import {
  createBudget,
  DEFAULT_LIMITS,
  nodeText,
  type PipeNode,
  positionIn,
  printf,
  type TraceStep,
  typeOf,
  type Value,
} from '../../../../templates/gotemplate/index.ts';

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
export class Explanation {
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

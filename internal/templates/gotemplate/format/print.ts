import type { Budget } from '../limits/budget.ts';
import type { Value } from '../values/value.ts';
import { Printer } from './printer.ts';

/** As fmt.Sprint: a space between two values if neither is a string. */
export function print(values: readonly Value[], budget: Budget): string {
  const printer = new Printer(budget);
  let wasString = false;
  for (const [i, value] of values.entries()) {
    const isString = typeof value === 'string';
    if (i > 0 && !isString && !wasString) printer.write(' ');
    printer.print(value, 'v');
    wasString = isString;
  }
  return printer.text();
}

/** As fmt.Sprintln: a space between all values, and a line break. */
export function println(values: readonly Value[], budget: Budget): string {
  const printer = new Printer(budget);
  for (const [i, value] of values.entries()) {
    if (i > 0) printer.write(' ');
    printer.print(value, 'v');
  }
  printer.write('\n');
  return printer.text();
}

/** The text of one value, as an action writes it. */
export const printValue = (value: Value, budget: Budget): string =>
  typeof value === 'string' ? value : print([value], budget);

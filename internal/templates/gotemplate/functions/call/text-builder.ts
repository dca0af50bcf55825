import type { Budget } from '../../limits/budget.ts';
import { normalize } from '../../values/text.ts';

/** Bytes of work that count as one step. */
const BYTES_PER_STEP = 32;

/** Charges a text that is about to be made, or gone through once. @param length in characters */
export function chargeText(budget: Budget, length: number): void {
  budget.charge(length);
  budget.step(Math.ceil(length / BYTES_PER_STEP));
}

/** Characters or bytes between two checks of the budget, and what they cost. */
const ITEMS_PER_CHECK = 1024;
const STEPS_PER_CHECK = 256;

/** Goes through the characters or bytes of a text one by one, and checks the budget now and then. */
export function* counted<T>(items: Iterable<T>, budget: Budget): Generator<T> {
  let count = 0;
  for (const item of items) {
    count++;
    if (count % ITEMS_PER_CHECK === 0) budget.step(STEPS_PER_CHECK);
    yield item;
  }
}

/** Puts a text together, and charges each part before it is added. */
export class TextBuilder {
  private readonly budget: Budget;
  private text = '';

  constructor(budget: Budget) {
    this.budget = budget;
  }

  get length(): number {
    return this.text.length;
  }

  append(part: string): void {
    this.budget.charge(part.length);
    this.text += part;
  }

  toString(): string {
    return normalize(this.text);
  }
}

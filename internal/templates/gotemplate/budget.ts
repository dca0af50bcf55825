/**
 * Limits of one execution of a template. Whatever allocates more than a few bytes charges them first, so that no template
 * can exhaust memory, and whatever loops counts steps, so that none runs for long.
 */
import type { Clock } from '../../framework/base/time/clock.ts';
import { TemplateLimitError } from './errors.ts';

export interface TemplateLimits {
  /** Bytes of the template text. Default 256 KiB. */
  readonly sourceBytes: number;
  /** Bytes of the output; exactly this many are allowed. Default 1048576. */
  readonly outputBytes: number;
  /** Bytes of all intermediate values together, those that are garbage already included. Default 32 MiB. */
  readonly memoryBytes: number;
  /** Evaluated nodes, iterations, and elements that functions visit. Default 1,000,000. */
  readonly steps: number;
  /** Milliseconds. Default 250. */
  readonly timeMs: number;
  /** Depth of nested actions, parentheses, `template` calls and printed values, each counted alone. Default 100. */
  readonly depth: number;
}

export const DEFAULT_LIMITS: TemplateLimits = {
  sourceBytes: 256 * 1024,
  outputBytes: 1024 * 1024,
  memoryBytes: 32 * 1024 * 1024,
  steps: 1_000_000,
  timeMs: 250,
  depth: 100,
};

export interface Budget {
  readonly limits: TemplateLimits;
  /** Charges memory that is about to be allocated. @throws TemplateLimitError */
  charge(bytes: number): void;
  /** Counts steps that are about to be taken, and checks the time now and then. Default 1. @throws TemplateLimitError */
  step(count?: number): void;
  /** Checks a nesting depth, for recursive functions. @throws TemplateLimitError */
  checkDepth(depth: number): void;
}

/** Bytes that a list or map takes for each element, beside the element's own. */
export const ELEMENT_BYTES = 16;

/** How many bytes are read or copied in the time of a step. For functions that read a string without copying it. */
export const BYTES_PER_STEP = 4096;

/** Reading the clock costs more than a step. */
const STEPS_BETWEEN_CLOCK_READS = 256;

export function createBudget(limits: TemplateLimits, clock: Clock): Budget {
  const start = clock.monotonic();
  let bytesLeft = limits.memoryBytes;
  let stepsLeft = limits.steps;
  let nextRead = 0;
  const countWork = (steps: number) => {
    nextRead -= steps;
    if (nextRead > 0) return;
    nextRead = STEPS_BETWEEN_CLOCK_READS;
    if (clock.monotonic() - start > limits.timeMs) throw new TemplateLimitError('time', limits.timeMs);
  };
  return {
    limits,
    charge: (bytes) => {
      // NaN fails too.
      if (!(bytes <= bytesLeft)) throw new TemplateLimitError('memory', limits.memoryBytes);
      bytesLeft -= bytes;
      countWork(bytes / BYTES_PER_STEP);
    },
    step: (count = 1) => {
      stepsLeft -= count;
      if (!(stepsLeft >= 0)) throw new TemplateLimitError('steps', limits.steps);
      countWork(count);
    },
    checkDepth: (depth) => {
      if (depth > limits.depth) throw new TemplateLimitError('depth', limits.depth);
    },
  };
}

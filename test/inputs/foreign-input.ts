/**
 * The promise of every parser of foreign bytes: an input is read, or refused by a typed error. The error is short, quotes no
 * secret and is thrown soon; nothing crashes or hangs, and nothing stays in memory.
 */
import { threadCpuUsage } from 'node:process';
import { inspect } from 'node:util';
import type fc from 'fast-check';
import { kindOf, ProviderError } from '../../internal/framework/base/errors/errors.ts';
import { quotedPart } from './arbitraries/secret.ts';

/** One kind of foreign input, with the code that reads it. */
export interface ForeignInput<I> {
  /** Completes `reading …`. */
  readonly name: string;
  readonly inputs: fc.Arbitrary<I>;
  /** Reads one input. The result is what users and other programs may see: it has no secret either. */
  readonly read: (input: I) => unknown;
  /** Whether the error is a refusal. Default: a ProviderError of any kind but `bug`. */
  readonly refuses?: (error: unknown) => boolean;
}

/** With any type of input, for lists. */
export type AnyForeignInput = ForeignInput<unknown>;

/** Lets inputs of several types be in one list. */
export const foreignInput = <I>(input: ForeignInput<I>): AnyForeignInput => input as AnyForeignInput;

/** Conditions and events are shorter; this is the limit for log lines. */
const MAX_MESSAGE = 16_384;
/** Far more than an input of some hundred KiB takes on a slow machine. */
const MAX_CPU_MS = 2000;

/** Reads the input and throws if the promise is broken. */
export async function checkInput<I>({ read, refuses = isTyped }: ForeignInput<I>, input: I): Promise<void> {
  const before = threadCpuUsage();
  let shown: unknown;
  try {
    shown = await read(input);
  } catch (error) {
    if (!refuses(error))
      throw new Error('the input was refused by an error without a type', { cause: error });
    checkRefusal(error);
    shown = error;
  }
  const { user, system } = threadCpuUsage(before);
  if ((user + system) / 1000 > MAX_CPU_MS)
    throw new Error(`the input took ${(user + system) / 1000} ms of CPU`);
  const text = typeof shown === 'string' ? shown : inspect(shown, { depth: 8, maxStringLength: null });
  const part = quotedPart(text);
  if (part === undefined) return;
  const at = text.indexOf(part);
  throw new Error(`the result has a part of a secret: ${text.slice(Math.max(0, at - 100), at + 40)}`);
}

const isTyped = (error: unknown) => error instanceof ProviderError && kindOf(error) !== 'bug';

function checkRefusal(error: unknown): void {
  if (!(error instanceof Error)) throw new Error('what was thrown is no error');
  if (error.message.trim() === '') throw new Error('the refusal does not say what is wrong');
  if (error.message.length > MAX_MESSAGE)
    throw new Error(`the refusal has ${error.message.length} characters`);
}

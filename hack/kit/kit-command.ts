import { type ParseArgsConfig, parseArgs, stripVTControlCharacters } from 'node:util';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';

/** A command of `provider-kyma-kit`. It works in the current folder. */
export interface KitCommand {
  readonly usage: string;
  /** @returns false if the exit code is 1, without a message. @throws KitError for what the author corrects */
  run(args: string[]): Promise<boolean>;
}

/** Something in the arguments, the project or the machine that the author corrects. The message says how. */
export class KitError extends Error {}

/** That of `engines` in package.json. Earlier ones lack names that modules import, and fail with a SyntaxError. */
const NODE = 24;

/** @throws KitError if the version of Node is too old */
export function requireNode(version: string): void {
  if (Number.parseInt(version, 10) < NODE)
    throw new KitError(`provider-kyma-kit needs Node.js ${NODE} or newer; this is ${version}`);
}

/** For people. A KitError may have several lines, e.g. one for each mistake; other errors have one. */
export function reportOf(error: unknown): string {
  if (!(error instanceof KitError)) return messageOf(error);
  return error.message.split('\n').map(stripVTControlCharacters).join('\n');
}

/** Arguments by `parseArgs`. @throws KitError with the usage */
export function readArgs<T extends ParseArgsConfig>(usage: string, config: T) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new KitError(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

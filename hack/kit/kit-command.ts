import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A command of `provider-kyma-kit`. It works in the current folder. */
export interface KitCommand {
  readonly usage: string;
  /** @returns false if the exit code is 1, without a message. @throws KitError for what the author corrects */
  run(args: string[]): Promise<boolean>;
}

/** Something in the arguments, the project or the machine that the author corrects. The message says how. */
export class KitError extends Error {}

/** Arguments by `parseArgs`. @throws KitError with the usage */
export function readArgs<T extends ParseArgsConfig>(usage: string, config: T) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new KitError(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

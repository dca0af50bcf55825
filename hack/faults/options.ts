import { randomInt } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';

export interface FaultOptions {
  /** Names of parts; empty: all. */
  readonly only: readonly string[];
  readonly seed: number;
  /** Runs of each property; undefined: the number of the part. */
  readonly runs?: number;
}

/** The largest seed: the parts pass it on as a 31-bit integer. */
const SEEDS = 2 ** 31;

/** Without valid options the command prints why and exits. */
export function parseFaultOptions(
  names: readonly string[],
  args: readonly string[],
  random: () => number = () => randomInt(SEEDS),
): FaultOptions {
  const command = new Command('make test-faults, ARGS=')
    .addOption(new Option('--only <name...>', 'run these parts').choices(names).default([], 'all'))
    .option('--seed <n>', 'replay the run with this seed; default: a random one, which is printed', whole)
    .option('--runs <n>', 'runs of each property; default: the number of the part', positive);
  const options = command.parse(args, { from: 'user' }).opts<Partial<FaultOptions>>();
  return { only: [], ...options, seed: options.seed ?? random() };
}

function whole(text: string): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : SEEDS;
  if (value >= SEEDS) throw new InvalidArgumentError(`It must be a whole number below ${SEEDS}.`);
  return value;
}

function positive(text: string): number {
  const value = whole(text);
  if (value === 0) throw new InvalidArgumentError('It must be above zero.');
  return value;
}

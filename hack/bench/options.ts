import { Command, InvalidArgumentError, Option } from 'commander';

export interface BenchOptions {
  /** Names of measurements; empty: all. */
  readonly only: readonly string[];
  /** Take CPU profiles, after the figures. */
  readonly cpuProf: boolean;
  /** Numbers of mappings, rising. What is measured with one number only takes the last. */
  readonly mappings: readonly number[];
  readonly perInstance: number;
  readonly clusters: number;
  /** Of the one population that is larger than all others; `perInstance` holds there as well. */
  readonly fleetMappings: number;
  readonly fleetClusters: number;
  /**
   * ServiceInstances, and as many ServiceBindings, rising. What is measured with one number only takes the last.
   */
  readonly services: readonly number[];
  /** Runtimes that are settled. */
  readonly runtimes: number;
  /** Of these, how many are created and changed at once. */
  readonly runtimesBurst: number;
}

/** The command with its options. @param names of all measurements */
export const benchCommand = (names: readonly string[]): Command =>
  new Command('npm run bench --')
    .addOption(new Option('--only <name...>', 'run these measurements').choices(names).default([], 'all'))
    .option(
      '--cpu-prof',
      'show where CPU time goes, and keep the profiles as dist/bench-*.cpuprofile; a full run does so anyway',
      false,
    )
    .option('--mappings <n,n>', 'numbers of mappings, rising', rising, [100, 1000])
    .option('--per-instance <n>', 'mappings that share a database and its credentials', positive, 10)
    .option('--clusters <n>', 'Kyma clusters that the databases lie on', positive, 1)
    .option('--fleet-mappings <n>', 'mappings of the fleet', positive, 10_000)
    .option('--fleet-clusters <n>', 'Kyma clusters of the fleet', positive, 50)
    .option('--services <n,n>', 'ServiceInstances, and as many ServiceBindings, rising', rising, [200, 1000])
    .option('--runtimes <n>', 'Runtimes that are settled', positive, 5000)
    .option('--runtimes-burst <n>', 'Runtimes that are created and changed at once', positive, 500)
    .addHelpText(
      'after',
      '\nA full run writes docs/performance.md and dist/bench.json, any other dist/bench.json alone.',
    );

/** Without valid options the command prints why and exits. */
export function parseBenchOptions(command: Command, args: readonly string[]): BenchOptions {
  const options = command.parse(args, { from: 'user' }).opts<BenchOptions>();
  return { ...options, cpuProf: options.cpuProf || options.only.length === 0 };
}

function positive(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1) throw new InvalidArgumentError('It must be a whole number above zero.');
  return value;
}

function rising(text: string): number[] {
  const numbers = text.split(',').map(positive);
  if (numbers.some((value, index) => value <= (numbers[index - 1] ?? 0)))
    throw new InvalidArgumentError('The numbers must rise, as in 100,1000.');
  return numbers;
}

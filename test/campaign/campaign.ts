/** How long a test of random faults runs: briefly and always alike in `make test`, long in `make test-faults`. */
export interface Campaign {
  readonly seed: number;
  /** Runs of each property. */
  readonly runs: number;
  /** Whether it is the long campaign of `make test-faults`. */
  readonly long: boolean;
}

/** @param short what `make test` runs; `FAULTS_SEED` and `FAULTS_RUNS` replace it (hack/faults). */
export function campaign(
  short: { readonly seed: number; readonly runs: number },
  env = process.env,
): Campaign {
  const { FAULTS_SEED: seed, FAULTS_RUNS: runs } = env;
  if (seed === undefined || runs === undefined) return { ...short, long: false };
  return { seed: numberIn('FAULTS_SEED', seed), runs: numberIn('FAULTS_RUNS', runs), long: true };
}

/**
 * The same for fast-check. In `make test` the seed is another one each time; a failure shows it.
 *
 * @param runs what `make test` runs
 */
export function propertyCampaign(runs: number, env = process.env): { numRuns: number; seed?: number } {
  const { seed, runs: numRuns, long } = campaign({ seed: 0, runs }, env);
  return long ? { numRuns, seed } : { numRuns };
}

/** How often a long campaign says how far it is, in ms. */
const PROGRESS_MS = 60_000;

/**
 * To be called after each run: says once a minute how many there were, since the runner of tests prints nothing before the end. Those that
 * make a failure smaller count too.
 */
export function progressOf(
  title: string,
  { runs, long }: Pick<Campaign, 'runs' | 'long'>,
  {
    now = () => performance.now(),
    write = (line: string) => void process.stderr.write(line),
  }: { readonly now?: () => number; readonly write?: (line: string) => void } = {},
): () => void {
  let done = 0;
  let last = now();
  return () => {
    done++;
    if (!long || now() - last < PROGRESS_MS) return;
    last = now();
    write(`${title}: ${done} of ${runs} runs\n`);
  };
}

function numberIn(name: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${name} must be a whole number: ${text}`);
  return Number(text);
}

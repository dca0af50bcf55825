/** The part of Stryker's JSON report that counts (mutation-testing-report-schema). */
export interface MutationReport {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

export interface MutationScore {
  /** Mutants with which a test failed or did not end. */
  readonly detected: number;
  /** Part of `detected`: mutants with which the tests did not end in time. */
  readonly timedOut: number;
  /** Mutants with which all tests passed, and mutants in code that no test reaches. */
  readonly undetected: number;
  /** 0 to 100; 0 without mutants. */
  readonly percent: number;
}

const DETECTED = ['Killed', 'Timeout'];
const UNDETECTED = ['Survived', 'NoCoverage'];

/** Counts as Stryker does: mutants that are ignored, or that do not load, are not part of the score. */
export function scoreOf({ files }: MutationReport): MutationScore {
  const mutants = Object.values(files).flatMap((file) => file.mutants);
  const count = (statuses: readonly string[]) =>
    mutants.filter(({ status }) => statuses.includes(status)).length;
  const detected = count(DETECTED);
  const undetected = count(UNDETECTED);
  const all = detected + undetected;
  return {
    detected,
    timedOut: count(['Timeout']),
    undetected,
    percent: all === 0 ? 0 : (100 * detected) / all,
  };
}

import type { Guard } from '../../../test/guards/violations.ts';
import type { TestRun } from './run-tests.ts';

/** A guard of all tests, or the invariants of the campaigns. */
export type Finder = Guard | 'campaign';

/** What found a planted fault. `not loaded`: the tests do not have the file, so that they say nothing. */
export type Finding = 'guard' | 'test' | 'none' | 'not loaded';

/** As violations are listed (test/guards/violations.ts, test/campaign/runner). */
const LISTED_INVARIANT =
  /(^ *|: )(convergence|path independence|rest|commands|ownership|orphans|write rate): /m;

export function findingOf(finder: Finder, { success, isLoaded, failures }: TestRun): Finding {
  if (!isLoaded) return 'not loaded';
  if (success) return 'none';
  return failures.some((failure) => isFoundBy(finder, failure)) ? 'guard' : 'test';
}

/** The campaign of motherships on Postgres: all that it asserts are invariants. */
const MOTHERSHIPS = 'test/integration/reconciler/mothership/campaign/campaign.test.ts';

function isFoundBy(finder: Finder, { file, message }: TestRun['failures'][number]): boolean {
  if (finder === 'campaign' && file === MOTHERSHIPS) return /\bexpect\(/.test(message);
  if (finder === 'campaign') return file.startsWith('test/campaign/') && LISTED_INVARIANT.test(message);
  // Some guards are tests themselves.
  const own = [`test/guards/${finder}.test.ts`, `test/${finder}/${finder}.test.ts`];
  return own.includes(file) || new RegExp(`^ *${finder}: `, 'm').test(message);
}

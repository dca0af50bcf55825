import { expect, test } from '@jest/globals';
import { type Finder, type Finding, findingOf } from './finding.ts';
import type { TestRun } from './run-tests.ts';

const failed = (file: string, message: string): TestRun => ({
  success: false,
  isLoaded: true,
  failures: [{ file, message }],
});

test.each<[string, Finder, TestRun, Finding]>([
  ['no test fails', 'taint', { success: true, isLoaded: true, failures: [] }, 'none'],
  ['no test has the file', 'taint', { success: true, isLoaded: false, failures: [] }, 'not loaded'],
  [
    'a guard fails a test',
    'taint',
    failed('a.test.ts', 'guards found:\n  taint: internal/a.ts#b: value of a Secret in an event'),
    'guard',
  ],
  ['a table of triggers fails', 'triggers', failed('test/triggers/triggers.test.ts', 'x'), 'guard'],
  ['another guard fails it', 'taint', failed('a.test.ts', '  live-run: internal/a.ts#b: x'), 'test'],
  [
    'an invariant fails',
    'campaign',
    failed('test/campaign/btp/btp.test.ts', 'Property failed\nGot Error: rest: PUT x'),
    'guard',
  ],
  [
    'a campaign fails otherwise',
    'campaign',
    failed('test/campaign/btp/btp.test.ts', '● campaign › at rest'),
    'test',
  ],
  [
    'an assertion of the campaign of motherships fails',
    'campaign',
    failed(
      'test/integration/reconciler/mothership/campaign/campaign.test.ts',
      'Error: expect(received).toEqual(expected)',
    ),
    'guard',
  ],
  [
    'the campaign of motherships cannot start',
    'campaign',
    failed('test/integration/reconciler/mothership/campaign/campaign.test.ts', 'Error: no Postgres'),
    'test',
  ],
  ['the guard is a test', 'connections', failed('test/guards/connections.test.ts', 'x'), 'guard'],
])('%s', (_name, finder, run, expected) => {
  expect(findingOf(finder, run)).toBe(expected);
});

import { expect, jest, test } from '@jest/globals';
import { migrate } from '../../../../internal/systems/reconciler/mothership/database/migrations.ts';
import { campaign } from '../../../campaign/campaign.ts';
import { fillHistory } from '../../../environment/mothership/history.ts';
import { explainAll, recordStatements } from '../../../environment/mothership/statements.ts';
import { leftOut, startTestDatabases } from '../../../environment/postgres/test-databases.ts';
import { forFile } from '../../harness/for-file.ts';

const CLUSTERS = campaign({ seed: 1, runs: 1 }).long ? 10_000 : 1000;

/** A statement that walks over a table in spite of its plan reads more: the smallest large table has two pages for three clusters. */
const LIMIT_PAGES = CLUSTERS / 2;
/** The failures by cause read the last runs of each failing cluster, of 2,000 at most, by indexes: a few pages each. */
const FAILURES = /with current as .*from failing/s;

// Most of it is the history that is made.
jest.setTimeout(600_000);

const databases = forFile(startTestDatabases);

test(`with ${CLUSTERS} clusters and ${40 * CLUSTERS} reconciliations no statement reads a large table from end to end`, async () => {
  const { server } = databases;
  if (server === undefined) return leftOut('plans of queries');
  const url = await server.createDatabase();
  const database = databases.connect(url);
  await migrate(database.queries);
  await fillHistory(url, CLUSTERS);
  const explained = await explainAll(url, await recordStatements(database));
  expect(explained.length).toBeGreaterThan(40);
  expect(explained.filter(({ scans }) => scans.length > 0)).toEqual([]);
  const tooMany = explained.filter(
    ({ text, pages }) => pages > (FAILURES.test(text) ? 2 * LIMIT_PAGES : LIMIT_PAGES),
  );
  expect(tooMany).toEqual([]);
});

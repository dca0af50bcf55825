import { migrate } from '../../../internal/systems/reconciler/mothership/database/migrations.ts';
import { fillHistory } from '../../../test/environment/mothership/history.ts';
import { explainAll, recordStatements } from '../../../test/environment/mothership/statements.ts';
import { NO_POSTGRES } from '../../../test/environment/postgres/postgres-programs.ts';
import { startTestDatabases } from '../../../test/environment/postgres/test-databases.ts';
import { type Figure, figure } from '../report/figures.ts';

/** Times of all statements on the server, with two weeks of history. */
export async function queryTimes(): Promise<Figure[]> {
  const databases = await startTestDatabases();
  try {
    if (databases.server === undefined) throw new Error(NO_POSTGRES);
    const url = await databases.server.createDatabase();
    const database = databases.connect(url);
    await migrate(database.queries);
    await fillHistory(url);
    const explained = await explainAll(url, await recordStatements(database));
    const slowest = Math.max(...explained.map(({ ms = 0 }) => ms));
    return [
      figure('the slowest statement, with 10,000 clusters and 400,000 reconciliations', 'ms', slowest, 10),
    ];
  } finally {
    await databases.close();
  }
}

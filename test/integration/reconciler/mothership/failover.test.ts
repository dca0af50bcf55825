import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { eventually } from '../../../environment/eventually.ts';
import { type MothershipProcesses, mothershipProcesses } from '../../../environment/mothership/processes.ts';
import {
  allReady,
  doubles,
  oneRunEach,
  openProcesses,
} from '../../../environment/mothership/processes-on-database.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import type { PostgresServer } from '../../../environment/postgres/postgres-server.ts';
import {
  leftOut,
  startOwnDatabases,
  type TestDatabases,
} from '../../../environment/postgres/test-databases.ts';

jest.setTimeout(300_000);

let databases: TestDatabases<PostgresServer>;
let processes: MothershipProcesses;
beforeAll(async () => {
  databases = await startOwnDatabases();
  processes = await mothershipProcesses();
});
afterAll(async () => {
  await processes?.close();
  await databases.close();
});

test('the primary ends and its standby is promoted: everything continues there, and nothing is sent twice', async () => {
  const standby = await databases.server?.startStandby();
  if (standby === undefined) return leftOut('failover to a standby');
  await using run = await openProcesses(databases, processes, () => ({ workMs: 100 }), standby.withStandby);
  if (run === undefined) return;
  await Promise.all([run.start(), run.start()]);
  const register = async (id: string) => {
    // A client repeats what was not answered.
    await eventually(() => run.inventory.upsert(clusterDocument(id, ['istio', 'a', 'b']), 1));
  };
  for (let n = 0; n < 20; n++) await register(`c${n}`);
  await run.server.kill();
  await standby.promote();
  for (let n = 20; n < 30; n++) await register(`c${n}`);
  await allReady(run.database, 30);
  expect(doubles(run.reconciler)).toEqual([]);
  await oneRunEach(run.database);
});

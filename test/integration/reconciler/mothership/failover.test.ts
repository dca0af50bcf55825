import { expect, jest, test } from '@jest/globals';
import { eventually } from '../../../environment/eventually.ts';
import { mothershipProcesses } from '../../../environment/mothership/processes.ts';
import {
  allReady,
  doubles,
  oneRunEach,
  openProcesses,
} from '../../../environment/mothership/processes-on-database.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import { leftOut, startOwnDatabases } from '../../../environment/postgres/test-databases.ts';
import { forFile } from '../../harness/for-file.ts';

jest.setTimeout(300_000);

const databases = forFile(startOwnDatabases);
const processes = forFile(mothershipProcesses);

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

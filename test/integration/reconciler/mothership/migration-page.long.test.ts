/** The commands of docs/mothership/migration.md, as a user executes them: on a real Postgres with data of the Go program. */
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { sql } from 'kysely';
import { type Loopback, listenOnLoopback } from '../../../../internal/framework/base/loopback.fixture.ts';
import { createPageCommands, type PageCommands } from '../../../docs/page-commands.ts';
import { fillGoDatabase, goKey } from '../../../environment/mothership/go-database.ts';
import { startMothershipProgram } from '../../../environment/mothership/mothership-program.ts';
import {
  leftOut,
  startTestDatabases,
  type TestDatabases,
} from '../../../environment/postgres/test-databases.ts';

jest.setTimeout(180_000);

let page: PageCommands;
let databases: TestDatabases;
/** In the place of the Go program. */
let old: Loopback;

/** `kubectl` and the tools of Postgres only say how they were called. */
const STUB = `#!/bin/sh
echo "\${0##*/} $*" >>"$HOME/calls"
`;

beforeAll(async () => {
  page = await createPageCommands('docs/mothership/migration.md', {
    programs: { kubectl: STUB, pg_dump: STUB, psql: STUB },
  });
  databases = await startTestDatabases();
  old = await listenOnLoopback(createServer((_, response) => void response.end('[]')));
  page.env.OLD = old.url;
});
afterAll(async () => {
  await databases.close();
  await old.close();
  await page.close();
});

const execute = (text: string) => page.execute(text);
const calls = () => readFile(join(page.folder, 'calls'), 'utf8');
const rows = 'clusters: 16\nconfigurations: 16\nstatuses: 32\nreconciliations: 2\noperations: 9\n';

test('take over, switch, and go back', async () => {
  if (databases.server === undefined) return leftOut('the commands of the migration page');
  const databaseUrl = await databases.server.createDatabase();
  page.env.DATABASE_URL = databaseUrl;
  page.env.RECONCILER_DATABASE_URL = databaseUrl;
  const database = databases.connect(databaseUrl);
  await fillGoDatabase(database);
  await writeFile(join(page.folder, 'encryption.key'), goKey);
  await writeFile(
    join(page.folder, 'reconciler.yaml'),
    `db: {driver: postgres, encryption: {keyFile: encryption.key}, postgres: {host: a, database: b, user: c}}
mothership: {scheme: http, host: a, port: 8080, scheduler: {reconcilers: {base: {url: 'http://127.0.0.1:1/v1/run'}}}}
`,
  );

  await execute('before.json');
  await execute('--replicas=0');
  expect(await calls()).toBe(
    `kubectl -n kcp-system scale deployment mothership-reconciler --replicas=0\npg_dump --file=before.sql ${databaseUrl}\n`,
  );
  expect(await execute('migrate-from-go')).toContain(rows);

  const mothership = await startMothershipProgram({
    databaseUrl,
    flags: { config: join(page.folder, 'reconciler.yaml') },
  });
  try {
    page.env.NEW = mothership.url;
    page.env.RECONCILER_URL = mothership.url;
    const shown = await execute('clusters list -o wide');
    expect(shown).toMatch(/^name of reconcile_disabled +reconcile_disabled +/m);
    await execute('patch service');
    await mothership.call('PUT', '/v1/clusters/ready/status', { body: { status: 'reconcile_disabled' } });
  } finally {
    await mothership.stop();
  }

  expect(await execute('migrate-to-go')).toMatch(
    /^clusters: 0\nconfigurations: 0\nstatuses: \d+\ndeleted: 0\nendedReconciliations: 1$/m,
  );
  await execute('--replicas=1');
  const { rows: found } = await sql<{ status: string }>`
    select status from public.inventory_cluster_config_statuses where runtime_id = 'ready' order by id desc limit 1
  `.execute(database.queries);
  expect(found).toEqual([{ status: 'reconcile_disabled' }]);

  await execute('psql');
  const [, statement = ''] = /^psql .*--command=(.*)$/m.exec(await calls()) ?? [];
  await sql.raw(statement).execute(database.queries);
  expect(await execute('migrate-from-go')).toMatch(/^clusters: 16\nconfigurations: 16\nstatuses: \d+$/m);
});

test('the Service of the Go program selects the pods of the chart', async () => {
  const [block = ''] = page.blocks.filter((code) => code.includes('patch service'));
  const patch: unknown = JSON.parse(/--patch '(.*)'/.exec(block)?.[1] ?? '');
  // Of a release `reconciler`, as package/reconciler/chart/templates/_helpers.tpl has them.
  expect(patch).toEqual({
    spec: {
      selector: {
        'app.kubernetes.io/name': 'reconciler',
        'app.kubernetes.io/instance': 'reconciler',
        'app.kubernetes.io/component': 'mothership',
      },
    },
  });
});

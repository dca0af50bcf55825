import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createDeps } from '../../../../internal/framework/base/deps.ts';
import {
  type Database,
  type Notification,
  notify,
  type Queries,
  unread,
} from '../../../../internal/systems/reconciler/mothership/database/database.ts';
import {
  checkSchema,
  migrate,
  migrations,
  schemaVersion,
} from '../../../../internal/systems/reconciler/mothership/database/migrations.ts';
import { openEmbedded } from '../../../../internal/systems/reconciler/mothership/database/pglite.ts';
import { openPostgres } from '../../../../internal/systems/reconciler/mothership/database/postgres.ts';
import { eventually } from '../../../environment/eventually.ts';
import { openNetworkPath } from '../../../environment/network-path.ts';
import type { PostgresServer } from '../../../environment/postgres/postgres-server.ts';
import {
  leftOut,
  startOwnDatabases,
  type TestDatabases,
} from '../../../environment/postgres/test-databases.ts';

let databases: TestDatabases<PostgresServer>;
/** Of the embedded database. To make one takes seconds of CPU time, to open it again does not. */
let folder: string;
beforeAll(async () => {
  databases = await startOwnDatabases();
  folder = await mkdtemp(join(tmpdir(), 'embedded-'));
});
afterAll(async () => {
  await databases.close();
  await rm(folder, { recursive: true });
});

const occupancy = { worker_pool_id: 'a', component: 'base', running_workers: 1, worker_pool_capacity: 2 };
const occupancyRow = sql`(worker_pool_id, component, running_workers, worker_pool_capacity) values ('a', 'base', 1, 2)`;

describe.each([
  { kind: 'the database of the tests', open: () => databases.open() },
  {
    kind: 'the embedded database',
    open: async () => {
      const embedded = await openEmbedded({ ...createDeps(), folder });
      await migrate(embedded.queries);
      return embedded;
    },
  },
])('$kind', ({ open }) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterEach(async () => {
    await database.queries.deleteFrom('worker_pool_occupancy').execute();
  });
  afterAll(() => database.close());

  test('a transaction that fails leaves nothing, and others go on', async () => {
    const failed = database.transaction(async (tx) => {
      await tx.insertInto('worker_pool_occupancy').values(occupancy).execute();
      throw new Error('stop');
    });
    await expect(failed).rejects.toThrow('stop');
    expect(await database.queries.selectFrom('worker_pool_occupancy').selectAll().execute()).toEqual([]);
  });

  test.each([
    { of: 'a statement', mark: sql`` },
    { of: 'a statement whose result is not read', mark: unread },
  ])('a deadlock of $of is retried until the transaction succeeds', async ({ mark }) => {
    let attempts = 0;
    await database.transaction(async (tx) => {
      await tx.insertInto('worker_pool_occupancy').values(occupancy).execute();
      if (++attempts < 3)
        await sql`${mark} do $$ begin raise exception 'x' using errcode = '40P01'; end $$`.execute(tx);
    });
    expect(attempts).toBe(3);
    expect(await database.queries.selectFrom('worker_pool_occupancy').selectAll().execute()).toHaveLength(1);
  });

  test.each([
    { follows: 'the commit', next: async () => undefined },
    { follows: 'another statement', next: (tx: Queries) => sql`select 1`.execute(tx) },
    {
      follows: 'another one whose result is not read',
      next: (tx: Queries) => notify(tx, 'mothership_clusters', ''),
    },
  ])('a statement whose result is not read fails its transaction when $follows follows', async ({ next }) => {
    const failed = database.transaction(async (tx) => {
      await sql`${unread} insert into worker_pool_occupancy ${occupancyRow}`.execute(tx);
      await sql`${unread} insert into worker_pool_occupancy ${occupancyRow}`.execute(tx);
      await next(tx);
    });
    await expect(failed).rejects.toMatchObject({ code: '23505' });
    const stored = () => database.queries.selectFrom('worker_pool_occupancy').selectAll().execute();
    expect(await stored()).toEqual([]);
    await database.transaction(async (tx) => {
      await sql`${unread} insert into worker_pool_occupancy ${occupancyRow}`.execute(tx);
    });
    expect(await stored()).toHaveLength(1);
  });

  test('a statement whose result is not read is sent at once outside of a transaction, and not at all before a rollback', async () => {
    const failed = database.transaction(async (tx) => {
      await notify(tx, 'mothership_clusters', 'nothing');
      throw new Error('stop');
    });
    await expect(failed).rejects.toThrow('stop');
    await sql`${unread} insert into worker_pool_occupancy ${occupancyRow}`.execute(database.queries);
    expect(await database.queries.selectFrom('worker_pool_occupancy').selectAll().execute()).toHaveLength(1);
  });

  test('a notification arrives when its transaction commits', async () => {
    const received: Notification[] = [];
    const done = Promise.withResolvers<void>();
    const ready = Promise.withResolvers<void>();
    const stop = database.listen((notification) => {
      if (notification.topic === undefined) ready.resolve();
      else received.push(notification);
      if (notification.payload === 'last') done.resolve();
    });
    if (database.kind === 'postgres') await ready.promise;
    const failed = database.transaction(async (tx) => {
      await notify(tx, 'mothership_clusters', 'never');
      throw new Error('stop');
    });
    await expect(failed).rejects.toThrow('stop');
    await notify(database.queries, 'mothership_operations', 'last');
    await done.promise;
    expect(received).toEqual([{ topic: 'mothership_operations', payload: 'last' }]);
    stop();
  });

  test('one holder has a lock at a time; the next one gets it when the work ends, or fails', async () => {
    const order: string[] = [];
    const work = (name: string) =>
      database.withLock('cleaner', async () => {
        order.push(`${name} begins`);
        await new Promise((done) => setTimeout(done, 50));
        order.push(`${name} ends`);
        if (name === 'a') throw new Error('stop');
      });
    await expect(Promise.all([work('a'), work('b')])).rejects.toThrow('stop');
    await database.withLock('cleaner', async () => undefined);
    expect(order).toHaveLength(4);
    for (const begin of [0, 2]) expect(order[begin + 1]).toBe(order[begin]?.replace('begins', 'ends'));
    await expect(database.withLock('cleaner', async () => undefined, AbortSignal.abort())).rejects.toThrow();
  });

  test('a connection that lost its search path, as to a pooler that ignores parameters, is refused before tables are made elsewhere', async () => {
    await database.queries.connection().execute(async (one) => {
      await sql`set search_path to public`.execute(one);
      const step = {
        version: schemaVersion + 1,
        name: 'misplaced',
        statements: ['create table misplaced ()'],
      };
      const problem = 'the connection has the search_path public';
      await expect(checkSchema(one)).rejects.toThrow(problem);
      await expect(migrate(one, [...migrations, step])).rejects.toThrow(problem);
      await sql`set search_path to mothership`.execute(one);
      await checkSchema(one);
    });
  });

  test('64-bit numbers are numbers, times are dates', async () => {
    const { rows } = await sql`select 5::bigint as n, '2026-01-02T03:04:05Z'::timestamptz as t`.execute(
      database.queries,
    );
    expect(rows).toEqual([{ n: 5, t: new Date('2026-01-02T03:04:05Z') }]);
  });
});

describe('migrations', () => {
  test('versions count from 1 without gaps', () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  });

  test('a database without schema, or an older one, is refused with a hint', async () => {
    const { queries } = await databases.openEmpty();
    await expect(checkSchema(queries)).rejects.toThrow('--migrate-database');
    await migrate(queries, migrations.slice(0, 1));
    await expect(checkSchema(queries)).rejects.toThrow(`has version 1, this program needs ${schemaVersion}`);
  });

  test('processes that start at the same moment migrate once', async () => {
    const { queries } = await databases.openEmpty();
    const applied = await Promise.all(Array.from({ length: 8 }, () => migrate(queries)));
    expect(applied.flat()).toEqual(migrations.map(({ version }) => version));
    await checkSchema(queries);
  });

  test('version 4: operations that a run left open when it ended are closed, texts without a meaning replaced', async () => {
    const { queries } = await databases.openEmpty();
    await migrate(queries, migrations.slice(0, 3));
    const rowsOfVersion3 = `
      insert into clusters (version, runtime_id, runtime, metadata, contract) values (1, 'c', '{}', '{}', 1);
      insert into cluster_configs (version, runtime_id, cluster_version, kyma_version, components, components_key, administrators, contract)
        values (1, 'c', 1, '1', '', '', '[]', 1);
      insert into cluster_statuses (id, runtime_id, cluster_version, config_version, status) values (1, 'c', 1, 1, 'ready');
      insert into reconciliations (scheduling_id, runtime_id, cluster_version, config_version, config_status_id, type, kyma_version, status, finished)
        values ('ended', 'c', 1, 1, 1, 'reconcile', '1', 'text of a client', true), ('running', 'c', 1, 1, 1, 'reconcile', '1', 'reconciling', false);
      insert into operations (scheduling_id, correlation_id, runtime_id, cluster_version, config_version, component, type, priority, state, released, retry_id)
        select scheduling_id, scheduling_id || n, 'c', 1, 1, 'a', 'reconcile', 1, state, released, ''
        from reconciliations, (values (1, 'new', true), (2, 'in_progress', false), (3, 'done', true)) as o (n, state, released)`;
    for (const statement of rowsOfVersion3.split(';')) await sql.raw(statement).execute(queries);
    await migrate(queries);
    const { rows } = await sql`
      select correlation_id as id, o.state, o.released, o.finished, r.status
      from operations o join reconciliations r using (scheduling_id) order by 1
    `.execute(queries);
    const ended = { finished: true, status: 'error', released: false };
    const running = { finished: false, status: 'reconciling' };
    expect(rows).toEqual([
      { id: 'ended1', state: 'new', ...ended },
      { id: 'ended2', state: 'orphan', ...ended },
      { id: 'ended3', state: 'done', ...ended },
      { id: 'running1', state: 'new', released: true, ...running },
      { id: 'running2', state: 'in_progress', released: false, ...running },
      { id: 'running3', state: 'done', released: true, ...running },
    ]);
    for (const [refused, constraint] of [
      [
        "update operations set released = true where correlation_id = 'ended1'",
        'operations_of_finished_runs',
      ],
      [
        "update operations set state = 'failed' where correlation_id = 'ended1'",
        'operations_of_finished_runs',
      ],
      [
        "update reconciliations set finished = true where scheduling_id = 'running'",
        'operations_of_finished_runs',
      ],
      ["update operations set finished = false where correlation_id = 'ended1'", 'foreign key'],
      ["update operations set state = 'sent'", 'operations_state_check'],
      ["update reconciliations set status = 'x'", 'reconciliations_status_check'],
      ["update cluster_statuses set status = 'x'", 'cluster_statuses_status_check'],
      ['update cluster_statuses set cluster_version = 2', 'foreign key'],
      ['update reconciliations set config_version = 2', 'foreign key'],
    ] as const) {
      await expect(sql.raw(refused).execute(queries)).rejects.toThrow(constraint);
    }
  });

  test('a newer schema is refused and left alone', async () => {
    const { queries } = await databases.open();
    await sql`insert into mothership.migrations (version, name) values (1000, 'of the future')`.execute(
      queries,
    );
    await expect(migrate(queries)).rejects.toThrow('newer than');
    await expect(checkSchema(queries)).rejects.toThrow('newer than');
  });

  test('a step that fails leaves the version before it', async () => {
    const { queries } = await databases.openEmpty();
    const broken = { version: 3, name: 'broken', statements: ['create table half (id int)', 'select 1/0'] };
    await migrate(queries);
    await expect(
      migrate(queries, [...migrations, { ...broken, version: schemaVersion + 1 }]),
    ).rejects.toThrow('division by zero');
    await checkSchema(queries);
    const { rows } = await sql`select to_regclass('mothership.half') as found`.execute(queries);
    expect(rows).toEqual([{ found: null }]);
  });
});

test('connections and notifications come back after a restart of the server', async () => {
  const { server } = databases;
  // The embedded database has no server.
  if (server === undefined) return leftOut('connections and notifications come back');
  const database = databases.connect(await server.createDatabase());
  await migrate(database.queries);
  let connected = Promise.withResolvers<void>();
  let received = Promise.withResolvers<string>();
  database.listen(({ topic, payload }) =>
    topic === undefined ? connected.resolve() : received.resolve(payload),
  );
  await connected.promise;
  connected = Promise.withResolvers<void>();
  await server.restart();
  await connected.promise;
  received = Promise.withResolvers<string>();
  await notify(database.queries, 'mothership_clusters', 'after');
  expect(await received.promise).toBe('after');
});

describe('a network that drops packets without a sign', () => {
  async function openOnPath() {
    const { server } = databases;
    if (server === undefined) return leftOut('connections that hang');
    const path = await openNetworkPath(server.url);
    const connection = { connectionString: path.through(server.url) };
    const database = openPostgres({ ...createDeps(), connection, statementTimeoutMs: 200 });
    return { path, database };
  }
  const sleep = (database: Pick<Database, 'queries'>, s: number) =>
    sql`select pg_sleep(${s})`.execute(database.queries);

  test('one statement or transaction fails; the next ones have other connections', async () => {
    const opened = await openOnPath();
    if (opened === undefined) return;
    const { path, database } = opened;
    for (const fail of [
      () => database.ping(),
      () => database.transaction(async (tx) => sql`select 1`.execute(tx)),
    ]) {
      await Promise.all([1, 2, 3].map(() => sleep(database, 0.1)));
      path.drop();
      const began = performance.now();
      await expect(fail()).rejects.toThrow();
      // The limit of a statement and its margin, once.
      expect(performance.now() - began).toBeLessThan(8000);
      await Promise.all([1, 2, 3].map(() => database.ping()));
    }
    await database.close();
    await path.close();
  });

  test('a statement that the server ended by time costs its connection, and no other one', async () => {
    const opened = await openOnPath();
    if (opened === undefined) return;
    const { path, database } = opened;
    await Promise.all([1, 2, 3].map(() => sleep(database, 0.1)));
    await expect(sleep(database, 5)).rejects.toThrow('statement timeout');
    expect(database.stats().open_connections).toBe(2);
    await database.close();
    await path.close();
  });

  test('a holder whose connection is cut loses its lock at once, and learns it', async () => {
    const opened = await openOnPath();
    if (opened === undefined) return;
    const { path, database } = opened;
    const other = databases.connect(databases.server?.url ?? '');
    const held = Promise.withResolvers<void>();
    const lost = database.withLock('cleaner', async (signal) => {
      held.resolve();
      await new Promise((done) => signal.addEventListener('abort', done));
      return String(signal.reason);
    });
    await held.promise;
    const next = other.withLock('cleaner', async () => 'taken over');
    path.cut();
    expect(await lost).toContain('the lock cleaner was lost');
    expect(await next).toBe('taken over');
    await database.close();
    await path.close();
  });

  test('the database is closed within its deadline, with a statement in progress too', async () => {
    const opened = await openOnPath();
    if (opened === undefined) return;
    const { path, database } = opened;
    const listening = Promise.withResolvers<void>();
    database.listen(() => listening.resolve());
    await Promise.all([listening.promise, database.ping(), database.ping()]);
    path.drop();
    const failed = database.ping().catch((error: Error) => error);
    await eventually(() => expect(database.stats().in_use).toBe(1));
    const began = performance.now();
    await database.close();
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(await failed).toBeInstanceOf(Error);
    await path.close();
  });
});

test('when the server has no more connections, statements wait for those that there are', async () => {
  const { server } = databases;
  if (server === undefined) return leftOut('a server without connections');
  const url = new URL(await server.createDatabase());
  const admin = databases.connect(url.href);
  await sql`create role limited login connection limit 2`.execute(admin.queries);
  const database = databases.connect(Object.assign(url, { username: 'limited' }).href);
  await Promise.all(Array.from({ length: 10 }, () => sql`select pg_sleep(0.02)`.execute(database.queries)));
  expect(database.stats().open_connections).toBe(2);
});

describe('one address, as of a Service or a managed database', () => {
  test('a server that accepts no writes any more loses its connections at the first write', async () => {
    const { server } = databases;
    if (server === undefined) return leftOut('a server that accepts no writes');
    const url = await server.createDatabase();
    const admin = databases.connect(url);
    const setReadOnly = (state: 'on' | 'off') =>
      sql`alter database ${sql.id(new URL(url).pathname.slice(1))} set default_transaction_read_only = ${sql.raw(state)}`.execute(
        admin.queries,
      );
    await setReadOnly('on');
    const database = databases.connect(url);
    const write = (name: string) => sql`create table ${sql.id('public', name)} ()`.execute(database.queries);
    await Promise.all([1, 2, 3].map(() => sql`select pg_sleep(0.1)`.execute(database.queries)));
    await setReadOnly('off');
    await expect(write('a')).rejects.toThrow('read-only transaction');
    await Promise.all(['b', 'c', 'd'].map(write));
  });

  test('a standby is neither written to nor listened to, nor has it locks: the address leads to the primary in time', async () => {
    const { server } = databases;
    const standby = await server?.startStandby();
    if (server === undefined || standby === undefined) return leftOut('an address of a standby');
    const url = await server.createDatabase();
    const path = await openNetworkPath(url);
    path.leadTo(standby.at(url));
    const database = databases.connect(path.through(url));
    const refused = 'the server is a standby';
    // The database arrives at the standby a little later.
    await eventually(() => expect(database.ping()).rejects.toThrow(refused));
    await expect(database.withLock('cleaner', async () => 'held')).rejects.toThrow(refused);
    path.leadTo(url);
    await database.ping();
    expect(await database.withLock('cleaner', async () => 'held')).toBe('held');
    await database.close();
    await path.close();
  });
});

test('one process has the folder of an embedded database at a time', async () => {
  const first = await openEmbedded({ ...createDeps(), folder });
  await migrate(first.queries);
  await first.queries.insertInto('worker_pool_occupancy').values(occupancy).execute();
  await expect(openEmbedded({ ...createDeps(), folder })).rejects.toThrow('another process has the folder');
  await first.close();
  const second = await openEmbedded({ ...createDeps(), folder });
  expect(await second.queries.selectFrom('worker_pool_occupancy').select('component').execute()).toEqual([
    { component: 'base' },
  ]);
  await second.close();
});

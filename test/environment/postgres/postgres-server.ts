import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../../hack/control-planes/process/free-port.ts';
import {
  type ServerProcess,
  startServerProcess,
} from '../../../hack/control-planes/process/server-process.ts';
import { startWatchdog } from '../../../hack/control-planes/process/watchdog.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import type { PostgresPrograms } from './postgres-programs.ts';

/** Postgres refuses root: it then runs as `nobody`. */
const NOBODY = 65_534;
const USER = 'mothership';
const run = promisify(execFile);

/** A Postgres server of a test, in a temporary folder. */
export interface PostgresServer {
  /** Of the database `postgres`. */
  readonly url: string;
  /** Makes an empty database. Returns its URL. */
  createDatabase(): Promise<string>;
  /** Restarts it as after a crash. */
  restart(): Promise<void>;
  /** Stops it without restart; `restart` begins it again. */
  kill(): Promise<void>;
  /** Starts a server that follows this one. Commits wait for both from then on. */
  startStandby(): Promise<Standby>;
  close(): Promise<void>;
}

/** A server that follows another one. */
export interface Standby {
  /** The URL of a database of the first server with both servers. */
  withStandby(url: string): string;
  /** The URL of a database of the first server on this one. */
  at(url: string): string;
  /** Makes it a server of its own, that accepts writes. */
  promote(): Promise<void>;
}

/**
 * Starts a server on a port of its own.
 *
 * @param settings of the server, as `name=value`, in addition to its own
 */
export async function startPostgres(
  { postgres, initdb }: PostgresPrograms,
  settings: readonly string[] = [],
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
  const endWatchdog = startWatchdog(folder);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(folder, NOBODY, NOBODY);
  const asUser = (command: string, args: readonly string[]) =>
    isRoot
      ? {
          command: 'setpriv',
          args: [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', command, ...args],
        }
      : { command, args: [...args] };
  const data = join(folder, 'data');
  const init = asUser(initdb, ['--pgdata', data, '--auth=trust', '--no-sync', '--encoding=UTF8', '-U', USER]);
  await run(init.command, init.args, { cwd: folder });
  const port = await freePort();
  const url = (database: string, at = port) => `postgres://${USER}@127.0.0.1:${at}/${database}`;

  const begin = (name: string, pgdata: string, at: number) =>
    startServerProcess({
      name,
      directory: folder,
      clock: systemClock,
      isReady: async () => {
        await query(url('postgres', at), 'select 1');
        return true;
      },
      ...asUser(postgres, [
        ...['-D', pgdata, '-h', '127.0.0.1', '-p', String(at), '-k', folder],
        ...[...SETTINGS, ...settings].flatMap((setting) => ['-c', setting]),
      ]),
    });
  let server: ServerProcess = await begin('postgres', data, port);
  let standby: ServerProcess | undefined;

  const copy = async (to: string) => {
    const options = [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-U',
      USER,
      '-D',
      to,
      '-R',
      '-c',
      'fast',
      '--no-sync',
    ];
    const backup = asUser(join(dirname(await realpath(postgres)), 'pg_basebackup'), options);
    await run(backup.command, backup.args, { cwd: folder });
  };

  return {
    url: url('postgres'),
    createDatabase: () => createDatabase(url('postgres')),
    kill: () => server.stop('SIGQUIT'),
    restart: async () => {
      await server.stop('SIGQUIT');
      server = await begin('postgres', data, port);
    },
    startStandby: async () => {
      const pgdata = join(folder, 'standby');
      const standbyPort = await freePort();
      await copy(pgdata);
      standby = await begin('standby', pgdata, standbyPort);
      await query(url('postgres'), "alter system set synchronous_standby_names = '*'");
      await query(url('postgres'), 'select pg_reload_conf()');
      return {
        withStandby: (of) => of.replace(`:${port}/`, `:${port},127.0.0.1:${standbyPort}/`),
        at: (of) => of.replace(`:${port}/`, `:${standbyPort}/`),
        promote: async () => {
          // The copy has the setting too, and has no standby itself.
          await query(url('postgres', standbyPort), 'select pg_promote()');
          await query(url('postgres', standbyPort), "alter system set synchronous_standby_names = ''");
          await query(url('postgres', standbyPort), 'select pg_reload_conf()');
        },
      };
    },
    close: async () => {
      await standby?.stop('SIGQUIT');
      await server.stop('SIGQUIT');
      await endWatchdog();
    },
  };
}

/** Small and without care for power failures; plans are those of a server on fast disks. */
const SETTINGS = [
  'fsync=off',
  'full_page_writes=off',
  'max_connections=300',
  'shared_buffers=64MB',
  'random_page_cost=1.1',
  'timezone=Asia/Tokyo',
];

/**
 * Returns the URL of the new database.
 *
 * @param url of a database of the server
 * @param template name of a database to copy; default: it is empty
 */
export async function createDatabase(url: string, template = 'template1'): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  // The other strategy writes all pages to the log too, and takes three times the CPU time.
  await query(url, `create database ${name} template ${template} strategy file_copy`);
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/** Ends its connections too. @param database URL of the database, as `createDatabase` returned it */
export const dropDatabase = (url: string, database: string): Promise<void> =>
  query(url, `drop database ${new URL(database).pathname.slice(1)} with (force)`);

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

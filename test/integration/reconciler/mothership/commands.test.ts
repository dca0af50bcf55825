import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { listenOnLoopback } from '../../../../internal/framework/base/loopback.fixture.ts';
import { nopLogger } from '../../../../internal/framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../../internal/framework/base/time/clock.ts';
import { createFakeClock } from '../../../../internal/framework/base/time/fake-clock.ts';
import type { ProcessLike } from '../../../../internal/framework/module/console/process-like.ts';
import { untilAborted } from '../../../../internal/framework/process/manager.ts';
import { run } from '../../../../internal/program/program.ts';
import { migrate } from '../../../../internal/systems/reconciler/mothership/database/migrations.ts';
import { openEmbedded } from '../../../../internal/systems/reconciler/mothership/database/pglite.ts';
import {
  createKeyFile,
  openKeyFile,
} from '../../../../internal/systems/reconciler/mothership/encryption/key-file.ts';
import {
  createKeyring,
  newKey,
} from '../../../../internal/systems/reconciler/mothership/encryption/keyring.ts';
import { createInventory } from '../../../../internal/systems/reconciler/mothership/inventory/create-inventory.ts';
import { createKeyGate } from '../../../../internal/systems/reconciler/mothership/program/run-mothership.ts';
import { eventually } from '../../../environment/eventually.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import {
  leftOut,
  startTestDatabases,
  type TestDatabases,
} from '../../../environment/postgres/test-databases.ts';

// A rotation waits until running processes have read the new key.
jest.setTimeout(120_000);

let databases: TestDatabases;
let folder: string;
beforeAll(async () => {
  databases = await startTestDatabases();
  folder = await mkdtemp(join(tmpdir(), 'mothership-commands-'));
});
afterAll(async () => {
  await databases.close();
  await rm(folder, { recursive: true, force: true });
});

/** Lines of the log. */
const logged: string[] = [];

/** The file without a database. */
const schedulerOnly = `mothership: {scheme: http, host: a, port: 8080, scheduler: {reconcilers: {base: {url: 'http://a/v1/run'}}}}\n`;

/** Runs `mothership …` with a configuration of its own. Returns what it prints. @param text of the file, in place of the database of a name */
async function mothership(name: string, args: readonly string[], text?: string) {
  const out: string[] = [];
  const host: ProcessLike = {
    env: { XDG_DATA_HOME: join(folder, 'home') },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => (text.startsWith('{') ? logged : out).push(text) },
    on: () => undefined,
    removeListener: () => undefined,
    exit: () => undefined,
  };
  const config = join(folder, `${name}.yaml`);
  await writeFile(
    config,
    text ??
      `db: {driver: postgres, encryption: {keyFile: ${name}.key}, postgres: {host: a, database: b, user: c}}\n${schedulerOnly}`,
  );
  await run(host, ['mothership', ...args, `--config=${config}`]);
  return { out: out.join(''), code: host.exitCode };
}

const keysOf = async (name: string) =>
  (await readFile(join(folder, `${name}.key`), 'utf8')).trim().split('\n');

test('install makes a key that only its owner reads, and keeps the one before as a backup', async () => {
  const made = `made the key ${join(folder, 'install.key')}\n`;
  expect(await mothership('install', ['install'])).toEqual({ out: made, code: undefined });
  const [first = ''] = await keysOf('install');
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect((await stat(join(folder, 'install.key'))).mode & 0o777).toBe(0o600);

  expect((await mothership('install', ['install'])).out).toContain('kept the old key as ');
  const backups = async () => (await readdir(folder)).filter((file) => /^install\.key\.\d+\.bak$/.test(file));
  const [backup = ''] = await backups();
  expect((await readFile(join(folder, backup), 'utf8')).trim()).toBe(first);
  const [second] = await keysOf('install');
  expect(second).not.toBe(first);

  expect((await mothership('install', ['install', '--backup=false'])).out).toBe(made);
  expect(await backups()).toHaveLength(1);
  expect(await keysOf('install')).not.toContain(second);
});

test('rotate-key encrypts everything with a new key; --prune removes the old one; all stays readable', async () => {
  if (databases.server === undefined) return leftOut('the command rotate-key');
  const url = await databases.server.createDatabase();
  const database = databases.connect(url);
  const flags = [`--database-url=${url}`];
  await mothership('rotate', [
    'start',
    '--migrate-database',
    '--stop-after-migrate',
    '--create-encryption-key',
    ...flags,
  ]);
  const inventory = async () =>
    createInventory({
      store: database,
      keyring: await openKeyFile(join(folder, 'rotate.key'), systemClock),
    });
  await (await inventory()).upsert(clusterDocument('c1', ['a']), 1);
  const [first] = await keysOf('rotate');

  logged.length = 0;
  const rotated = { out: 'encrypted 2 texts with a new key\n', code: undefined };
  expect(await mothership('rotate', ['rotate-key', ...flags])).toEqual(rotated);
  // It waits for running motherships, and says so.
  expect(logged.map((line) => JSON.parse(line).message)).toEqual([
    expect.stringContaining('opening the database'),
    expect.stringContaining('waiting until running motherships have read the key file'),
  ]);
  const keys = await keysOf('rotate');
  expect(keys).toHaveLength(2);
  expect(keys[1]).toBe(first);
  const pruned = { out: 'removed 1 old keys\n', code: undefined };
  expect(await mothership('rotate', ['rotate-key', '--prune', ...flags])).toEqual(pruned);
  expect(await keysOf('rotate')).toEqual([keys[0]]);
  const { configuration } = await (await inventory()).latest('c1');
  expect(configuration.components.map(({ component }) => component)).toEqual(['a']);
});

describe('commands on data make no database, and choose none', () => {
  const commands = [
    ['install'],
    ['rotate-key'],
    ['rotate-key', '--prune'],
    ['migrate-from-go'],
    ['migrate-to-go'],
  ];

  test.each(commands)('%s without a database that is named', async (command) => {
    const args = command.split(' ');
    const { out, code } = await mothership('unnamed', args, schedulerOnly);
    expect(out).toMatch(/^provider-kyma: cannot choose a database: name it by --data-dir, --database-url, /);
    expect(code).toBe(2);
    expect(await readdir(folder)).not.toContain('home');
  });

  test.each(commands)('%s with a folder that does not exist, or is empty', async (command) => {
    const args = command.split(' ');
    const missing = join(folder, 'missing');
    const empty = join(folder, 'empty');
    await mkdir(empty, { recursive: true });
    for (const path of [missing, empty]) {
      const { out, code } = await mothership('missing', [...args, `--data-dir=${path}`], schedulerOnly);
      expect(out).toContain(`cannot use the embedded database ${path}: there is none`);
      expect(code).toBe(2);
    }
    expect(await readdir(folder)).not.toContain('missing');
    expect(await readdir(empty)).toEqual([]);
  });

  test('rotate-key finds the embedded database of --data-dir, and refuses one without data or with another key', async () => {
    const data = join(folder, 'data');
    const database = await openEmbedded({ folder: data, clock: systemClock, random: Math.random });
    await migrate(database.queries);
    const keyFile = join(data, 'encryption.key');
    await createKeyFile(keyFile);
    const keyring = await openKeyFile(keyFile, systemClock);
    const { currentId } = keyring;
    await database.close();
    const rotate = (...more: string[]) =>
      mothership('data', ['rotate-key', `--data-dir=${data}`, ...more], schedulerOnly);
    expect(await rotate()).toEqual({
      out: expect.stringContaining('cannot rotate the encryption key: the database has no clusters'),
      code: 2,
    });

    const filled = await openEmbedded({ folder: data, clock: systemClock, random: Math.random });
    await createInventory({ store: filled, keyring }).upsert(clusterDocument('c1', ['a']), 1);
    await filled.close();
    const [right = ''] = (await readFile(keyFile, 'utf8')).trim().split('\n');
    await writeFile(keyFile, `${'0'.repeat(64)}\n`);
    for (const flags of [[], ['--prune']]) {
      const { out, code } = await rotate(...flags);
      expect(out).toContain(`the key file lacks the keys ${currentId} (2 texts)`);
      expect(code).toBe(2);
    }
    await writeFile(keyFile, `${right}\n`);
    expect((await rotate()).out).toContain('encrypted 2 texts with a new key\n');
  });
});

describe('a start', () => {
  test('with a key file that cannot decrypt the database is not ready, with an error that has the ids, until the key is back', async () => {
    const database = await databases.open();
    const right = newKey();
    const keyring = createKeyring([right]);
    await createInventory({ store: database, keyring }).upsert(clusterDocument('c1', ['a']), 1);
    const lines: string[] = [];
    const log = {
      ...nopLogger,
      error: (message: string, fields?: object) => void lines.push(JSON.stringify({ message, ...fields })),
    };
    const clock = createFakeClock();
    let ids: readonly string[] = ['0123456789abcdef'];
    const gate = await createKeyGate({
      clock,
      log,
      store: database,
      keyring: {
        get ids() {
          return ids;
        },
      },
    });
    expect(gate.problem()).toContain(`lacks the keys ${keyring.currentId} (2 texts)`);
    expect(lines).toEqual([expect.stringContaining(keyring.currentId)]);

    const events: string[] = [];
    const stop = new AbortController();
    const part = gate.behind({
      name: 'part',
      start: async (signal) => {
        events.push('started');
        await untilAborted(signal);
      },
    });
    const running = part.start(stop.signal, stop.signal);
    await clock.advance(20_000);
    expect(events).toEqual([]);
    ids = [...ids, keyring.currentId];
    await eventually(async () => {
      await clock.advance(5000);
      expect(events).toEqual(['started']);
    });
    expect(gate.problem()).toBeUndefined();
    stop.abort();
    await running;
  });

  test('finds a port that is in use before it opens the database, and names the flag', async () => {
    const { port, close } = await listenOnLoopback(createServer());
    const data = join(folder, 'port');
    const { out, code } = await mothership(
      'port',
      ['start', `--data-dir=${data}`, `--server-port=${port}`],
      schedulerOnly,
    );
    await close();
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(logged.at(-1)).toContain(
      `cannot listen on 127.0.0.1:${port}: another program has this port (EADDRINUSE); choose another one by --server-port`,
    );
    expect(await readdir(folder)).not.toContain('port');
  });
});

import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { systemClock } from '../../../internal/base/time/clock.ts';
import { run } from '../../../internal/cli/program.ts';
import type { ProcessLike } from '../../../internal/console/process-like.ts';
import { openKeyFile } from '../../../internal/mothership/encryption/key-file.ts';
import { createInventory } from '../../../internal/mothership/inventory/create-inventory.ts';
import { fillGoDatabase, goKey } from '../../environment/mothership/go-database.ts';
import { clusterDocument } from '../../environment/mothership/test-mothership.ts';
import {
  leftOut,
  startTestDatabases,
  type TestDatabases,
} from '../../environment/postgres/test-databases.ts';

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

/** Runs `mothership …` with a configuration of its own. Returns what it prints. */
async function mothership(name: string, args: readonly string[]) {
  const out: string[] = [];
  const host: ProcessLike = {
    env: {},
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => out.push(text) },
    on: () => undefined,
    removeListener: () => undefined,
    exit: () => undefined,
  };
  const config = join(folder, `${name}.yaml`);
  await writeFile(
    config,
    `db: {driver: postgres, encryption: {keyFile: ${name}.key}, postgres: {host: a, database: b, user: c}}
mothership: {scheme: http, host: a, port: 8080, scheduler: {reconcilers: {base: {url: 'http://a/v1/run'}}}}
`,
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

  const rotated = { out: 'encrypted 2 texts with a new key\n', code: undefined };
  expect(await mothership('rotate', ['rotate-key', ...flags])).toEqual(rotated);
  const keys = await keysOf('rotate');
  expect(keys).toHaveLength(2);
  expect(keys[1]).toBe(first);
  const pruned = { out: 'removed 1 old keys\n', code: undefined };
  expect(await mothership('rotate', ['rotate-key', '--prune', ...flags])).toEqual(pruned);
  expect(await keysOf('rotate')).toEqual([keys[0]]);
  const { configuration } = await (await inventory()).latest('c1');
  expect(configuration.components.map(({ component }) => component)).toEqual(['a']);
});

test('migrate-from-go copies the database of the Go program, and says how much; a second time changes nothing', async () => {
  if (databases.server === undefined) return leftOut('the command migrate-from-go');
  const url = await databases.server.createDatabase();
  const database = databases.connect(url);
  await fillGoDatabase(database);
  await mothership('migrate', ['install']);
  const goKeyFile = join(folder, 'go.key');
  await writeFile(goKeyFile, goKey);
  const args = ['migrate-from-go', `--database-url=${url}`, `--go-key-file=${goKeyFile}`];
  const { out, code } = await mothership('migrate', args);
  expect({ out, code }).toEqual({
    out: 'clusters: 16\nconfigurations: 16\nstatuses: 32\nreconciliations: 2\noperations: 9\n',
    code: undefined,
  });
  const keyring = await openKeyFile(join(folder, 'migrate.key'), systemClock);
  const inventory = createInventory({ store: database, keyring });
  expect((await inventory.latest('ready')).status.status).toBe('ready');

  const again = await mothership('migrate', args);
  expect(again.code).not.toBe(undefined);
  expect(again.out).toContain('cannot migrate');
  expect(await inventory.all()).toHaveLength(15);
});

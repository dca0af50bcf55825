import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  PortTakenError,
  type ServerProcess,
  type ServerProcessOptions,
  startServerProcess,
} from '../../../hack/control-planes/process/server-process.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { eventually } from '../../environment/eventually.ts';

let directory: string;
let running: ServerProcess[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'server-process-test-'));
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()));
  await rm(directory, { recursive: true, force: true });
});

/** Runs a shell script as the server; it is ready once it has made the file `ready`. */
async function start(script: string, timeoutMs = 10_000, more: Partial<ServerProcessOptions> = {}) {
  const server = await startServerProcess({
    name: 'fake',
    command: 'sh',
    args: ['-c', script],
    directory,
    clock: systemClock,
    isReady: async () => existsSync(join(directory, 'ready')),
    timeoutMs,
    ...more,
  });
  running.push(server);
  return server;
}

const pid = () => Number(readFileSync(join(directory, 'fake.pid'), 'utf8'));

/** The first letter that ps gives: T for frozen, Z for dead but not yet noticed; undefined for gone. */
const stateOf = (id: number): string | undefined =>
  spawnSync('ps', ['-o', 'stat=', '-p', String(id)], { encoding: 'utf8' }).stdout.trim()[0];

const isAlive = (id: number): boolean => ![undefined, 'Z'].includes(stateOf(id));

describe('a start', () => {
  test('waits until the server is ready', async () => {
    await start('sleep 0.3; touch ready; exec sleep 60');

    expect(isAlive(pid())).toBe(true);
  });

  test('fails with the server’s last words when it ends early', async () => {
    await expect(start('echo the disk is full >&2; exit 3')).rejects.toThrow(
      'cannot start fake: it ended with 3; its last words:\nthe disk is full',
    );
  });

  test('fails when the binary cannot be run at all', async () => {
    const options = { name: 'fake', command: join(directory, 'missing'), args: [], directory };
    const isReady = () => Promise.resolve(false);

    await expect(startServerProcess({ ...options, clock: systemClock, isReady })).rejects.toThrow(/ENOENT/);
  });

  test('fails and leaves nothing running when the server is never ready', async () => {
    await expect(start('echo waiting for a friend; exec sleep 60', 300)).rejects.toThrow(
      'cannot start fake: not ready after 0.3 s; it says:\nwaiting for a friend',
    );
    expect(existsSync(join(directory, 'fake.pid'))).toBe(false);
  });

  test('can be aborted, and leaves nothing running', async () => {
    const giveUp = new AbortController();
    const starting = start('exec sleep 60', 10_000, { signal: giveUp.signal });
    await eventually(() => expect(isAlive(pid())).toBe(true));
    const id = pid();
    giveUp.abort(new Error('enough'));

    await expect(starting).rejects.toThrow('enough');
    expect(isAlive(id)).toBe(false);
  });

  test('passes the server the given environment and nothing else', async () => {
    await start('env > environment; touch ready; exec sleep 60', 10_000, {
      env: { PATH: process.env.PATH, ONLY: 'this' },
    });

    expect(readFileSync(join(directory, 'environment'), 'utf8')).toMatch(/^ONLY=this$/m);
    expect(readFileSync(join(directory, 'environment'), 'utf8')).not.toMatch(/^HOME=/m);
  });

  test('distinguishes a taken port from other failures, since only that is retried', async () => {
    const taken = start('echo "listen tcp 127.0.0.1:1: bind: address already in use"; exit 1');

    await expect(taken).rejects.toThrow(PortTakenError);
  });

  test('does not blame a port for the output of an earlier run', async () => {
    await start('echo address already in use; touch ready; exec sleep 60');
    await running.pop()?.stop();
    await rm(join(directory, 'ready'));

    await expect(start('echo no such flag; exit 2')).rejects.toThrow(/its last words:\nno such flag$/);
  });
});

test('stopping waits until the process is gone', async () => {
  const server = await start('touch ready; exec sleep 60');
  const id = pid();

  await server.stop();

  expect(isAlive(id)).toBe(false);
});

test('the owner of a server is notified of its end and the cause', async () => {
  const server = await start('touch ready; exec sleep 60');
  process.kill(pid(), 'SIGKILL');

  expect(await server.gone).toBe('it ended with SIGKILL');
});

test('a frozen process goes on where it was, and can be stopped in order all the same', async () => {
  const server = await start(
    'trap "echo bye > farewell; exit 0" TERM; touch ready; while :; do sleep 0.05; done',
  );
  const thaw = await server.freeze();
  expect(stateOf(pid())).toBe('T');
  thaw();
  await eventually(() => expect(stateOf(pid())).not.toBe('T'));
  await server.freeze();

  await server.stop('SIGTERM');

  expect(existsSync(join(directory, 'farewell'))).toBe(true);
});

test('nothing survives a test run that is killed', async () => {
  const module = (name: string) => join(import.meta.dirname, '../../../hack/control-planes/process', name);
  const program = `
    import { startServerProcess } from '${module('server-process.ts')}';
    import { startWatchdog } from '${module('watchdog.ts')}';
    import { systemClock } from '${module('../../../internal/framework/base/time/clock.ts')}';
    startWatchdog('${directory}');
    await startServerProcess({
      name: 'fake', command: 'sleep', args: ['60'], directory: '${directory}', clock: systemClock,
      isReady: async () => true,
    });
    console.log('started');
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  await once(child.stdout, 'data');
  const id = pid();
  expect(isAlive(id)).toBe(true);

  child.kill('SIGKILL');

  await eventually(() => expect(isAlive(id)).toBe(false));
  await eventually(() => expect(existsSync(directory)).toBe(false));
});

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../internal/framework/base/time/fake-clock.ts';
import { eventually } from '../../test/environment/eventually.ts';
import { runStage } from './run-stage.ts';

const LIMIT_MS = 60_000;

async function start(script: string) {
  const cwd = await mkdtemp(join(tmpdir(), 'run-stage-'));
  const clock = createFakeClock();
  const lines: string[] = [];
  const exitCode = runStage({
    command: 'sh',
    args: ['-c', script],
    cwd,
    quiet: true,
    limitMs: LIMIT_MS,
    clock,
    report: (line) => lines.push(line),
  });
  return {
    exitCode,
    clock,
    lines,
    pidIn: (file: string) =>
      eventually(async () => {
        const pid = Number(await readFile(join(cwd, file), 'utf8'));
        if (pid === 0) throw new Error(`${file} is empty`);
        return pid;
      }),
    end: () => rm(cwd, { recursive: true }),
  };
}

const isGone = (pid: number) =>
  eventually(() => {
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

test('a program that ends has its own exit code', async () => {
  const run = await start('exit 3');

  expect(await run.exitCode).toBe(3);
  expect(run.lines).toEqual([]);
  await run.end();
});

test('what a program leaves behind ends with it', async () => {
  const run = await start('sleep 600 & echo $! >left');

  expect(await run.exitCode).toBe(0);
  await isGone(await run.pidIn('left'));
  await run.end();
});

test('a program that hangs is ended at its limit, with its child processes, and fails', async () => {
  const run = await start('echo $$ >leader; sleep 600 & echo $! >child; wait');
  const pids = [await run.pidIn('leader'), await run.pidIn('child')];

  await run.clock.advance(LIMIT_MS);

  expect(await run.exitCode).toBe(128 + 15);
  expect(run.lines).toEqual(['not done after 1 minutes: ended']);
  for (const pid of pids) await isGone(pid);
  await run.end();
});

test('one that ignores SIGTERM is killed', async () => {
  const run = await start("trap '' TERM; echo $$ >leader; while :; do sleep 0.1; done");
  await run.pidIn('leader');

  await run.clock.advance(LIMIT_MS);
  await run.clock.advance(20_000);

  expect(await run.exitCode).toBe(128 + 9);
  await run.end();
});

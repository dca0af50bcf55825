import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { systemClock } from '../../../internal/base/time/clock.ts';
import { launch, type MeasuredProcess } from './measured-process.ts';

let directory: string;
let ending: AbortController;
let launched: MeasuredProcess | undefined;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kyma-bench-test-'));
  ending = new AbortController();
});
afterEach(async () => {
  await launched?.stop();
  await rm(directory, { recursive: true });
});

/** A program in plain JavaScript. */
async function run(script: string): Promise<MeasuredProcess> {
  launched = await launch({
    name: 'program',
    command: process.execPath,
    args: ['-e', script],
    env: { PATH: process.env.PATH },
    directory,
    clock: systemClock,
    signal: ending.signal,
  });
  return launched;
}

const forever = 'setInterval(() => {}, 1000)';
const never = new Promise<never>(() => undefined);

test('a process tells what it has used, and what is left of it after collections', async () => {
  const program = await run(
    `let held = new Array(4e6).fill(0).map(String); setTimeout(() => { held = null; }, 0); ${forever}`,
  );
  const before = await program.usage();
  const after = await program.collected();
  expect(before.cpuMs).toBeGreaterThan(0);
  expect(after.cpuMs).toBeGreaterThanOrEqual(before.cpuMs);
  expect(after.heapMiB).toBeLessThan(20);
  expect(after.peakRssMiB).toBeGreaterThanOrEqual(after.rssMiB);
});

test('a profile is written to the file that is asked for', async () => {
  const program = await run(forever);
  const file = join(directory, 'x.cpuprofile');
  await program.profile(50, file);
  expect(JSON.parse(await readFile(file, 'utf8'))).toHaveProperty('nodes');
});

test('what a program answers to can be asked', async () => {
  const program = await run(
    'process.on("message", ({ id, question, options }) => { if (question === "double") process.send({ id, answer: 2 * options }); }); process.channel.ref()',
  );
  expect(await program.ask('double', 21)).toBe(42);
});

test('a wait ends when the process does, with its last words', async () => {
  const program = await run('console.error("out of luck"); setTimeout(() => process.exit(3), 10)');
  await expect(program.during(never)).rejects.toThrow(/program is gone: it ended with 3.*\nout of luck/);
  await expect(program.usage()).rejects.toThrow('out of luck');
});

test('a wait ends when the bench is to end, and the process can still be stopped', async () => {
  const program = await run(forever);
  const waiting = program.during(never);
  ending.abort(new Error('interrupted'));
  await expect(waiting).rejects.toThrow('interrupted');
  await program.stop();
});

test('the probe does not keep a program alive that has nothing more to do', async () => {
  const program = await run('');
  await expect(program.during(never)).rejects.toThrow('it ended with 0');
});

test('what cannot be launched says so', async () => {
  const options = { name: 'none', args: [], env: {}, directory, clock: systemClock, signal: ending.signal };
  await expect(launch({ ...options, command: join(directory, 'none') })).rejects.toThrow(
    /none is gone: .*ENOENT/,
  );
});

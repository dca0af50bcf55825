import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { launch, type MeasuredProcess } from './measured-process.ts';

let directory: string;
let abortController: AbortController;
let launched: MeasuredProcess | undefined;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kyma-bench-test-'));
  abortController = new AbortController();
});
afterEach(async () => {
  await launched?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const context = () => ({ directory, clock: systemClock, signal: abortController.signal });

/** A program in plain JavaScript. */
async function run(script: string): Promise<MeasuredProcess> {
  const env = { PATH: process.env.PATH };
  launched = await launch(context(), {
    name: 'program',
    command: process.execPath,
    args: ['-e', script],
    env,
  });
  return launched;
}

const forever = 'setInterval(() => {}, 1000)';
const never = new Promise<never>(() => undefined);

test('a process reports its usage, and its memory after garbage collections', async () => {
  const program = await run(
    `let held = new Array(4e6).fill(0).map(String); setTimeout(() => { held = null; }, 0); ${forever}`,
  );
  const before = await program.usage();
  const after = await program.collected();
  expect(before.cpuMs).toBeGreaterThan(0);
  expect(after.cpuMs).toBeGreaterThanOrEqual(before.cpuMs);
  expect(after.heapMiB).toBeLessThan(20);
  expect(after.peakRssMiB).toBeGreaterThanOrEqual(after.rssMiB);
  expect(after.ownMiB).toBeLessThan(after.rssMiB);
  if (process.platform === 'linux') expect(after.ownMiB).toBeGreaterThan(after.heapMiB);
});

test('a profile is written to the given file', async () => {
  const program = await run(forever);
  const file = join(directory, 'x.cpuprofile');
  await program.profile(50, file);
  expect(JSON.parse(await readFile(file, 'utf8'))).toHaveProperty('nodes');
});

test('a program answers its own questions', async () => {
  const program = await run(
    'process.on("message", ({ id, question, options }) => { if (question === "double") process.send({ id, answer: 2 * options }); }); process.channel.ref()',
  );
  expect(await program.ask('double', 21)).toBe(42);
});

test('a wait rejects when the process ends, with its last output', async () => {
  const program = await run('console.error("out of luck"); setTimeout(() => process.exit(3), 10)');
  await expect(program.during(never)).rejects.toThrow(/program is gone: it ended with 3.*\nout of luck/);
  await expect(program.usage()).rejects.toThrow('out of luck');
});

test('a wait rejects when the bench is aborted, and the process can still be stopped', async () => {
  const program = await run(forever);
  const waiting = program.during(never);
  abortController.abort(new Error('interrupted'));
  await expect(waiting).rejects.toThrow('interrupted');
  await program[Symbol.asyncDispose]();
});

test('the probe does not keep a finished program alive', async () => {
  const program = await run('');
  await expect(program.during(never)).rejects.toThrow('it ended with 0');
});

test('a program that cannot be launched is an error', async () => {
  const none = { name: 'none', command: join(directory, 'none'), args: [], env: {} };
  await expect(launch(context(), none)).rejects.toThrow(/none is gone: .*ENOENT/);
});

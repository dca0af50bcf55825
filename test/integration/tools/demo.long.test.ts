import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, expect, test } from '@jest/globals';
import { campaign } from '../../campaign/campaign.ts';
import { eventually } from '../../environment/eventually.ts';

/*
 * The demo as `make demo` runs it, but from its sources, so that no build has to come first. Everything it stores is in
 * a folder of the test's own, which shows what it leaves behind.
 */
const MAIN = join(import.meta.dirname, '../../../hack/demo/main.ts');

/** It starts two control planes beside those of the test run. */
const TIMEOUT_MS = 240_000;

/** One run of the demo. */
interface DemoRun {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** Everything it has printed so far. */
  output(): string;
  untilPrinted(text: string): Promise<void>;
  /** Ids of the processes that it has started, by name. */
  startedProcesses(): Promise<Map<string, number>>;
  expectNothingLeft(processes: ReadonlyMap<string, number>): Promise<void>;
  /** Kills it if it still runs, and waits until its control planes have removed their files. */
  stop(): Promise<void>;
}

const runs: DemoRun[] = [];
afterAll(async () => {
  await Promise.all(runs.map((run) => run.stop()));
});

async function start(env: NodeJS.ProcessEnv): Promise<DemoRun> {
  const folder = await mkdtemp(join(tmpdir(), 'demo-test-'));
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, TMPDIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const run: DemoRun = {
    child,
    output: () => output,
    untilPrinted: async (text) => {
      const ended = once(child, 'close').then(() => {
        throw new Error(`it ended without saying ${JSON.stringify(text)}:\n${output}`);
      });
      await Promise.race([
        ended,
        eventually(() => expect(output).toContain(text), { timeoutMs: TIMEOUT_MS }),
      ]);
    },
    startedProcesses: async () => {
      const found = new Map<string, number>();
      for await (const path of glob('*/*.pid', { cwd: folder })) {
        found.set(path, Number(await readFile(join(folder, path), 'utf8')));
      }
      return found;
    },
    expectNothingLeft: async (processes) => {
      expect(await readdir(folder)).toEqual([]);
      expect([...processes].filter(([, pid]) => isAlive(pid))).toEqual([]);
    },
    stop: async () => {
      child.kill('SIGKILL');
      await eventually(async () => expect(await readdir(folder)).toEqual([]));
      await rm(folder, { recursive: true, force: true });
    },
  };
  runs.push(run);
  return run;
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Another whole demo is part of `make test-faults`. */
const testDeath = campaign({ seed: 0, runs: 1 }).long ? test.concurrent : test.concurrent.skip;

test.concurrent(
  'every step of the demo holds, no credential is shown, and after Ctrl-C nothing is left',
  async () => {
    const { child, output, untilPrinted, startedProcesses, expectNothingLeft } = await start({ ONCE: '' });
    await untilPrinted('steps held, ');
    const processes = await startedProcesses();
    child.kill('SIGINT');
    const [code] = await once(child, 'close');

    // The demo's own output shows best what failed.
    if (code !== 0) throw new Error(`exit code ${code}:\n${output()}`);
    expect(output()).toMatch(/^\d\d steps held, 0 failed$/m);
    expect(output()).not.toMatch(/clientsecret|client_secret|PRIVATE KEY|client-key-data|eyJ/);
    await expectNothingLeft(processes);
  },
  TIMEOUT_MS,
);

testDeath(
  'when the provider dies, the demo reports it, fails, and leaves nothing behind',
  async () => {
    const { child, output, untilPrinted, startedProcesses, expectNothingLeft } = await start({ ONCE: '1' });
    await untilPrinted('Mappings appear');
    const processes = await startedProcesses();
    expect(processes.size).toBe(9);
    const [provider = 0] = [...processes]
      .filter(([path]) => path.endsWith('provider.pid'))
      .map(([, pid]) => pid);
    process.kill(provider, 'SIGKILL');
    const [code] = await once(child, 'close');

    expect(code).toBe(1);
    expect(output()).toContain('the provider is gone: it ended with SIGKILL');
    expect(output()).toMatch(/held, [01] failed; the rest was not run$/m);
    await expectNothingLeft(processes);
  },
  TIMEOUT_MS,
);

/** The framework alone, in a process of its own, so that nothing else adds to its memory and CPU time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createDeps } from '../../../internal/framework/base/deps.ts';
import { answerQuestions } from '../measure/answer-questions.ts';
import { type FrameworkLoad, startFramework } from './framework-load.ts';
import { reconcileByHand } from './sample-kind.ts';

interface RoundOptions {
  readonly objects: number;
  readonly rounds: number;
  /** For each round. */
  readonly seconds: number;
}

/** What happened while the queue was never empty. */
export interface SteadyRound {
  readonly reconciles: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Iterations per second of the plain loop, right after. */
  readonly byHand: number;
}

export interface UpdateRound {
  readonly updates: number;
  readonly cpuMs: number;
  /** Events per second when they are only parsed from JSON. */
  readonly parsedByHand: number;
}

/** Never within a measurement. */
const HOUR_MS = 3_600_000;

let load: FrameworkLoad | undefined;

async function steady({ objects, rounds, seconds }: RoundOptions): Promise<SteadyRound[]> {
  // The compiler has seen it all after three reconciles of each.
  const running = await start(objects, 1, 3 * objects);
  const results: SteadyRound[] = [];
  for (let round = 0; round < rounds; round++) {
    const reconcilesBefore = running.reconciles();
    const spent = stopwatch();
    // Reconciles block timers until the queue is empty: the end comes a little late, and is measured.
    await sleep(seconds * 1000);
    const used = spent();
    const reconciles = running.reconciles() - reconcilesBefore;
    const byHand = rateOf(() => reconcileByHand(running.objects()), objects);
    results.push({ reconciles, ...used, byHand });
  }
  return results;
}

async function updates({ objects, rounds }: RoundOptions): Promise<UpdateRound[]> {
  await load?.stop();
  const running = await start(objects, HOUR_MS, objects);
  const lines = running.objects().map((object) => JSON.stringify({ type: 'MODIFIED', object }));
  const parse = () => {
    for (const line of lines) JSON.parse(line);
  };
  const results: UpdateRound[] = [];
  for (let round = 0; round < rounds; round++) {
    const deliver = running.prepareTouch();
    const spent = stopwatch();
    await deliver();
    const { cpuMs } = spent();
    results.push({ updates: objects, cpuMs, parsedByHand: rateOf(parse, objects) });
  }
  if (running.reconciles() > objects) throw new Error('a filtered update caused a reconcile');
  return results;
}

/** Resolves after as many reconciles. */
async function start(objects: number, pollIntervalMs: number, reconciles: number): Promise<FrameworkLoad> {
  load = await startFramework(objects, pollIntervalMs, createDeps());
  while (load.reconciles() < reconciles) await sleep(10);
  return load;
}

function stopwatch(): () => { readonly wallMs: number; readonly cpuMs: number } {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { wallMs: performance.now() - wall, cpuMs: (user + system) / 1000 };
  };
}

/** Operations per second of CPU time; `work` does `times` of them. The mean of three runs. */
function rateOf(work: () => void, times: number): number {
  const spent = stopwatch();
  for (let run = 0; run < 3; run++) work();
  return (3 * times * 1000) / spent().cpuMs;
}

answerQuestions({ steady, updates });

/** The framework alone, in a process of its own, so that nothing else is in its memory and its CPU time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../internal/base/time/clock.ts';
import { answerQuestions } from '../measure/answer-questions.ts';
import { passByHand } from './by-hand.ts';
import { type FrameworkLoad, startFramework } from './framework-load.ts';

export interface RoundOptions {
  readonly objects: number;
  readonly rounds: number;
  /** For each round. */
  readonly seconds: number;
}

/** What happened while the queue was never empty. */
export interface SteadyRound {
  readonly passes: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Passes for each second of a loop by hand, right after. */
  readonly byHand: number;
}

export interface UpdateRound {
  readonly updates: number;
  readonly cpuMs: number;
  /** Events for each second that are parsed from their JSON and nothing else. */
  readonly parsedByHand: number;
}

/** Never within a measurement. */
const HOUR_MS = 3_600_000;

let load: FrameworkLoad | undefined;

async function steady({ objects, rounds, seconds }: RoundOptions): Promise<SteadyRound[]> {
  const running = await startFramework({ objects, pollIntervalMs: 1, clock: systemClock });
  load = running;
  // The compiler has seen it all by then.
  while (running.passes() < 3 * objects) await sleep(10);
  const results: SteadyRound[] = [];
  for (let round = 0; round < rounds; round++) {
    const passesBefore = running.passes();
    const spent = stopwatch();
    // Passes do not let timers through before the queue is empty: the end comes a little late, and is measured.
    await sleep(seconds * 1000);
    const { wallMs, cpuMs } = spent();
    const passes = running.passes() - passesBefore;
    results.push({ passes, wallMs, cpuMs, byHand: rateOf(() => passByHand(running.objects()), objects) });
  }
  return results;
}

async function updates({ objects, rounds }: RoundOptions): Promise<UpdateRound[]> {
  await load?.stop();
  const running = await startFramework({ objects, pollIntervalMs: HOUR_MS, clock: systemClock });
  load = running;
  while (running.passes() < objects) await sleep(10);
  const lines = running.objects().map((object) => JSON.stringify({ type: 'MODIFIED', object }));
  const results: UpdateRound[] = [];
  for (let round = 0; round < rounds; round++) {
    const touch = running.prepareTouch();
    const spent = stopwatch();
    await touch.deliver();
    const { cpuMs } = spent();
    const parsedByHand = rateOf(() => {
      for (const line of lines) JSON.parse(line);
    }, objects);
    results.push({ updates: objects, cpuMs, parsedByHand });
  }
  if (running.passes() > objects) throw new Error('an update that is no news caused a pass');
  return results;
}

function stopwatch(): () => { readonly wallMs: number; readonly cpuMs: number } {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { wallMs: performance.now() - wall, cpuMs: (user + system) / 1000 };
  };
}

/** How often a second something happens that `work` does so many `times`, by CPU time. Three runs, to be sure. */
function rateOf(work: () => void, times: number): number {
  const spent = stopwatch();
  for (let run = 0; run < 3; run++) work();
  return (3 * times * 1000) / spent().cpuMs;
}

answerQuestions({ steady, updates });

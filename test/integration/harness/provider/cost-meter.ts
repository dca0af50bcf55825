/**
 * What inputs cost a program that are meant to cost much: the delay of its event loop, its memory, and the time until an object of
 * others is Ready. The limits are relative to a calibration without such inputs in the same run, since other programs run on the
 * machine.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { parse } from 'yaml';
import { RUNTIME_ENV } from '../../../../hack/xpkg/runtime-image.ts';
import { eventually } from '../../../environment/eventually.ts';

const MIB = 1024 * 1024;
const CALIBRATIONS = 5;
/** Times the calibration. */
const TOLERANCE = 4;

export interface Cost {
  /** From the answer of the API server to the creation of the object of others until it was Ready. */
  readonly readyMs: number;
  /** The longest of the event loop. */
  readonly delayMs: number;
  /** The highest resident memory, with child processes, in bytes. */
  readonly peakBytes: number;
}

export interface CostMeter {
  /** Of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** @param harmless an input that costs what is usual */
  calibrate(harmless: () => Promise<void>): Promise<void>;
  /** @param input for the message */
  expectUsual(input: string, attack: () => Promise<void>): Promise<void>;
  /** Waits until the memory is back where it was at the calibration. */
  untilMemoryIsBack(): Promise<void>;
  /** Since then, below the limit of the chart. */
  expectMemoryBounded(since: number): Promise<void>;
  close(): Promise<void>;
}

export interface CostMeterOptions {
  /** Whether it is a campaign, beside which no other tests run. */
  readonly long: boolean;
  /** Creates an object of others. */
  readonly bystander: () => Promise<Bystander>;
}

export interface Bystander {
  untilReady(): Promise<unknown>;
  remove(): Promise<void>;
}

/** What a program costs, ten times a second. */
export interface ProcessMeter {
  /** Of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** @param from a time in ms */
  highestSince(from: number): Promise<Pick<Cost, 'delayMs' | 'peakBytes'>>;
  close(): Promise<void>;
}

/** The heap that Node chooses in a container with up to 512 MiB. */
const HEAP = '--max-old-space-size=256 --max-semi-space-size=4';

export async function createProcessMeter(): Promise<ProcessMeter> {
  const folder = await mkdtemp(join(tmpdir(), 'kyma-costs-'));
  const file = join(folder, 'event-loop');
  return {
    env: {
      ...RUNTIME_ENV,
      NODE_OPTIONS: `${HEAP} --import=${new URL('event-loop-delay.mjs', import.meta.url)}`,
      EVENT_LOOP_FILE: file,
    },
    highestSince: async (from) => {
      let [delayMs, peakBytes] = [0, 0];
      for (const line of (await readFile(file, 'utf8')).trim().split('\n')) {
        const [at = 0, delay = 0, bytes = 0] = line.split(' ').map(Number);
        if (at < from) continue;
        delayMs = Math.max(delayMs, delay);
        peakBytes = Math.max(peakBytes, bytes);
      }
      return { delayMs, peakBytes };
    },
    // A process that ends may still write.
    close: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

export async function createCostMeter({ long, bystander }: CostMeterOptions): Promise<CostMeter> {
  const { env, highestSince, close } = await createProcessMeter();
  const memoryLimit = await memoryLimitOfChart();
  const maxDelayMs = long ? 250 : 1500;
  const marginMs = long ? 1000 : 20_000;
  let usual: Cost | undefined;
  const usualCost = () => {
    if (usual === undefined) throw new Error('it is not calibrated');
    return usual;
  };
  const measured = async (attack: () => Promise<void>): Promise<Cost> => {
    const from = Date.now();
    const attacked = attack();
    const other = await bystander();
    const createdAt = Date.now();
    await other.untilReady();
    const readyMs = Date.now() - createdAt;
    await attacked;
    await other.remove();
    return { readyMs, ...(await highestSince(from)) };
  };
  return {
    env,
    calibrate: async (harmless) => {
      const costs: Cost[] = [];
      for (let number = 0; number < CALIBRATIONS; number++) costs.push(await measured(harmless));
      const highest = (of: (cost: Cost) => number) => Math.max(...costs.map(of));
      usual = {
        readyMs: highest(({ readyMs }) => readyMs),
        delayMs: highest(({ delayMs }) => delayMs),
        peakBytes: highest(({ peakBytes }) => peakBytes),
      };
    },
    expectUsual: async (input, attack) => {
      const { readyMs, delayMs } = usualCost();
      const limits: Cost = {
        delayMs: Math.max(maxDelayMs, TOLERANCE * delayMs),
        readyMs: TOLERANCE * readyMs + marginMs,
        peakBytes: memoryLimit,
      };
      const cost = await measured(attack);
      const exceeded = Object.entries(cost).filter(([name, value]) => value > limits[name as keyof Cost]);
      expect({ input, cost, limits, exceeded: exceeded.map(([name]) => name) }).toEqual({
        input,
        cost,
        limits,
        exceeded: [],
      });
    },
    untilMemoryIsBack: async () => {
      const limit = 1.3 * usualCost().peakBytes;
      await eventually(
        async () => {
          const { peakBytes } = await highestSince(Date.now() - 1000);
          expect(peakBytes).toBeGreaterThan(0);
          expect(peakBytes).toBeLessThan(limit);
        },
        { timeoutMs: 120_000 },
      );
    },
    expectMemoryBounded: async (since) => {
      expect((await highestSince(since)).peakBytes / MIB).toBeLessThan(memoryLimit / MIB);
    },
    close,
  };
}

async function memoryLimitOfChart(): Promise<number> {
  const values = new URL('../../../../package/btp/chart/values.yaml', import.meta.url);
  return Number.parseInt(parse(await readFile(values, 'utf8')).manager.memory_limit, 10) * MIB;
}

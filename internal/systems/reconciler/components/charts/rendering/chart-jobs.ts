import { createBreather } from '../../../../../framework/base/concurrency/breather.ts';
import {
  createShares,
  type Deps,
  ProviderError,
  type SharesOptions,
  sleep,
} from '../../../../../framework/base/index.ts';
import {
  createWorkerPool,
  type WorkerLimit,
  type WorkerPool,
  WorkerStoppedError,
} from '../../../../../framework/process/index.ts';
import type { RandomStore, RandomValues } from '../../../../../templates/helm/index.ts';
import type { ChartOptions } from '../../model/component.ts';
import type { UnpackJob, UnpackJobs, UnpackResult } from '../sources/unpack-jobs.ts';
import type { ChartAnswer, ChartJob, ValueText } from './perform-chart-job.ts';

/** Makes values and objects of charts, in processes of their own with limits of time and memory. */
export interface ChartJobs {
  /**
   * @returns values with the file that each comes from. They count as memory of the tenant until the signal is aborted
   * @throws an error of kind `terminal` with file and line if Helm would refuse the chart or its values
   */
  run(job: ChartJob, options: ChartJobOptions): Promise<readonly ChartValue[]>;
  /** Unpacks what a Git server, a registry or another server sent. */
  unpack: UnpackJobs['unpack'];
  /** Ends the processes. */
  close(): Promise<void>;
}

interface ChartJobOptions extends ChartOptions {
  /** Default: each rendering makes other random values, as Helm does. */
  readonly random?: RandomStore | undefined;
}

export interface ChartValue {
  readonly source: string;
  readonly value: unknown;
}

interface ChartJobsOptions extends Pick<Deps, 'clock'> {
  /** Time of one job, in ms; then it is ended with its process. Default 60000: the engine ends it after 30 s of CPU time. */
  readonly deadlineMs?: number;
  /** Default: 48 MiB, of which a tenant has 32. */
  readonly manifests?: SharesOptions;
}

/** A tenant has one at most, so that its charts delay no others. */
const PROCESSES = 2;
/** Most charts take less, in ms. Those of several tenants that take longer leave one of the processes to others. */
const SHORT_MS = 1000;
/** With the main process they have to fit into the memory of a pod. */
const HEAP_MB = 112;
const MEMORY_MB = 160;
/** Of the objects of a chart, as JSON. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024;
const MIB = 1024 * 1024;
/** Until a tenant whose objects take all its memory is asked for again, in ms. */
const RETRY_MS = 500;

const NONE: RandomValues = { salt: '', values: {} };

/** Processes are started with the first job, and end when there is nothing to do. */
export function createChartJobs(options: ChartJobsOptions): ChartJobs {
  const { clock, deadlineMs = 60_000 } = options;
  const { manifests = { maxBytes: 48 * MIB, maxBytesPerTenant: 32 * MIB } } = options;
  const budget = createManifestBudget(manifests);
  const pool = createWorkerPool<ChartJob | UnpackJob, ChartAnswer | UnpackResult>({
    clock,
    name: 'charts',
    entry: async () => (await import('./chart-process.ts')).url,
    size: PROCESSES,
    perGroup: 1,
    shortMs: SHORT_MS,
    deadlineMs,
    heapMb: HEAP_MB,
    memoryMb: MEMORY_MB,
    maxResultBytes: MAX_RESULT_BYTES,
  });

  // Both kinds of jobs share the processes, and the turns of tenants. The process answers each with its own kind.
  const rendering = pool as Pick<WorkerPool<ChartJob, ChartAnswer>, 'run'>;
  const unpacking = pool as Pick<WorkerPool<UnpackJob, UnpackResult>, 'run'>;

  const limits: Record<WorkerLimit, string> = {
    time: `${deadlineMs} ms`,
    memory: `${HEAP_MB} MiB of memory`,
    result: `${MAX_RESULT_BYTES} bytes of objects`,
  };
  /** @param what begins the message of an error */
  const errorOf = (error: unknown, what: string): unknown =>
    error instanceof WorkerStoppedError
      ? new ProviderError(error.kind, `${what}: it needs more than ${limits[error.limit]}`, { cause: error })
      : error;

  const perform = async (job: ChartJob, { tenant, signal }: ChartOptions) => {
    const answer = await rendering.run(job, { group: tenant, signal }).catch((error: unknown) => {
      throw errorOf(error, 'cannot render the chart');
    });
    if (typeof answer === 'object' && 'refused' in answer) {
      throw new ProviderError(answer.refused.kind, answer.refused.message);
    }
    return answer;
  };

  /** Most charts make no random values: what is stored is read for the others alone. */
  const performWith = async (job: ChartJob, options: ChartJobOptions): Promise<readonly ValueText[]> => {
    const { random } = options;
    const isRecorded = job.make === 'objects' && random !== undefined;
    let answer = await perform(isRecorded ? { ...job, recorded: 'unknown' } : job, options);
    if (answer === 'random values wanted' && isRecorded) {
      answer = await perform({ ...job, recorded: (await random.read()) ?? NONE }, options);
    }
    if (answer === 'random values wanted') throw new ProviderError('bug', 'random values are wanted twice');
    if (answer.made !== undefined) await random?.write(answer.made);
    return answer.values;
  };

  /** Waits while the tenant has no memory for more objects; what was made beyond it is made again, when there is enough. */
  const performWithin = async (job: ChartJob, within: ChartJobOptions): Promise<readonly ValueText[]> => {
    for (let wanted = 1; ; ) {
      if (budget.hasRoom(within.tenant, wanted)) {
        const texts = await performWith(job, within);
        // Each object is copied before it is applied.
        const bytes = 2 * texts.reduce((sum, { memory }) => sum + memory, 0);
        if (bytes > manifests.maxBytesPerTenant)
          throw new ProviderError('terminal', `cannot render the chart: ${tooLarge(manifests)}`);
        if (budget.hold(within.tenant, bytes, within.signal)) return texts;
        wanted = bytes;
      }
      await sleep(clock, RETRY_MS, within.signal);
    }
  };

  return {
    run: async (job, within) => {
      const breathe = createBreather(clock);
      const values: ChartValue[] = [];
      for (const { source, json } of await performWithin(job, within)) {
        values.push({ source, value: JSON.parse(json) });
        await breathe();
      }
      return values;
    },
    unpack: (job, { tenant, signal }) =>
      unpacking.run(job, { group: tenant, signal }).catch((error: unknown) => {
        throw errorOf(
          error,
          job.make === 'files of a commit' ? 'cannot unpack the repository' : 'cannot unpack the archive',
        );
      }),
    close: () => pool.close(),
  };
}

const tooLarge = ({ maxBytesPerTenant }: SharesOptions) =>
  `its objects need more than ${Math.floor(maxBytesPerTenant / MIB)} MiB of memory`;

/** Counts the objects of charts that attempts work with. */
interface ManifestBudget {
  hasRoom(tenant: string, bytes: number): boolean;
  /** Counts the bytes until the signal is aborted, which is the end of the attempt. False if they are not there. */
  hold(tenant: string, bytes: number, signal: AbortSignal): boolean;
}

export function createManifestBudget(limits: SharesOptions): ManifestBudget {
  const shares = createShares(limits);
  return {
    hasRoom: (tenant, bytes) => {
      const share = shares.of(tenant);
      if (!share.take(bytes)) return false;
      share.give(bytes);
      return true;
    },
    hold: (tenant, bytes, signal) => {
      if (signal.aborted) return true;
      const share = shares.of(tenant);
      if (!share.take(bytes)) return false;
      signal.addEventListener('abort', () => share.give(bytes), { once: true });
      return true;
    },
  };
}

import type { Deps } from '../base/deps.ts';
import { ProviderError } from '../base/errors/errors.ts';
import { createWorkerPool, WorkerStoppedError } from '../process/index.ts';
import type { ChartRenderer, RandomValues } from './chart-renderer.ts';
import type { ChartAnswer, ChartJob } from './chart-thread.ts';

export interface ChartRendererOptions extends Pick<Deps, 'clock'> {
  /** Threads. Default 1. */
  readonly size?: number;
  /** Time of one rendering, in ms; then it is ended with its thread. Default 35000: the limit of the engine is lower. */
  readonly deadlineMs?: number;
  /** Heap of a thread, in MiB. Default 256. */
  readonly heapMb?: number;
}

/** Of the documents of a chart. */
const MAX_RESULT_BYTES = 32 * 1024 * 1024;

/** Renders charts in threads of their own, which end when there is nothing to do. */
export function createChartRenderer(options: ChartRendererOptions): ChartRenderer {
  const { clock, size = 1, deadlineMs = 35_000, heapMb = 256 } = options;
  const pool = createWorkerPool<ChartJob, ChartAnswer>({
    clock,
    name: 'charts',
    entry: async () => (await import('./chart-thread.ts')).url,
    size,
    deadlineMs,
    heapMb,
    maxResultBytes: MAX_RESULT_BYTES,
  });
  const run = async (job: ChartJob, options: { readonly group: string; readonly signal: AbortSignal }) => {
    try {
      const answer = await pool.run(job, options);
      if (typeof answer === 'object' && 'refused' in answer)
        throw new ProviderError(answer.refused.kind, answer.refused.message);
      return answer;
    } catch (error) {
      if (!(error instanceof WorkerStoppedError)) throw error;
      const limits = {
        time: `${deadlineMs} ms`,
        memory: `${heapMb} MiB of memory`,
        result: `${MAX_RESULT_BYTES} bytes of documents`,
      };
      const message = `cannot render the chart: it needs more than ${limits[error.limit]}`;
      throw new ProviderError(error.kind, message, { cause: error });
    }
  };
  return {
    render: async (request, { group, signal, random }) => {
      const options = { group, signal };
      // Most charts make no random values: what is stored is read for the others alone.
      let answer = await run(random === undefined ? { request } : { request, recorded: 'unknown' }, options);
      if (answer === 'random values wanted')
        answer = await run({ request, recorded: (await random?.read()) ?? NONE }, options);
      if (answer === 'random values wanted') throw new ProviderError('bug', 'random values are wanted twice');
      if (answer.made !== undefined) await random?.write(answer.made);
      return answer.documents;
    },
    close: () => pool.close(),
  };
}

const NONE: RandomValues = { salt: '', values: {} };

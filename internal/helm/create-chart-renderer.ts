import type { Deps } from '../base/deps.ts';
import { ProviderError } from '../base/errors/errors.ts';
import { createWorkerPool, WorkerStoppedError } from '../process/index.ts';
import type { ChartRenderer, RenderRequest } from './chart-renderer.ts';
import type { ChartAnswer } from './chart-thread.ts';

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
  const pool = createWorkerPool<RenderRequest, ChartAnswer>({
    clock,
    name: 'charts',
    entry: async () => (await import('./chart-thread.ts')).url,
    size,
    deadlineMs,
    heapMb,
    maxResultBytes: MAX_RESULT_BYTES,
  });
  return {
    render: async (request, { group, signal }) => {
      try {
        const answer = await pool.run(request, { group, signal });
        if ('documents' in answer) return answer.documents;
        throw new ProviderError(answer.refused.kind, answer.refused.message);
      } catch (error) {
        if (!(error instanceof WorkerStoppedError)) throw error;
        const limits = {
          time: `${deadlineMs} ms`,
          memory: `${heapMb} MiB of memory`,
          result: `${MAX_RESULT_BYTES} bytes of documents`,
        };
        throw new ProviderError(
          error.kind,
          `cannot render the chart: it needs more than ${limits[error.limit]}`,
          {
            cause: error,
          },
        );
      }
    },
    close: () => pool.close(),
  };
}

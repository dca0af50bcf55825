/** The thread of the tests: it is told what to do. */
import { serveJobs } from './serve-jobs.ts';

export const url = import.meta.url;

export type SampleJob =
  | { readonly do: 'echo'; readonly value: unknown }
  | { readonly do: 'loop' | 'allocate' | 'throw' | 'exit' | 'exit later' };

await serveJobs(url, async () => (job: SampleJob): unknown => {
  switch (job.do) {
    case 'echo':
      return job.value;
    case 'loop':
      for (;;);
    case 'allocate': {
      const kept: unknown[] = [];
      for (;;) kept.push(new Array(1e5).fill(kept.length));
    }
    case 'exit later':
      setTimeout(() => process.exit(3), 10);
      return undefined;
    case 'throw':
      throw new RangeError('s3cr3t');
    default:
      return process.exit(3);
  }
});

/** The process of the tests: it is told what to do. */
import { serveJobs } from './serve-jobs.ts';

export const url = import.meta.url;

export type SampleJob =
  | { readonly do: 'echo'; readonly value: unknown }
  | { readonly do: 'take'; readonly ms: number }
  /** What it allocates stays, as garbage of a real job does for a while. */
  | { readonly do: 'keep'; readonly bytes: number }
  | {
      readonly do:
        | 'loop'
        | 'allocate'
        | 'allocate at once'
        | 'buffers'
        | 'grow a map'
        | 'throw'
        | 'exit'
        | 'exit later';
    };

const retained: Buffer[] = [];

function take(ms: number): number {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return ms;
}

await serveJobs(url, async () => (job: SampleJob): unknown => {
  switch (job.do) {
    case 'echo':
      return job.value;
    case 'take':
      return take(job.ms);
    case 'keep':
      retained.push(Buffer.alloc(job.bytes, 1));
      // Until the memory was looked at.
      take(200);
      return job.bytes;
    case 'loop':
      for (;;);
    case 'allocate': {
      const kept: unknown[] = [];
      for (;;) kept.push(new Array(1e5).fill(kept.length));
    }
    case 'allocate at once': {
      const large = new Array(5e6).fill(0);
      const kept: unknown[] = [];
      for (;;) kept.push(large.slice());
    }
    case 'grow a map': {
      const map = new Map<number, number>();
      for (let n = 0; ; n++) map.set(n, n);
    }
    case 'buffers': {
      const kept: unknown[] = [];
      for (;;) kept.push(Buffer.alloc(1e6, 1));
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

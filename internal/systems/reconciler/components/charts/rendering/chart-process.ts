/** The process in which archives and packs of Git are unpacked, and charts read and rendered: others choose what that costs. */
import { serveJobs } from '../../../../../framework/process/index.ts';

import type { UnpackJob } from '../sources/unpack-jobs.ts';
import type { ChartJob } from './perform-chart-job.ts';

export const url = import.meta.url;

await serveJobs(url, async () => async (job: ChartJob | UnpackJob) => {
  if (job.make === 'files of a commit' || job.make === 'files of an archive') {
    return await (await import('../sources/perform-unpack-job.ts')).performUnpackJob(job);
  }
  return await (await import('./perform-chart-job.ts')).performChartJob(job);
});

/** The process in which packs of Git are unpacked, and charts read and rendered: others choose what that costs. */
import { serveJobs } from '../../../../../framework/process/index.ts';

import type { GitJob } from '../sources/git/perform-git-job.ts';
import type { ChartJob } from './perform-chart-job.ts';

export const url = import.meta.url;

await serveJobs(url, async () => async (job: ChartJob | GitJob) => {
  if (job.make === 'files of a commit') {
    return await (await import('../sources/git/perform-git-job.ts')).performGitJob(job);
  }
  return await (await import('./perform-chart-job.ts')).performChartJob(job);
});

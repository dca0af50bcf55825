/** The process in which charts are read and rendered: others choose what that costs. */
import { serveJobs } from '../../../../../framework/process/workers/serve-jobs.ts';

export const url = import.meta.url;

await serveJobs(url, async () => (await import('./perform-chart-job.ts')).performChartJob);

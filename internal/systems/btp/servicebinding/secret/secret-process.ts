/** The process in which Secrets are made from templates: users choose what a template costs. */
import { serveJobs } from '../../../../framework/process/index.ts';

export const url = import.meta.url;

await serveJobs(url, async () => (await import('./secret-job.ts')).answerJob);

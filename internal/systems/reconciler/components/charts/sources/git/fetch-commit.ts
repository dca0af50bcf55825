import { join } from 'node:path';
import { saveDownload } from '../archives/download.ts';
import type { FetchWork } from '../model/revision.ts';
import { SourceError } from '../model/source-error.ts';
import { fetchPack } from './fetch-pack.ts';
import type { GitRepository } from './git-revision.ts';
import type { GitFiles, GitJob, GitResult } from './perform-git-job.ts';

/** Performs jobs in processes of their own; rejects with the signal's reason once the job has ended. */
export interface GitJobs {
  unpack(job: GitJob, options: { readonly tenant: string; readonly signal: AbortSignal }): Promise<GitResult>;
}

export interface FetchCommitOptions extends Pick<FetchWork, 'content' | 'scratch' | 'limits' | 'signal'> {
  readonly jobs: GitJobs;
  readonly tenant: string;
}

/**
 * Fetches one commit without its history and writes its files. Here its bytes are only saved.
 *
 * @throws SourceError beyond a limit, and for paths that are refused
 */
export async function fetchCommit(
  repository: GitRepository,
  commit: string,
  { jobs, tenant, content, scratch, limits, signal }: FetchCommitOptions,
): Promise<GitFiles> {
  const pack = join(scratch, 'pack');
  await saveDownload(fetchPack(repository, commit), pack);
  repository.http.assertComplete();
  const job: GitJob = { make: 'files of a commit', pack, commit, content, limits };
  const result = await jobs.unpack(job, { tenant, signal });
  if ('refused' in result) throw new SourceError(result.refused.kind, result.refused.message);
  return result;
}

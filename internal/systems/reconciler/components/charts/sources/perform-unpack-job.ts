import { mkdir, rm } from 'node:fs/promises';
import { messageOf, ProviderError } from '../../../../../framework/base/index.ts';
import { createTargetFolder } from './cache/target-folder.ts';
import { unpackCommit } from './git/unpack-commit.ts';
import { unpackArchive } from './unpack-archive.ts';
import type { UnpackedFiles, UnpackJob, UnpackResult } from './unpack-jobs.ts';

export async function performUnpackJob(job: UnpackJob): Promise<UnpackResult> {
  try {
    return await unpack(job);
  } catch (error) {
    const kind = error instanceof ProviderError ? error.kind : 'transient';
    return { refused: { kind, message: messageOf(error) } };
  }
}

/** @throws SourceError beyond a limit, for paths that are refused, and for damaged content */
async function unpack(job: UnpackJob): Promise<UnpackedFiles> {
  const { content, limits } = job;
  // A job that had to make room for others is done again.
  await rm(content, { recursive: true, force: true });
  await mkdir(content);
  const target = createTargetFolder(content, limits);
  let leftOut: readonly string[] = [];
  if (job.make === 'files of a commit') leftOut = await unpackCommit(job, target);
  else await unpackArchive(job.file, target, limits);
  const { files, bytes } = target;
  return { leftOut, files, bytes };
}

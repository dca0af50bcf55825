import type { ErrorKind } from '../../../../../framework/base/index.ts';
import { SourceError, type SourceLimits } from './chart-source.ts';

/**
 * Unpacks what a source has sent. Others choose what reading it costs, such as headers of megabytes, so that it is done in a process of its
 * own.
 */
export type UnpackJob = CommitJob | ArchiveJob;

/** Writes the files of a commit. */
export interface CommitJob extends UnpackedTo {
  readonly make: 'files of a commit';
  /** The path of a pack that has the commit, its trees and files. */
  readonly pack: string;
  readonly commit: string;
}

/** Writes the files of an archive. */
export interface ArchiveJob extends UnpackedTo {
  readonly make: 'files of an archive';
  /** The path of a tar.gz or zip file. */
  readonly file: string;
}

interface UnpackedTo {
  /** The folder of the files. What is in it is removed. */
  readonly content: string;
  readonly limits: SourceLimits;
}

export interface UnpackedFiles {
  /** Paths that were left out: symbolic links and submodules of a commit. */
  readonly leftOut: readonly string[];
  readonly files: number;
  readonly bytes: number;
}

export type UnpackResult =
  | UnpackedFiles
  | { readonly refused: { readonly message: string; readonly kind: ErrorKind } };

interface UnpackOptions {
  readonly tenant: string;
  readonly signal: AbortSignal;
}

/** Performs jobs in processes of their own; rejects with the signal's reason once the job has ended. */
export interface UnpackJobs {
  unpack(job: UnpackJob, options: UnpackOptions): Promise<UnpackResult>;
}

/** @throws SourceError beyond a limit, and for content that is refused */
export async function unpackWith(
  jobs: UnpackJobs,
  job: UnpackJob,
  options: UnpackOptions,
): Promise<UnpackedFiles> {
  const result = await jobs.unpack(job, options);
  if ('refused' in result) throw new SourceError(result.refused.kind, result.refused.message);
  return result;
}

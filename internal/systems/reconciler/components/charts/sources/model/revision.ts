import type { SourceLimits } from './limits.ts';

/** A folder that gets the files of an untrusted source, within limits of size and number. */
export interface TargetFolder {
  /** Files and folders. */
  readonly files: number;
  readonly bytes: number;
  /** @throws SourceError for an unsafe path, or beyond a limit */
  addFolder(path: string): Promise<void>;
  /** @throws SourceError for an unsafe path, one that was there before, or beyond a limit */
  addFile(path: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
}

/** What the cache knows of a fetched revision. */
export interface RevisionFacts {
  /** Without credentials. */
  readonly source: string;
  /** A commit or a digest. */
  readonly revision: string;
  readonly bytes: number;
  readonly files: number;
  /** Symbolic links and submodules of a Git repository, which are not in the folder. */
  readonly leftOut: readonly string[];
}

/** A revision by the name of its folder, and how it is fetched. */
export interface WantedRevision {
  readonly name: string;
  /** Without credentials. */
  readonly source: string;
  /** Undefined: any that was fetched from the source. */
  readonly revision: string | undefined;
  /** What it returns of `bytes` and `files` was written past `target`. */
  fetch(
    work: FetchWork,
  ): Promise<Pick<RevisionFacts, 'revision' | 'leftOut'> & Partial<Pick<RevisionFacts, 'bytes' | 'files'>>>;
}

export interface FetchWork {
  /** The folder that becomes that of the revision. */
  readonly content: string;
  /** Writes to `content`. */
  readonly target: TargetFolder;
  /** An empty folder that is removed afterwards. */
  readonly scratch: string;
  readonly limits: SourceLimits;
  /** Whose share of the processes it takes. */
  readonly tenant: string;
  /** Ends with the time of a fetch, or when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

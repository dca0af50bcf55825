import { promises as files } from 'node:fs';
import type { SourceLimits } from '../model/limits.ts';
import type { TargetFolder } from '../model/revision.ts';
import { refused } from '../model/source-error.ts';
import type { GitRepository } from './git-revision.ts';
import { assertPackWithin } from './pack-limits.ts';

/** More links and submodules than this are refused. */
const MAX_LEFT_OUT = 1000;
const SYMBOLIC_LINK = '120000';

export interface FetchCommitOptions {
  /** An empty folder for the objects of Git; the caller removes it. */
  readonly gitFolder: string;
  readonly target: TargetFolder;
  readonly limits: SourceLimits;
  readonly signal: AbortSignal;
}

/**
 * Fetches one commit without its history and writes its files.
 *
 * @returns paths that were left out: symbolic links and submodules
 * @throws SourceError beyond a limit, and for paths that are refused
 */
export async function fetchCommit(
  { http, url }: GitRepository,
  commit: string,
  { gitFolder, target, limits, signal }: FetchCommitOptions,
): Promise<readonly string[]> {
  const { addRemote, fetch, init, readBlob, readCommit, readTree } = await import('./git-library.ts');
  const fs = { promises: { ...files, writeFile: checkedWrites(limits, signal) } };
  const cache = {};
  const git = { fs, gitdir: gitFolder, cache };
  await init({ fs, gitdir: gitFolder, bare: true });
  await addRemote({ fs, gitdir: gitFolder, remote: 'origin', url });
  await fetch({
    ...git,
    http,
    url,
    remote: 'origin',
    ref: commit,
    depth: 1,
    singleBranch: true,
    tags: false,
  });
  signal.throwIfAborted();

  const leftOut: string[] = [];
  const leaveOut = (path: string) => {
    leftOut.push(path);
    if (leftOut.length > MAX_LEFT_OUT) throw refused(`the repository has more than ${MAX_LEFT_OUT} links`);
  };
  const write = async (oid: string, folder: string): Promise<void> => {
    signal.throwIfAborted();
    const { tree } = await readTree({ ...git, oid });
    for (const entry of tree) {
      const path = folder === '' ? entry.path : `${folder}/${entry.path}`;
      if (entry.type === 'tree') {
        await target.addFolder(path);
        await write(entry.oid, path);
      } else if (entry.type === 'commit' || entry.mode === SYMBOLIC_LINK) {
        leaveOut(path);
      } else {
        const { blob } = await readBlob({ ...git, oid: entry.oid });
        await target.addFile(path, [blob]);
      }
    }
  };
  const { commit: content } = await readCommit({ ...git, oid: commit });
  await write(content.tree, '');
  return leftOut;
}

/** isomorphic-git writes the pack to a file before it unpacks it. */
function checkedWrites(limits: SourceLimits, signal: AbortSignal): typeof files.writeFile {
  return async (path, data, options) => {
    if (typeof path === 'string' && path.endsWith('.pack') && data instanceof Uint8Array) {
      await assertPackWithin(data, limits, signal);
    }
    await files.writeFile(path, data, options);
  };
}

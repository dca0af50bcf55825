import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { tool } from '../../environment/tool.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** In seconds. */
const DAY = 24 * 3600;

/** Sources of this repository as they were. */
export interface PreviousVersion {
  /** A tag or a commit. */
  readonly name: string;
  /** Its work tree. */
  readonly root: string;
  remove(): Promise<void>;
}

/**
 * The newest release before this commit; without a release, the last commit that is a day older.
 *
 * @param directory for the work tree
 * @returns undefined where the history has neither, as in a shallow clone
 */
export async function previousVersion(directory: string): Promise<PreviousVersion | undefined> {
  const git = async (...args: string[]) => (await tool('git', ['-C', ROOT, ...args])).trim();
  const name = await git('describe', '--tags', '--match=v*', '--abbrev=0', 'HEAD^')
    .catch(async () => {
      const seconds = Number(await git('log', '-1', '--format=%ct'));
      return git('rev-list', '-1', '--abbrev-commit', `--before=${seconds - DAY}`, 'HEAD');
    })
    .catch(() => '');
  if (name === '') return undefined;
  const root = join(directory, 'previous');
  await git('worktree', 'add', '--detach', root, name);
  // Its dependencies are those of this version: what it imports is still there.
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return { name, root, remove: async () => void (await git('worktree', 'remove', '--force', root)) };
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** One commit that is no merge. */
export interface Commit {
  /** First 12 digits, however many are unique today. */
  readonly id: string;
  /** First line of its message. */
  readonly subject: string;
}

/** The facts of the repository that a release needs. */
export interface GitHistory {
  /** Full id of the commit that is released. */
  readonly revision: string;
  /** Day of that commit, `2026-11-21`, in UTC. */
  readonly date: string;
  /** Files that differ from that commit. */
  readonly uncommitted: readonly string[];
  /** The last version tag before, on the way to this commit; undefined for the first release. */
  readonly previousTag: string | undefined;
  /** Since that tag, or all; the newest first. */
  readonly commits: readonly Commit[];
}

/**
 * Reads from git what the release of HEAD contains.
 *
 * @param tag of the release; it may exist already, on HEAD and nowhere else
 */
export async function readGitHistory(root: string, tag: string): Promise<GitHistory> {
  const git = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)('git', args, {
      cwd: root,
      maxBuffer: 64e6,
      env: { ...process.env, TZ: 'UTC' },
    });
    return stdout.trimEnd();
  };
  const lines = (text: string) => text.split('\n').filter((line) => line !== '');
  const revision = await git('rev-parse', 'HEAD');
  const tagged = await git('rev-parse', '--verify', '--quiet', `refs/tags/${tag}^{commit}`).catch(() => '');
  if (tagged !== '' && tagged !== revision) {
    throw new Error(`cannot release ${tag}: the tag is set, at commit ${tagged.slice(0, 12)}`);
  }
  const previousTag = await git(
    'describe',
    '--tags',
    '--abbrev=0',
    '--match=v[0-9]*',
    `--exclude=${tag}`,
  ).catch(() => undefined);
  const range = previousTag === undefined ? 'HEAD' : `${previousTag}..HEAD`;
  const log = await git('log', '--no-merges', '--abbrev=12', '--format=%h %s', range);
  return {
    revision,
    date: (await git('log', '-1', '--format=%cd', '--date=format-local:%Y-%m-%d')).trim(),
    uncommitted: lines(await git('status', '--porcelain')),
    previousTag,
    commits: lines(log).map((line) => ({ id: line.slice(0, 12), subject: line.slice(13) })),
  };
}

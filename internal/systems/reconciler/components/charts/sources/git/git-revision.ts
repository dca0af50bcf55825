import { SourceError } from '../chart-source.ts';
import type { GitRepository } from './git-http.ts';
import { readReferences } from './references.ts';

/**
 * The commit that a version names now: `PR-<n>` the head of that pull request, else a branch, else a tag, else a commit by
 * its 40 digits; an empty one the head of the default branch.
 *
 * @throws SourceError of kind `not-found`
 */
export async function resolveRevision(repository: GitRepository, version: string): Promise<string> {
  if (isCommit(version)) return version;
  const names = referencesOf(version);
  const commits = await readReferences(repository, names);
  for (const name of names) {
    const commit = commits.get(name);
    if (commit !== undefined) return commit;
  }
  const short = /^[0-9a-f]{7,39}$/.test(version) ? ' (commits need all 40 digits)' : '';
  throw new SourceError('not-found', `${repository.url} has no ${describe(version)}${short}`);
}

/** A commit by its 40 digits. */
export const isCommit = (version: string): boolean => /^[0-9a-f]{40}$/.test(version);

function referencesOf(version: string): readonly string[] {
  if (version === '') return ['HEAD'];
  const pull = /^PR-(\d+)$/.exec(version)?.[1];
  if (pull !== undefined) return [`refs/pull/${pull}/head`];
  return [`refs/heads/${version}`, `refs/tags/${version}`];
}

const describe = (version: string): string => {
  if (version === '') return 'default branch';
  return version.startsWith('PR-') ? `pull request ${version.slice(3)}` : `branch or tag ${version}`;
};

import type { ServerRef } from 'isomorphic-git';
import { SourceError } from '../chart-source.ts';
import type { GitHttp } from './git-http.ts';

export interface GitRepository {
  readonly http: GitHttp;
  /** Without user and password. */
  readonly url: string;
}

/**
 * The commit that a version names now: `PR-<n>` the head of that pull request, else a branch, else a tag, else a commit by
 * its 40 digits; an empty one the head of the default branch.
 *
 * @throws SourceError of kind `not-found`
 */
export async function resolveRevision(repository: GitRepository, version: string): Promise<string> {
  if (isCommit(version)) return version;
  for (const reference of referencesOf(version)) {
    const commit = await commitOf(repository, reference);
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

/** An annotated tag is an object of its own, which names the commit. */
async function commitOf({ http, url }: GitRepository, reference: string): Promise<string | undefined> {
  const { listServerRefs } = await import('./git-library.ts');
  const refs: readonly ServerRef[] = await listServerRefs({
    http,
    url,
    prefix: reference,
    peelTags: true,
    symrefs: true,
  });
  const found = refs.find(({ ref }) => ref === reference);
  const peeled = refs.find(({ ref }) => ref === `${reference}^{}`);
  return found?.peeled ?? peeled?.oid ?? found?.oid;
}

import { createHash } from 'node:crypto';
import { refused, type SourceLimits, shownUrl, type WantedRevision } from '../chart-source.ts';
import { basicFor, type HostCredential, requestsOf, type SourceHttp } from '../source-http.ts';
import { fetchCommit, type GitJobs } from './fetch-commit.ts';
import { createGitHttp, type GitRepository } from './git-http.ts';
import { resolveRevision } from './git-revision.ts';
import type { GitToken } from './git-token.ts';

export interface GitSourceOptions {
  readonly http: SourceHttp;
  readonly limits: SourceLimits;
  readonly token: GitToken;
  readonly jobs: GitJobs;
  /** Who asks what the version names. */
  readonly tenant: string;
}

/** It is in the memory of the process that unpacks it. That of the repository of Kyma has 20 MB. */
const MAX_PACK_BYTES = 32 * 1024 * 1024;
/** References of the repository of Kyma with all its pull requests take 3 MB. */
const MAX_REFERENCES_BYTES = 16 * 1024 * 1024;

/**
 * The commit that a version of a repository names now, as a revision of the cache.
 *
 * @param name ends the name of the folder
 */
export async function gitRevision(
  { url, version, name }: { readonly url: URL; readonly version: string; readonly name: string },
  { http, limits, token, jobs, tenant: asking }: GitSourceOptions,
  signal: AbortSignal,
): Promise<WantedRevision> {
  const credential = credentialOf(url, token);
  const source = shownUrl(url);
  const repositoryOf = (tenant: string, maxBytes: number, until: AbortSignal): GitRepository => ({
    url: source,
    http: createGitHttp({ http: requestsOf(tenant, http), credential, maxBytes, signal: until }),
  });
  const commit = await resolveRevision(repositoryOf(asking, MAX_REFERENCES_BYTES, signal), version);
  return {
    name: `${commit.slice(0, 8)}-${digest([source, commit, ...userOf(url)].join(' '))}-${name}`,
    source,
    revision: commit,
    fetch: async ({ content, scratch, limits: within, tenant, signal: until }) => {
      const options = { jobs, tenant, content, scratch, limits: within, signal: until };
      const maxBytes = Math.min(limits.maxDownloadBytes, MAX_PACK_BYTES);
      const written = await fetchCommit(repositoryOf(tenant, maxBytes, until), commit, options);
      return { revision: commit, ...written };
    },
  };
}

/** The first digits of a commit are not enough: a hostile repository could have a commit with those of another. */
const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** A commit that its digits name is not asked for again: what was fetched with a password is for those who have it. */
const userOf = ({ username, password }: URL): readonly string[] =>
  username === '' && password === '' ? [] : [username, password];

/** A user and password in the URL come before the token. */
function credentialOf(url: URL, token: GitToken): HostCredential | undefined {
  const { username, password } = url;
  if (username !== '' || password !== '') {
    return basicFor(url, decoded(username), decoded(password));
  }
  const secret = token.for(url);
  return secret === undefined ? undefined : basicFor(url, 'git', secret);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw refused('the user or password of the URL of a Git repository is not encoded as in URLs');
  }
}

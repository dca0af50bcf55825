import { createHash } from 'node:crypto';
import { shownUrl } from '../model/chart-source.ts';
import type { SourceLimits } from '../model/limits.ts';
import type { WantedRevision } from '../model/revision.ts';
import type { SourceHttp } from '../transport/source-http.ts';
import { fetchCommit } from './fetch-commit.ts';
import { gitErrorOf } from './git-error.ts';
import { createGitHttp } from './git-http.ts';
import { type GitRepository, resolveRevision } from './git-revision.ts';

export interface GitSourceOptions {
  readonly http: SourceHttp;
  readonly limits: SourceLimits;
  /** The password of basic authentication; default none. */
  readonly token: string | undefined;
}

/** References of the repository of Kyma with all its pull requests take 3 MB. */
const MAX_REFERENCES_BYTES = 16 * 1024 * 1024;

/**
 * The commit that a version of a repository names now, as a revision of the cache.
 *
 * @param name ends the name of the folder
 */
export async function gitRevision(
  { url, version, name }: { readonly url: URL; readonly version: string; readonly name: string },
  { http, limits, token }: GitSourceOptions,
  signal: AbortSignal,
): Promise<WantedRevision> {
  const authorization = authorizationOf(url, token);
  const source = shownUrl(url);
  /** Calls isomorphic-git; replaces its errors by those of the response, or by ours. */
  const withRepository = async <T>(
    maxBytes: number,
    until: AbortSignal,
    act: (repository: GitRepository) => Promise<T>,
  ): Promise<T> => {
    const git = createGitHttp({ http, authorization, maxBytes, signal: until });
    try {
      const result = await act({ url: source, http: git });
      git.assertComplete();
      return result;
    } catch (error) {
      until.throwIfAborted();
      git.assertComplete();
      throw gitErrorOf(error, source);
    }
  };
  const commit = await withRepository(MAX_REFERENCES_BYTES, signal, (repository) =>
    resolveRevision(repository, version),
  );
  return {
    name: `${commit.slice(0, 8)}-${digest(`${source} ${commit}`)}-${name}`,
    source,
    revision: commit,
    host: url.host,
    fetch: async ({ target, scratch, limits: within, signal: until }) => {
      const options = { gitFolder: scratch, target, limits: within, signal: until };
      const leftOut = await withRepository(limits.maxDownloadBytes, until, (repository) =>
        fetchCommit(repository, commit, options),
      );
      return { revision: commit, leftOut };
    },
  };
}

/** The first digits of a commit are not enough: a hostile repository could have a commit with those of another. */
const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** A user and password in the URL come before the token. */
function authorizationOf({ username, password }: URL, token: string | undefined): string | undefined {
  if (username !== '' || password !== '') {
    return basic(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  }
  return token === undefined || token === '' ? undefined : basic(`git:${token}`);
}

const basic = (credentials: string): string => `Basic ${Buffer.from(credentials).toString('base64')}`;

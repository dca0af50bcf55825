import { createHash } from 'node:crypto';
import { compoundKey, InvalidConfigurationError } from '../../../../../../framework/base/index.ts';
import { refused, SourceError, type SourceLimits, shownUrl, type WantedRevision } from '../chart-source.ts';
import { basicFor, type HostCredential, requestsOf, type SourceHttp } from '../source-http.ts';
import type { UnpackJobs } from '../unpack-jobs.ts';
import { fetchCommit } from './fetch-commit.ts';
import { createGitHttp, type GitRepository } from './git-http.ts';
import { readReferences } from './references.ts';

interface GitSourceOptions {
  readonly http: SourceHttp;
  readonly limits: SourceLimits;
  readonly token: GitToken;
  readonly jobs: UnpackJobs;
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
    name: `${commit.slice(0, 8)}-${digest(compoundKey(source, commit, ...accessOf(url, token.for(url) !== undefined)))}-${name}`,
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

/** A commit that its digits name is not asked for again: what was fetched with a password, or the token, is for those who have it. */
const accessOf = ({ username, password }: URL, hasToken: boolean): readonly string[] => {
  if (username !== '' || password !== '') return [username, password];
  return hasToken ? ['token'] : [];
};

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

/** The variable GIT_CLONE_TOKEN: a secret of the operator. URLs of components are chosen by tenants. */
export interface GitToken {
  /** The token if the operator's configuration names the host of the URL, over HTTPS. */
  for(url: URL): string | undefined;
}

/** For those who must not use it: they could name any repository of its hosts. */
export const noGitToken: GitToken = { for: () => undefined };

interface GitTokenOptions {
  /** Default none. */
  readonly token?: string | undefined;
  /** The variable GIT_CLONE_TOKEN_HOSTS: `host`, `host:port` or an origin, separated by commas. Default `defaultOrigin`. */
  readonly hosts?: string | undefined;
  /** The origin of the repository of Kyma. */
  readonly defaultOrigin: string;
}

/** @throws InvalidConfigurationError for hosts that cannot be read */
export function createGitToken({ token, hosts, defaultOrigin }: GitTokenOptions): GitToken {
  // A line break at the end of a Secret is no part of a token (RFC 6750, 2.1).
  const secret = token?.trim() ?? '';
  const named = (hosts ?? '').split(',').flatMap((entry) => entry.trim() || []);
  const origins = new Set(named.length === 0 ? [defaultOrigin] : named.map(originOf));
  return { for: ({ origin }) => (secret !== '' && origins.has(origin) ? secret : undefined) };
}

function originOf(entry: string): string {
  const url = URL.parse(entry.includes('://') ? entry : `https://${entry}`);
  if (url !== null && ['https:', 'http:'].includes(url.protocol) && url.href === `${url.origin}/`) {
    return url.origin;
  }
  throw new InvalidConfigurationError(
    'cannot use GIT_CLONE_TOKEN_HOSTS: want hosts separated by commas, each with a port if it is not 443',
  );
}

import { InvalidConfigurationError } from '../../../../../../framework/base/index.ts';

/** The variable GIT_CLONE_TOKEN: a secret of the operator. URLs of components are chosen by tenants. */
export interface GitToken {
  /** The token if the operator's configuration names the host of the URL, over HTTPS. */
  for(url: URL): string | undefined;
}

export interface GitTokenOptions {
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

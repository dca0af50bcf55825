import type { HostCredential, SourceHttpResponse, TenantHttp } from '../source-http.ts';

export interface GitHttpOptions {
  readonly http: TenantHttp;
  readonly credential: HostCredential | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface GitRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A POST; default: a GET. */
  readonly body?: Uint8Array;
}

/** HTTP of Git, over the checked connections. One for each fetch. */
export interface GitHttp {
  request(request: GitRequest): Promise<Pick<SourceHttpResponse, 'headers' | 'body'>>;
}

export interface GitRepository {
  readonly http: GitHttp;
  /** Without user and password. */
  readonly url: string;
}

export function createGitHttp({ http, credential, maxBytes, signal }: GitHttpOptions): GitHttp {
  /** Where a repository is after a redirect of its first request, as Git follows it. */
  let moved: { readonly from: string; readonly to: string } | undefined;
  return {
    request: async ({ url, headers, body }) => {
      const target =
        moved !== undefined && url.startsWith(moved.from) ? moved.to + url.slice(moved.from.length) : url;
      const response = await http.send(
        {
          method: body === undefined ? 'GET' : 'POST',
          url: new URL(target),
          headers,
          credential,
          maxBytes,
          ...(body && { body }),
        },
        signal,
      );
      moved ??= moveOf(url, response.url.href);
      return response;
    },
  };
}

const REFERENCES = '/info/refs';

function moveOf(asked: string, answered: string): { from: string; to: string } | undefined {
  const [from, to] = [asked, answered].map((url) => url.split(REFERENCES, 1)[0] ?? '');
  return from === undefined || to === undefined || from === to ? undefined : { from, to };
}

import type { GitHttpRequest, GitHttpResponse, HttpClient } from 'isomorphic-git';
import { collect, type HostCredential, type TenantHttp } from '../source-http.ts';

export interface GitHttpOptions {
  readonly http: TenantHttp;
  readonly credential: HostCredential | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface GitHttp extends HttpClient {
  /** Throws the error of a response that broke off, which isomorphic-git takes for the end of the response. */
  assertComplete(): void;
}

/** HTTP for isomorphic-git, over the checked connections. One for each fetch. */
export function createGitHttp({ http, credential, maxBytes, signal }: GitHttpOptions): GitHttp {
  let failure: { readonly error: unknown } | undefined;
  /** Where a repository is after a redirect of its first request, as Git follows it. */
  let moved: { readonly from: string; readonly to: string } | undefined;

  /** With `next` as a property of its own, which isomorphic-git calls. */
  async function* iterate(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* chunks;
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  }

  return {
    assertComplete: () => {
      if (failure !== undefined) throw failure.error;
    },
    request: async ({ url, method, headers = {}, body }: GitHttpRequest): Promise<GitHttpResponse> => {
      const target =
        moved !== undefined && url.startsWith(moved.from) ? moved.to + url.slice(moved.from.length) : url;
      const response = await http.send(
        {
          method: method === 'POST' ? 'POST' : 'GET',
          url: new URL(target),
          headers,
          credential,
          maxBytes,
          ...(body && { body: await collect(body) }),
        },
        signal,
      );
      moved ??= moveOf(url, response.url.href);
      return {
        url: response.url.href,
        headers: { ...response.headers },
        statusCode: response.status,
        statusMessage: '',
        body: iterate(response.body),
      };
    },
  };
}

const REFERENCES = '/info/refs';

function moveOf(asked: string, answered: string): { from: string; to: string } | undefined {
  const [from, to] = [asked, answered].map((url) => url.split(REFERENCES, 1)[0] ?? '');
  return from === undefined || to === undefined || from === to ? undefined : { from, to };
}

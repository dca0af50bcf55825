import { refused } from '../chart-source.ts';
import type { HostCredential, SourceHttpResponse, TenantHttp } from '../source-http.ts';

interface GitHttpOptions {
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

/** Of requests and of the protocol. Some servers take only programs that begin in this way for clients of Git. */
export const AGENT = 'git/provider-kyma';

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
          headers: { 'user-agent': AGENT, ...headers },
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

/** Packets of lines, in which Git frames what it says over HTTP (gitprotocol-common). */
const LENGTH_BYTES = 4;
export const FLUSH = Buffer.from('0000');
/** Between a command and its arguments (gitprotocol-v2). */
export const DELIMITER = Buffer.from('0001');

export function packet(text: string): Buffer {
  const length = LENGTH_BYTES + Buffer.byteLength(text);
  return Buffer.from(length.toString(16).padStart(LENGTH_BYTES, '0') + text);
}

/**
 * Contents of packets, undefined for a flush. Those that have come together are given together: a server may send millions of small
 * ones.
 */
export async function* packets(
  chunks: AsyncIterable<Uint8Array>,
  url: string,
): AsyncGenerator<readonly (Buffer | undefined)[], void, undefined> {
  /** Joined once a packet is whole: a server may send one byte at a time. */
  let parts: Uint8Array[] = [];
  let size = 0;
  let needed = LENGTH_BYTES;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size < needed) continue;
    const received = Buffer.concat(parts);
    const contents: (Buffer | undefined)[] = [];
    let at = 0;
    for (;;) {
      needed = LENGTH_BYTES;
      if (received.length - at < needed) break;
      const digits = received.toString('latin1', at, at + LENGTH_BYTES);
      const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
      if (length !== 0 && length < LENGTH_BYTES) throw notSmart(url);
      needed = Math.max(length, LENGTH_BYTES);
      if (received.length - at < needed) break;
      contents.push(length === 0 ? undefined : received.subarray(at + LENGTH_BYTES, at + length));
      at += needed;
    }
    parts = [received.subarray(at)];
    size = received.length - at;
    yield contents;
  }
}

export const notSmart = (url: string) =>
  refused(`${url} is not a Git repository that is served by the smart HTTP protocol`);

import { createServer, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';

export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Pages by path, e.g. `/metrics`; `/readyz/*` gets the rest of the path. */
export type Pages = Readonly<Record<string, (rest: string) => Page | Promise<Page>>>;

export interface HttpEndpoint {
  /** `host:port` as bound, with the actual port for port 0. */
  readonly address: string;
  close(): Promise<void>;
}

export const textPage = (status: number, body: string): Page => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body,
});

/**
 * Serves pages over plain HTTP until closed.
 *
 * @param address `:8080` (every interface) or `host:port`; IPv6 hosts in brackets; port 0 takes any free one
 */
export async function startHttpEndpoint(address: string, pages: Pages): Promise<HttpEndpoint> {
  const server = createServer((request, response) => {
    const [path = '/'] = (request.url ?? '/').split(/[?#]/, 1);
    const page = pageAt(pages, decoded(path));
    const get = request.method === 'GET' || request.method === 'HEAD';
    if (page === undefined) answer(response, textPage(404, 'not found\n'));
    else if (!get) answer(response, textPage(405, 'method not allowed\n'));
    else {
      Promise.resolve()
        .then(() => page())
        .then(
          (content) => answer(response, content),
          () => answer(response, textPage(500, 'internal error\n')),
        );
    }
  });
  const bound = await listen(server, address);
  return {
    address: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function pageAt(pages: Pages, path: string): (() => Page | Promise<Page>) | undefined {
  const found = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (found !== undefined) return () => found('');
  const end = path.indexOf('/', 1) + 1;
  const name = `${path.slice(0, end)}*`;
  const under = end > 0 && Object.hasOwn(pages, name) ? pages[name] : undefined;
  return under && (() => under(path.slice(end)));
}

/** Names of checks have a slash: `managed/widget.example.org`. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function answer(response: ServerResponse, page: Page): void {
  response.writeHead(page.status, { 'content-type': page.contentType, 'x-content-type-options': 'nosniff' });
  response.end(page.body);
}

import { createServer, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';

export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Pages by path, e.g. `/metrics`. */
export type Pages = Readonly<Record<string, () => Page | Promise<Page>>>;

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
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    const get = request.method === 'GET' || request.method === 'HEAD';
    if (page === undefined) answer(response, textPage(404, 'not found\n'));
    else if (!get) answer(response, textPage(405, 'method not allowed\n'));
    else {
      Promise.resolve()
        .then(page)
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

function answer(response: ServerResponse, page: Page): void {
  response.writeHead(page.status, { 'content-type': page.contentType, 'x-content-type-options': 'nosniff' });
  response.end(page.body);
}

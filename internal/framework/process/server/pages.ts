/** Pages that are read by path: metrics and probes. */
import type { RequestListener } from './request-listener.ts';

/** Pages by path, e.g. `/metrics`; `/readyz/*` gets the rest of the path. */
export type Pages = Readonly<Record<string, (rest: string) => Page | Promise<Page>>>;

export const textPage = (status: number, body: string): Page => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body,
});

/** Serves pages. Requests for the same page at the same time get the same one: a slow page is not computed for each. */
export function pagesListener(pages: Pages): RequestListener {
  const inProgress = new Map<string, Promise<Page>>();
  const compute = (path: string, page: () => Page | Promise<Page>): Promise<Page> => {
    const known = inProgress.get(path);
    if (known !== undefined) return known;
    const computed = Promise.resolve()
      .then(page)
      .catch(() => textPage(500, 'internal error\n'))
      .finally(() => inProgress.delete(path));
    inProgress.set(path, computed);
    return computed;
  };
  return async (request, response) => {
    const [encoded = '/'] = (request.url ?? '/').split(/[?#]/, 1);
    const path = decoded(encoded);
    const page = pageAt(pages, path);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const found =
      page === undefined
        ? textPage(404, 'not found\n')
        : isRead
          ? await compute(path, page)
          : textPage(405, 'method not allowed\n');
    response.writeHead(found.status, { 'content-type': found.contentType }).end(found.body);
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

/** A response as a whole. */
export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

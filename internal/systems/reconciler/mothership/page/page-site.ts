import type { PageFile } from './page-files.ts';
import { CALLBACK, type PageLogin } from './page-login.ts';

export interface PageSiteOptions {
  readonly files: ReadonlyMap<string, PageFile>;
  /** Undefined: there is no login, or a proxy has one. */
  readonly login: PageLogin | undefined;
}

/** Responds to requests for `/ui/…`. */
export type PageSite = (request: Request) => Promise<Response>;

/** Addresses of views, which the script shows. */
const VIEWS = /^\/ui\/(?:failures|reconcilers|clusters(?:\/[^/]+)?)?$/;

/** The page and its login; what it shows comes from the API. */
export function createPageSite({ files, login }: PageSiteOptions): PageSite {
  return async (request) => {
    const url = new URL(request.url);
    const cookie = request.headers.get('cookie') ?? undefined;
    if (url.pathname === '/ui/logout' && request.method === 'POST') {
      return login !== undefined && request.headers.get('sec-fetch-site') === 'same-origin'
        ? login.end()
        : nothing(403);
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return nothing(405);
    if (url.pathname === '/ui') return new Response(null, { status: 308, headers: { location: '/ui/' } });
    if (url.pathname === '/ui/login') return (await login?.begin()) ?? nothing(404);
    if (url.pathname === CALLBACK) return (await login?.finish(url, cookie)) ?? nothing(404);
    const name = VIEWS.test(url.pathname) ? 'page.html' : url.pathname.slice('/ui/'.length);
    const file = files.get(name);
    return file === undefined ? nothing(404) : fileResponse(file);
  };
}

/** The page loads and calls nothing of others, and is shown in no frame. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const fileResponse = ({ contentType, body }: PageFile): Response =>
  new Response(body, {
    headers: {
      'content-type': contentType,
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    },
  });

const nothing = (status: number): Response => new Response(null, { status });

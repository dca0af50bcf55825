import { readFile } from 'node:fs/promises';
import { firstClusters } from './browser/cluster-query.ts';
import { CALLBACK, type PageLogin } from './page-login.ts';

interface PageSiteOptions {
  readonly files: ReadonlyMap<string, PageFile>;
  /** Undefined: there is no login, or a proxy has one. */
  readonly login: PageLogin | undefined;
}

/** Responds to requests for `/ui/…`. */
type PageSite = (request: Request) => Promise<Response>;

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
    if (file === undefined) return nothing(404);
    return fileResponse(file, name === 'page.html' ? { link: preloadOf(dataOf(url)) } : {});
  };
}

/** What the script of the page asks for first in this view, as it writes it. */
function dataOf({ pathname, searchParams }: URL): string {
  const [, , view = '', id = ''] = pathname.split('/');
  if (view === 'failures') return '/v1/overview';
  if (view === 'reconcilers') return '/v1/load';
  if (view === 'clusters' && id !== '') return `/v1/clusters/${id}/details`;
  return view === 'clusters' ? `/v1/clusters?${firstClusters(searchParams)}` : '/v1/overview?window=hour';
}

/** The browser asks for the data while it still loads the script. Addresses have no characters that end one in a header. */
const preloadOf = (path: string): string => `<${path}>; rel=preload; as=fetch; crossorigin`;

/** The page loads and calls nothing of others, and is shown in no frame. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const fileResponse = ({ contentType, body }: PageFile, headers: Readonly<Record<string, string>>): Response =>
  new Response(body, {
    headers: {
      'content-type': contentType,
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
      ...headers,
    },
  });

const nothing = (status: number): Response => new Response(null, { status });

/** A file of the page. */
interface PageFile {
  readonly contentType: string;
  readonly body: string;
}

const FILES = {
  'page.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
};

/**
 * The files that the build writes beside the code. Sources that are run without a build have no page: its script is
 * TypeScript for browsers.
 *
 * @returns files by name; undefined if there are none
 */
export async function readPageFiles(
  folder = import.meta.dirname,
): Promise<ReadonlyMap<string, PageFile> | undefined> {
  const read = async ([name, contentType]: [string, string]) =>
    [name, { contentType, body: await readFile(`${folder}/${name}`, 'utf8') }] as const;
  try {
    return new Map(await Promise.all(Object.entries(FILES).map(read)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Servers without login on loopback addresses: the operator's browser reaches them too, so any web page that it shows could
 * send requests, or read answers after its name was resolved to a loopback address (DNS rebinding).
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { RequestListener } from './request-listener.ts';

/** Why a request of a browser is refused. */
interface Refusal {
  readonly status: 403 | 415;
  readonly problem: string;
}

/**
 * Passes on requests of programs, and of pages of this very server. Refused are: a name in `Host` that is no loopback name, a
 * foreign `Origin`, a foreign `Sec-Fetch-Site` (but for following a link), and a body that a browser sends in a form which
 * needs no permission of the server (Fetch standard, "CORS-safelisted" content types).
 */
export function sameOriginListener(listener: RequestListener): RequestListener {
  return (request, response) => {
    const refusal = refusalOf(request, request.rawBody.length > 0);
    if (refusal === undefined) return listener(request, response);
    response
      .writeHead(refusal.status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: refusal.problem }));
  };
}

function refusalOf(
  { headers, method }: Pick<IncomingMessage, 'headers' | 'method'>,
  hasBody: boolean,
): Refusal | undefined {
  const { host = '', origin } = headers;
  const site = headers['sec-fetch-site'];
  if (!isLoopbackHost(host)) {
    return refused('without login this server is reached by localhost or a loopback address only, see Host');
  }
  // The scheme is that of this server: a loopback name with the same port is served by it alone.
  if (origin !== undefined && URL.parse(origin)?.host !== host.toLowerCase()) {
    return refused('web pages of other origins may not send requests, see Origin');
  }
  const followsLink = method === 'GET' && headers['sec-fetch-mode'] === 'navigate';
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !followsLink) {
    return refused('web pages of other sites may not send requests, see Sec-Fetch-Site');
  }
  // Browsers before 2020 send forms without Origin and Sec-Fetch-Site.
  const isBrowser =
    [origin, site, headers.referer].some(isGiven) || isBrowserName.test(headers['user-agent'] ?? '');
  // A form without fields has no body.
  const isSent = hasBody || (method === 'POST' && origin === undefined && site === undefined);
  if (isBrowser && isSent && !/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) {
    return { status: 415, problem: 'a body needs the content type application/json' };
  }
  return undefined;
}

/** What all browsers call themselves, and no program does. */
const isBrowserName = /^Mozilla\//;

const isGiven = (value: unknown): boolean => value !== undefined;

const refused = (problem: string): Refusal => ({ status: 403, problem });

/** `localhost` and loopback addresses, with any port: a forwarded port is another one. */
function isLoopbackHost(host: string): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host.toLowerCase())?.[1];
  if (name === undefined) return false;
  if (name === '[::1]' || name === 'localhost') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}

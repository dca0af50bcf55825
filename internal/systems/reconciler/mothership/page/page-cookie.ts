/**
 * Cookies of the page. A browser sends them with each request, also when another site makes it send one: a session is
 * believed only in requests that the page itself makes.
 */
import { ApiError } from '../api/api-request.ts';

/** The ID token of the user. */
export const SESSION = 'mothership_session';
/** What a login in progress must find again: state, nonce and verifier. */
export const LOGIN = 'mothership_login';

/** Browsers keep no cookie of more than 4096 bytes with its name and attributes. */
export const MAX_COOKIE = 3800;

interface CookieOptions {
  readonly path: string;
  readonly maxAgeSeconds: number;
  readonly secure: boolean;
  /** `Lax`: sent when another site leads here, as the issuer does after a login. */
  readonly sameSite: 'Strict' | 'Lax';
}

/** A `set-cookie` header; an empty value with `maxAgeSeconds` 0 removes the cookie. */
export const cookieHeader = (
  name: string,
  value: string,
  { path, maxAgeSeconds, secure, sameSite }: CookieOptions,
): string =>
  `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;

/** The value of a cookie; undefined if there is none, or it has characters that this program never writes. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';', 64)) {
    const [found = '', value = ''] = pair.trim().split('=', 2);
    if (found === name && /^[\w.~-]{1,3800}$/.test(value)) return value;
  }
  return undefined;
}

const NO_SITE =
  'the browser does not say which site the request is from (Sec-Fetch-Site): open the page by https or localhost';

/**
 * The header `authorization` of a session, in a request that the page made itself. Browsers name the site of a request to servers with
 * https and to localhost only (W3C Fetch Metadata, "append the Fetch metadata headers").
 *
 * @throws ApiError 401 for a session in a request that names no site: another login would not help
 */
export function sessionAuthorization(headers: {
  readonly cookie: string | undefined;
  readonly site: string | undefined;
}): string | undefined {
  if (headers.site !== undefined && headers.site !== 'same-origin') return undefined;
  const token = cookieIn(headers.cookie, SESSION);
  if (token === undefined) return undefined;
  if (headers.site === undefined) throw new ApiError(401, NO_SITE);
  return `Bearer ${token}`;
}

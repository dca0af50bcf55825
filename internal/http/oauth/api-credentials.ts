import { inspect } from 'node:util';

/** How an OAuth client authenticates to the token endpoint (RFC 6749, section 2.3). */
export type ClientAuthentication =
  | { readonly method: 'client-secret'; readonly clientSecret: string }
  /** RFC 8705. PEM texts; the certificate may be a chain that begins with the client's certificate. */
  | { readonly method: 'x509'; readonly certificate: string; readonly key: string };

/** The credentials of an OAuth client for one API. */
export interface ApiCredentials {
  /** `https://host[:port][/path]`, without a trailing slash. */
  readonly baseUrl: string;
  /** The OAuth token endpoint. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly authentication: ClientAuthentication;
}

/** Printing or serialising sealed credentials shows no secret, so that an accidental log line leaks nothing. */
export function sealCredentials(credentials: ApiCredentials): ApiCredentials {
  const { baseUrl, tokenUrl, clientId } = credentials;
  const shown = () => ({ baseUrl, tokenUrl, clientId });
  const sealed = { ...credentials };
  Object.defineProperty(sealed, 'toJSON', { value: shown });
  Object.defineProperty(sealed, inspect.custom, { value: shown });
  return Object.freeze(sealed);
}

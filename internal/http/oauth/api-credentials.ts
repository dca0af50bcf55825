import { inspect } from 'node:util';
import type { ClientCertificate } from '../transport/connections.ts';

/** How an OAuth client authenticates to the token endpoint (RFC 6749, section 2.3). */
export type ClientAuthentication =
  | {
      readonly method: 'client-secret';
      readonly clientSecret: string;
      /** Also presented on all connections. Default: none. */
      readonly clientCertificate?: ClientCertificate;
    }
  /** RFC 8705. */
  | ({ readonly method: 'x509' } & ClientCertificate);

/** The credentials of an OAuth client for one API. */
export interface ApiCredentials {
  /** `https://host[:port][/path]`, without a trailing slash. */
  readonly baseUrl: string;
  /** The OAuth token endpoint. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly authentication: ClientAuthentication;
  /** Where they are, for messages about their refusal: `Secret shop/hana-admin`. Default: not said. */
  readonly source?: string;
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

/** The certificate that connections of the client present. */
export function clientCertificateOf({ authentication }: ApiCredentials): ClientCertificate | undefined {
  return authentication.method === 'x509' ? authentication : authentication.clientCertificate;
}

/** The texts that must not be in messages. */
export function secretsOf(credentials: ApiCredentials): string[] {
  const { authentication } = credentials;
  const key = clientCertificateOf(credentials)?.key;
  return [
    ...(authentication.method === 'client-secret' ? [authentication.clientSecret] : []),
    ...(key === undefined ? [] : [key]),
  ];
}

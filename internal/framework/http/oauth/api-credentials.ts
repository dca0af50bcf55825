import type { ClientCertificate } from '../transport/connections.ts';
import { seal } from './seal.ts';

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

/**
 * Printing or serialising sealed credentials shows no secret, so that an accidental log line leaks nothing. White space at the ends of an ID
 * and a secret, such as the line break of a file, is none of their characters (RFC 6749, appendix A), and is removed.
 */
export function sealCredentials({ authentication: given, ...credentials }: ApiCredentials): ApiCredentials {
  const { baseUrl, tokenUrl } = credentials;
  const clientId = credentials.clientId.trim();
  const authentication =
    given.method === 'client-secret' ? { ...given, clientSecret: given.clientSecret.trim() } : given;
  return seal({ ...credentials, clientId, authentication }, { baseUrl, tokenUrl, clientId });
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

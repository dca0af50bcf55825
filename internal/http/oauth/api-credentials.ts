/** How an OAuth client proves to the token endpoint that it is `clientId`. */
export type ClientAuthentication =
  | { readonly method: 'client-secret'; readonly clientSecret: string }
  /** RFC 8705. PEM texts; the certificate may be a chain, its first part the client's own. */
  | { readonly method: 'x509'; readonly certificate: string; readonly key: string };

/** An OAuth client that may call one API. */
export interface ApiCredentials {
  /** `https://host[:port][/path]`, without a slash at its end. */
  readonly baseUrl: string;
  /** The OAuth token endpoint. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly authentication: ClientAuthentication;
}

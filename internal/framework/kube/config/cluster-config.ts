import type { SecureContext } from 'node:tls';

/** Client and server authentication for an API server. PEM texts; empty parts are absent. */
export interface Credentials {
  /** Certificates to trust instead of the system's. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Of these PEM texts, if it was made to check them: it takes a part of a millisecond. Default: connections make their own. */
  readonly secureContext?: SecureContext;
  /** Sent with every request, e.g. `authorization`. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Address and credentials of an API server. Must not be logged. */
export interface ClusterConfig {
  /** `https://host[:port][/prefix]`, without a slash at its end. */
  readonly server: string;
  /** Checked against the server's certificate instead of the host, and sent as SNI. */
  readonly tlsServerName?: string;
  /** Only from the operator's own kubeconfig. */
  readonly skipTlsVerify?: boolean;
  /** A proxy for this cluster alone, instead of those of the environment. `http` or `https`. */
  readonly proxyUrl?: string;
  /** The namespace that the context or the pod names. */
  readonly namespace?: string;
  /**
   * The current credentials. Called before each request, so cheap. Returns the same object until a rotation.
   */
  credentials(): Promise<Credentials>;
  /**
   * Called after the server refused the credentials, or had a certificate that is not trusted: the next call of
   * `credentials` must read them again.
   */
  refused?(): void;
}

/** @returns `Basic …`, as RFC 7617 writes it */
export function basicAuth(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** A header value that is one line of visible ASCII, as a bearer token must be. */
export function isHeaderSafe(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value);
}

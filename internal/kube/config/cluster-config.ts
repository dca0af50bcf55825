/** What authenticates us to an API server, and the server to us. PEM texts; empty parts are absent. */
export interface Credentials {
  /** Certificates to trust instead of the system's. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Sent with every request, e.g. `authorization`. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Where an API server is and how to prove who we are. Never logged: its parts are credentials. */
export interface ClusterConfig {
  /** `https://host[:port][/prefix]`, without a slash at its end. */
  readonly server: string;
  /** Checked against the server's certificate instead of the host, and sent as SNI. */
  readonly tlsServerName?: string;
  /** Only an operator's own kubeconfig can ask for this. */
  readonly skipTlsVerify?: boolean;
  /** A proxy for this cluster alone, instead of those of the environment. `http` or `https`. */
  readonly proxyUrl?: string;
  /** The namespace that the context or the pod names. */
  readonly namespace?: string;
  /**
   * The credentials as of now. Asked before each request, so cheap; the same object comes back while nothing
   * changed, and another one after a rotation.
   */
  credentials(): Promise<Credentials>;
  /** Told when the server refused what `credentials` gave last: the next call should look again. */
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

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecureContext } from 'node:tls';
import { followed } from '../../base/configuration/followed.ts';
import type { Deps } from '../../base/deps.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { jsonEqual } from '../../base/json/json-value.ts';

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
  /** Others have chosen the server: whether and when its name is resolved must not concern other clusters. Default false. */
  readonly isForeign?: boolean;
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

interface InClusterOptions extends Pick<Deps, 'clock'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the service account is mounted; default `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly mount?: string;
}

/** As in client-go: kubelets replace a token long before it expires, so one read a minute is enough. */
const REREAD_MS = 60_000;

const defaultMount = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The cluster of the pod, or undefined outside of a pod. Follows rotations of token and CA. */
export async function inClusterConfig(options: InClusterOptions): Promise<ClusterConfig | undefined> {
  const { clock, env, mount = defaultMount } = options;
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT;
  if (!host || !port) return undefined;
  const { fresh, readAgain } = followed({
    ...{ clock, first: await readServiceAccount(mount), intervalMs: REREAD_MS },
    read: () => readServiceAccount(mount),
    isSame: jsonEqual,
  });
  const namespace = (await readFile(join(mount, 'namespace'), 'utf8').catch(() => '')).trim();
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ...(namespace === '' ? {} : { namespace }),
    credentials: fresh,
    refused: () => void readAgain(),
  };
}

async function readServiceAccount(mount: string): Promise<Credentials> {
  try {
    const [token, ca] = await Promise.all([
      readFile(join(mount, 'token'), 'utf8'),
      readFile(join(mount, 'ca.crt'), 'utf8'),
    ]);
    return { ca, headers: { authorization: `Bearer ${token.trim()}` } };
  } catch (cause) {
    throw new ProviderError('transient', `cannot read the pod's service account in ${mount}`, { cause });
  }
}

/**
 * Kubeconfigs from Secrets are untrusted. They must not run programs in the pod, read its files (such as the token of the
 * service account) or use a server without verification; each of these is refused with the reason. client-node is not
 * used, since it reads files while it parses.
 *
 * Errors do not quote the kubeconfig, not even its names.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { YamlLimits } from '../../base/configuration/configuration.ts';
import { valueAt } from '../../base/json/json-value.ts';
import { trimTrailing } from '../../base/text/text.ts';
import { basicAuth, type ClusterConfig, type Credentials, isHeaderSafe } from './cluster-config.ts';
import {
  currentContext,
  decodedAt,
  fieldTextAt,
  isSet,
  KubeconfigError,
  optional,
  parseKubeconfig,
} from './kubeconfig-document.ts';

/**
 * A kubeconfig with one context has a few KiB and a few hundred tokens. The limits allow for more contexts and keep the
 * time to parse any text below some tens of milliseconds.
 */
const LIMITS: YamlLimits = { maxBytes: 256 * 1024, maxDepth: 16, maxTokens: 5000, maxAnchors: 100 };
const SKIP_TLS_VERIFY = 'insecure-skip-tls-verify';
/** In characters. */
const MAX_URL = 2048;
/** The longest name in DNS (RFC 1035). */
const MAX_HOST = 253;
/** Servers accept no longer header. */
const MAX_AUTHORIZATION = 16 * 1024;
/** Of each PEM text, in characters. A parsed certificate takes some twenty times as much as its text, in each cluster that is kept. */
const MAX_PEM = 16 * 1024;
/** Signing with a longer key blocks the event loop for 100 ms or more at each handshake. */
const MAX_RSA_BITS = 4096;

/** @throws KubeconfigError if the kubeconfig is invalid or refused */
export function parseUntrustedKubeconfig(text: string): ClusterConfig {
  const { context, cluster, user } = currentContext(parseKubeconfig(text, LIMITS));
  refuseDangers(cluster, user);
  const { headers, ...tls } = readCredentials(cluster, user);
  // Copies: a part of a text refers to the whole, which may have 256 KiB.
  const { headers: copied, ...texts } = structuredClone({
    headers,
    server: readServer(cluster),
    ...optional('tlsServerName', fieldTextAt(cluster, 'tls-server-name')),
    ...optional('proxyUrl', readProxy(cluster)),
    ...optional('namespace', fieldTextAt(context, 'namespace')),
  });
  const credentials = { ...tls, headers: copied };
  return { ...texts, isForeign: true, credentials: async () => credentials };
}

/**
 * The host of the API server that a kubeconfig leads to, by which its clusters share limits: not what a comment or another context
 * says, and the same however it is written. Undefined: it leads to none.
 */
export function serverHostOf(kubeconfig: string): string | undefined {
  const server = ifUsable(() => readServer(currentContext(parseKubeconfig(kubeconfig, LIMITS)).cluster));
  return server && trimTrailing(new URL(server).hostname, '.');
}

/** What must be masked in texts of a program that got the kubeconfig, also where that cannot be used. */
export function confidentialTextsOf(kubeconfig: string): string[] {
  const users = ifUsable(() => valueAt(parseKubeconfig(kubeconfig, LIMITS), ['users']));
  return [kubeconfig, ...(Array.isArray(users) ? users.flatMap((entry) => textsOfUser(entry)) : [])];
}

/** Undefined: the kubeconfig is invalid or refused. */
function ifUsable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof KubeconfigError) return undefined;
    throw error;
  }
}

function textsOfUser(entry: unknown): string[] {
  const user = valueAt(entry, ['user']);
  const fields = ['token', 'password', 'client-key-data'].map((field) => valueAt(user, [field]));
  return fields.flatMap((value) =>
    typeof value === 'string' ? [value, Buffer.from(value, 'base64').toString('utf8')] : [],
  );
}

function refuseDangers(cluster: object, user: object): void {
  if (isSet(user, 'exec')) throw new KubeconfigError('exec');
  if (isSet(user, 'auth-provider')) throw new KubeconfigError('auth-provider');
  const files: readonly (readonly [object, string])[] = [
    [cluster, 'certificate-authority'],
    [user, 'client-certificate'],
    [user, 'client-key'],
    [user, 'tokenFile'],
    [user, 'token-file'],
  ];
  for (const [where, field] of files) if (isSet(where, field)) throw new KubeconfigError('file', field);
  const skip = valueAt(cluster, [SKIP_TLS_VERIFY]);
  if (skip === true || skip === 'true') throw new KubeconfigError('insecure-skip-tls-verify');
  if (skip !== undefined && skip !== null && skip !== false)
    throw new KubeconfigError('not-boolean', SKIP_TLS_VERIFY);
  // Without impersonation the permissions would differ from those that the kubeconfig asks for.
  for (const field of ['as', 'as-groups', 'as-uid', 'as-user-extra']) {
    if (isSet(user, field)) throw new KubeconfigError('impersonation');
  }
}

function readServer(cluster: object): string {
  const server = fieldTextAt(cluster, 'server');
  if (server === undefined) throw new KubeconfigError('no-server');
  const url = urlIn(server);
  if (url?.protocol === 'http:') throw new KubeconfigError('http');
  if (url?.protocol !== 'https:' || url.hostname === '' || url.hostname.length > MAX_HOST) {
    throw new KubeconfigError('bad-server');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new KubeconfigError('bad-server');
  }
  return `${url.origin}${trimTrailing(url.pathname, '/')}`;
}

function urlIn(text: string): URL | undefined {
  return text.length <= MAX_URL ? (URL.parse(text) ?? undefined) : undefined;
}

function readProxy(cluster: object): string | undefined {
  const proxy = fieldTextAt(cluster, 'proxy-url');
  if (proxy === undefined) return undefined;
  const url = urlIn(proxy);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new KubeconfigError('proxy');
  return proxy;
}

function readCredentials(cluster: object, user: object): Credentials {
  const ca = decodedAt(cluster, 'certificate-authority-data');
  const cert = decodedAt(user, 'client-certificate-data');
  const key = decodedAt(user, 'client-key-data');
  if ((cert === undefined) !== (key === undefined)) throw new KubeconfigError('half-certificate');
  const authorization = readAuthorization(user);
  if (cert === undefined && authorization === undefined) throw new KubeconfigError('no-credentials');
  if ((authorization?.length ?? 0) > MAX_AUTHORIZATION) throw new KubeconfigError('bad-token');
  const secureContext = checkPems(ca, cert, key);
  return {
    ...optional('ca', ca),
    ...optional('cert', cert),
    ...optional('key', key),
    ...optional('secureContext', secureContext),
    headers: optional('authorization', authorization),
  };
}

/** As in client-go, a token has precedence over a password. */
function readAuthorization(user: object): string | undefined {
  const token = fieldTextAt(user, 'token')?.trim();
  if (token !== undefined) {
    if (!isHeaderSafe(token)) throw new KubeconfigError('bad-token');
    return `Bearer ${token}`;
  }
  const username = fieldTextAt(user, 'username');
  return username === undefined ? undefined : basicAuth(username, fieldTextAt(user, 'password') ?? '');
}

function checkPems(
  ca: string | undefined,
  cert: string | undefined,
  key: string | undefined,
): SecureContext | undefined {
  if ([ca, cert, key].some((pem = '') => pem.length > MAX_PEM)) throw new KubeconfigError('long-certificate');
  if (ca !== undefined) readPem('certificate-authority-data', () => new X509Certificate(ca));
  if (cert === undefined || key === undefined) return undefined;
  const privateKey = readPem(PAIR, () => createPrivateKey(key));
  if ((privateKey.asymmetricKeyDetails?.modulusLength ?? 0) > MAX_RSA_BITS)
    throw new KubeconfigError('long-key');
  // TLS itself accepts a certificate and a key of different algorithms, and then sends neither.
  if (!readPem(PAIR, () => new X509Certificate(cert).checkPrivateKey(privateKey)))
    throw new KubeconfigError('bad-certificate', PAIR);
  return readPem(PAIR, () => createSecureContext({ ...optional('ca', ca), cert, key }));
}

const PAIR = 'client-certificate-data or client-key-data';

/** @throws KubeconfigError if it cannot be read */
function readPem<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new KubeconfigError('bad-certificate', field);
  }
}

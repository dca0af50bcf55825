import { createHmac, createPrivateKey, createSecretKey, randomBytes, X509Certificate } from 'node:crypto';
import type { ClientCertificate } from '../transport/connections.ts';
import type { FixedCredentials } from './fixed-credentials.ts';
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

/** Size of an RSA key: signing with a longer one blocks the event loop for 100 ms or more. */
const MAX_RSA_BITS = 4096;

export interface ClientCertificateProblem {
  readonly part: 'certificate' | 'key';
  /** Completes `the key …`. Never quotes a value. */
  readonly text: string;
}

/**
 * What is wrong with a client certificate and its key, both PEM. Checked before they are used, because the error of a TLS
 * handshake does not name the cause.
 */
export function clientCertificateProblems(certificate: string, key: string): ClientCertificateProblem[] {
  const parsedCertificate = attempt(() => new X509Certificate(certificate));
  const parsedKey = attempt(() => createPrivateKey(key));
  const problems: ClientCertificateProblem[] = [];
  if (parsedCertificate === undefined) {
    problems.push({ part: 'certificate', text: 'is not a PEM certificate' });
  }
  if (parsedKey === undefined) {
    problems.push({ part: 'key', text: 'is not a PEM private key without a passphrase' });
  }
  if (parsedCertificate === undefined || parsedKey === undefined) return problems;
  if ((parsedKey.asymmetricKeyDetails?.modulusLength ?? 0) > MAX_RSA_BITS) {
    return [{ part: 'key', text: `is an RSA key of more than ${MAX_RSA_BITS} bits` }];
  }
  const matches = attempt(() => parsedCertificate.checkPrivateKey(parsedKey)) ?? false;
  return matches ? [] : [{ part: 'key', text: 'does not belong to the certificate' }];
}

/** Undefined if `fn` throws. The error is dropped, since it may quote its input. */
function attempt<T>(fn: () => T): T | undefined {
  try {
    return fn();
  } catch {
    return undefined;
  }
}

interface CredentialsIDs {
  readonly idOf: (credentials: ApiCredentials) => string;
  readonly idOfFixed: (credentials: FixedCredentials) => string;
}

/**
 * Creates IDs of credentials: a keyed hash, equal for equal credentials. The key is random and stays in this function, so
 * that an ID does not confirm guessed credentials.
 */
export function createCredentialsIDs(): CredentialsIDs {
  // A key object is several times faster than a buffer.
  const key = createSecretKey(randomBytes(32));
  // JSON, since a concatenation of fields would be ambiguous.
  const idOf = (...fields: readonly unknown[]) =>
    createHmac('sha256', key).update(JSON.stringify(fields)).digest('base64url');
  return {
    idOf: (credentials) => {
      const { baseUrl, tokenUrl, clientId, authentication } = credentials;
      const pair = clientCertificateOf(credentials);
      const secret = authentication.method === 'client-secret' ? authentication.clientSecret : undefined;
      return idOf(baseUrl, tokenUrl, clientId, secret ?? null, pair?.certificate, pair?.key);
    },
    idOfFixed: ({ baseUrl, authentication }) => idOf(baseUrl, Object.entries(authentication).sort()),
  };
}

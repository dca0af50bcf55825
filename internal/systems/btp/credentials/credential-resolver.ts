import type { ApiCredentials } from '../../../framework/http/index.ts';
import {
  decodedData,
  isNotFound,
  keyString,
  notFoundText,
  type Secret,
  type SharedReads,
  secrets,
} from '../../../framework/kube/index.ts';

import { InvalidCredentialsError, MissingCredentialsError } from './errors.ts';
import { hasAuthentication, hasCertificate, parseCredentials } from './parse-credentials.ts';
import {
  type CredentialSettings,
  type CredentialUser,
  certificateCandidates,
  credentialsName,
  isNamed,
  keysOf,
  managedKey,
  type SecretKey,
} from './secret-names.ts';

/** Credentials for the client of Service Manager, and where they are from. */
export interface ResolvedCredentials {
  readonly credentials: ApiCredentials;
  readonly secret: SecretKey;
  /** All Secrets that they were read from. */
  readonly sources: readonly Secret[];
}

/**
 * Finds the credentials of Service Manager for an instance, and so its subaccount:
 *
 * 1. `spec.btpAccessCredentialsSecret` in the management namespace. No other Secret is tried.
 * 2. `sap-btp-service-operator` in the namespace of the instance, unless this is turned off
 * 3. `<namespace>-sap-btp-service-operator` in the management namespace
 * 4. `sap-btp-service-operator` in the release namespace
 *
 * A Secret without a client secret and a certificate takes the certificate of the first `sap-btp-service-operator-tls` in
 * the same order. A Secret in the namespace of the instance takes that beside it only: otherwise users who may write
 * Secrets there could act as the client of the release namespace.
 *
 * The Secrets are read at each call. Concurrent reads are shared. See `createCredentialConnector`, which calls it only for a new
 * token.
 */
export interface CredentialResolver {
  /**
   * @param keys of the Secrets with credentials. Default: `keysOf` the instance
   * @throws MissingCredentialsError if no Secret exists
   * @throws InvalidCredentialsError
   * @throws KubeApiError if a Secret cannot be read
   */
  resolve(
    instance: CredentialUser,
    signal: AbortSignal,
    keys?: readonly SecretKey[],
  ): Promise<ResolvedCredentials>;
}

export interface CredentialResolverOptions {
  /** Of the cluster of the instances. */
  readonly reads: SharedReads;
  readonly settings: CredentialSettings;
}

export function createCredentialResolver({ reads, settings }: CredentialResolverOptions): CredentialResolver {
  const first = async (keys: readonly SecretKey[], signal: AbortSignal): Promise<Found | undefined> => {
    for (const key of keys) {
      try {
        return { key, secret: await reads.get(secrets, key, signal) };
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    return undefined;
  };
  return {
    resolve: async (user, signal, keys = keysOf(user, settings)) => {
      const { namespace } = user.metadata;
      const found = await first(keys, signal);
      if (found === undefined) {
        const [named] = keysOf(user, settings).filter((key) => isNamed(key, user, settings));
        throw missing(keys, named ?? managedKey(credentialsName, namespace, settings));
      }
      const data = decodedData(found.secret);
      const parse = (tls: typeof data) => parseCredentials(data, tls, `Secret ${keyString(found.key)}`);
      if (isNamed(found.key, user, settings) || hasAuthentication(data))
        return resolved([found], parse(data));
      const certificate = await first(certificateCandidates(found.key, namespace, settings), signal);
      const tls = certificate === undefined ? {} : decodedData(certificate.secret);
      if (certificate === undefined || !hasCertificate(tls)) return resolved([found], parse(data));
      return resolved([found, certificate], parse(tls));
    },
  };
}

interface Found {
  readonly key: SecretKey;
  readonly secret: Secret;
}

function resolved(
  found: readonly [Found, ...Found[]],
  parsed: ReturnType<typeof parseCredentials>,
): ResolvedCredentials {
  const [{ key }] = found;
  const sources = found.map(({ secret }) => secret);
  if ('credentials' in parsed) return { credentials: parsed.credentials, secret: key, sources };
  throw new InvalidCredentialsError(`Secret ${keyString(key)} ${parsed.problem}`, { secret: key });
}

function missing(keys: readonly SecretKey[], proposed: SecretKey): MissingCredentialsError {
  const name = keys.at(-1)?.name ?? '';
  const places = keys.map(keyString).join(', ');
  return new MissingCredentialsError(
    `cannot find credentials of Service Manager: secrets ${JSON.stringify(name)} ${notFoundText(name)} (looked for ${places})`,
    proposed,
  );
}

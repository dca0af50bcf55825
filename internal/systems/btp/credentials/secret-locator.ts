import { type Informers, keyString, type PartialObject, secrets } from '../../../framework/kube/index.ts';
import { ownMarks } from '../caches.ts';
import { credentialSelections } from './credential-sources.ts';
import {
  type CredentialSettings,
  type CredentialUser,
  certificateCandidates,
  isNamed,
  keysOf,
  type SecretKey,
} from './secret-names.ts';

/** The Secrets in which the credentials of a user are looked up, as the watch of their metadata shows them. */
export interface LocatedSecrets {
  /** The first one that exists. */
  readonly credentials: PartialObject;
  /** The first one with a certificate, which is used if the other one has none. */
  readonly certificate: PartialObject | undefined;
  /** Would be used instead of `credentials`, and do not exist. */
  readonly absent: readonly SecretKey[];
}

export interface SecretLocator {
  /**
   * Undefined: no Secret exists, or a watch has a problem, so that it may show an old state.
   *
   * @param keys of the Secrets with credentials. Default: `keysOf` the user
   */
  locate(user: CredentialUser, keys?: readonly SecretKey[]): LocatedSecrets | undefined;
  /** Whether a Secret exists; undefined: a watch has a problem. */
  exists(key: SecretKey): boolean | undefined;
}

/** @param informers those of the kinds, whose sources start them */
export function createSecretLocator(informers: Informers, settings: CredentialSettings): SecretLocator {
  const caches = credentialSelections(settings).map((selection) =>
    informers.metadataOf(secrets, { selection, transform: ownMarks }),
  );
  const find = (key: SecretKey): PartialObject | undefined => {
    const id = keyString(key);
    for (const cache of caches) {
      const found = cache.get(id);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const first = (keys: readonly SecretKey[]) => {
    for (const [index, key] of keys.entries()) {
      const secret = find(key);
      if (secret !== undefined) return { key, secret, absent: keys.slice(0, index) };
    }
    return undefined;
  };
  const isCurrent = () =>
    caches.every((cache) => cache.isStarted() && cache.hasSynced() && cache.problem() === undefined);
  return {
    exists: (key) => (isCurrent() ? find(key) !== undefined : undefined),
    locate: (user, keys = keysOf(user, settings)) => {
      if (!isCurrent()) return undefined;
      const { namespace } = user.metadata;
      const found = first(keys);
      if (found === undefined) return undefined;
      const { key, secret: credentials, absent } = found;
      const certificates = isNamed(key, user, settings)
        ? []
        : certificateCandidates(key, namespace, settings);
      return { credentials, certificate: first(certificates)?.secret, absent };
    },
  };
}

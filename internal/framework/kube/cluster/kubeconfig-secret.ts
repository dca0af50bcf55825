/** Kubeconfigs in Secrets. Errors name the Secret, and have it as watched object. */
import { createLruCache } from '../../base/collections/lru-cache.ts';
import { ProviderError, WaitingError, type WatchedObject } from '../../base/errors/errors.ts';
import { ownMember } from '../../base/json/json-value.ts';
import type { KubeClient } from '../client/client.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { KubeconfigError } from '../config/kubeconfig-document.ts';
import { isNotFound } from '../errors/errors.ts';
import { keyString, type ObjectKey, type Secret } from '../object/object.ts';
import { impossibleKey } from '../object/object-name.ts';
import { secrets } from '../object/resource-type.ts';

/** The Secret key with the kubeconfig of a remote cluster. */
export interface ClusterRef {
  readonly secret: ObjectKey;
  readonly kubeconfigKey: string;
}

/** The text of a kubeconfig, and the version of its Secret. */
export interface FoundKubeconfig {
  readonly ref: ClusterRef;
  readonly text: string;
  readonly uid: string;
  readonly version: string;
}

/** The Secret in this version, as watched object. */
export type SecretTarget = (ref: ClusterRef, version: string) => WatchedObject;

export interface KubeconfigSecretsOptions {
  /** The client of the cluster with the Secrets. */
  readonly client: KubeClient;
  readonly targetOf: SecretTarget;
  readonly parse: (kubeconfig: string) => ClusterConfig;
}

export interface KubeconfigSecrets {
  /**
   * @throws WaitingError if the Secret, its key or the key's content is missing
   * @throws other errors of the read of the Secret
   */
  read(ref: ClusterRef): Promise<FoundKubeconfig>;
  /**
   * The same of a Secret that was just stored, without a request.
   *
   * @throws WaitingError if its key or the key's content is missing
   */
  of(ref: ClusterRef, secret: Secret): FoundKubeconfig;
  /**
   * A refused kubeconfig is not parsed again before its Secret has another version.
   *
   * @throws a `terminal` ProviderError, with a KubeconfigError as cause, if the kubeconfig is invalid or refused
   */
  parse(found: FoundKubeconfig): ClusterConfig;
}

export function createKubeconfigSecrets({
  client,
  targetOf,
  parse,
}: KubeconfigSecretsOptions): KubeconfigSecrets {
  const parseOnce = rememberRefusals(parse);
  const of: KubeconfigSecrets['of'] = (ref, secret) => {
    const { uid = '', resourceVersion: version = '' } = secret.metadata;
    const text = kubeconfigIn(secret, ref, client.clusterName, targetOf(ref, version));
    return { ref, text, uid, version };
  };
  return {
    read: async (ref) => of(ref, await readSecret(client, ref, targetOf(ref, 'absent'))),
    of,
    parse: (found) => {
      try {
        return parseOnce(found);
      } catch (cause) {
        const { ref, version } = found;
        const why = cause instanceof ProviderError ? cause.message : 'kubeconfig cannot be read';
        const message = `cannot use ${describeRef(ref)} on ${client.clusterName}: ${why}`;
        throw new ProviderError('terminal', message, { targets: [targetOf(ref, version)], cause });
      }
    },
  };
}

/** For messages. */
export const describeRef = (ref: ClusterRef): string =>
  `key ${ref.kubeconfigKey} of Secret ${keyString(ref.secret)}`;

async function readSecret(client: KubeClient, ref: ClusterRef, target: WatchedObject): Promise<Secret> {
  try {
    return await client.get(secrets, ref.secret);
  } catch (cause) {
    if (!isNotFound(cause)) throw cause;
    const why = impossibleKey(keyString(ref.secret));
    const found = `Secret ${keyString(ref.secret)} with the kubeconfig not found on ${client.clusterName}`;
    const message = why === undefined ? found : `${found}: ${why}`;
    throw new WaitingError(message, { targets: [target], cause });
  }
}

function kubeconfigIn(secret: Secret, ref: ClusterRef, clusterName: string, target: WatchedObject): string {
  const encoded = ownMember(secret.data, ref.kubeconfigKey);
  const text = typeof encoded !== 'string' ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
  if (text !== undefined && text.trim() !== '') return text;
  const lack =
    text === undefined ? `has no key ${ref.kubeconfigKey}` : `has an empty key ${ref.kubeconfigKey}`;
  const message = `Secret ${keyString(ref.secret)} on ${clusterName} ${lack}`;
  throw new WaitingError(message, { targets: [target] });
}

/** Memory for about 1000 errors of invalid kubeconfigs. Without an entry the kubeconfig is parsed again. */
const MAX_REFUSAL_BYTES = 2 * 1024 * 1024;
/** Memory of one error with its stack. */
const REFUSAL_BYTES = 1500;

function rememberRefusals(parse: (text: string) => ClusterConfig) {
  const refusals = createLruCache<string, KubeconfigError>({
    maxBytes: MAX_REFUSAL_BYTES,
    bytesOf: () => REFUSAL_BYTES,
  });
  return ({ ref, text, uid, version }: FoundKubeconfig): ClusterConfig => {
    const id = JSON.stringify([uid, version, ref.kubeconfigKey]);
    const refused = refusals.get(id);
    if (refused !== undefined) throw refused;
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof KubeconfigError) refusals.set(id, error);
      throw error;
    }
  };
}

import { ownMember, type WatchedObject } from '../../../framework/base/index.ts';
import { decodedData, keyString, type Secret, secrets } from '../../../framework/kube/index.ts';

import { type AdminCredentials, parseCredentialsKey } from '../hana-cloud/credentials.ts';
import { connectionProblem } from '../input/connection-problem.ts';
import { findingOf, type InputCluster, type Problem, readInput, secretKeyOf } from '../input/read-input.ts';
import type { InstanceMapping } from './resource.ts';

/** The Secret and its key. */
export interface AdminCredentialsRef {
  readonly name: string;
  readonly namespace: string;
  readonly key: string;
}

/** The reference of the spec; for a namespaced resource in its own namespace. */
export function adminCredentialsRef(resource: InstanceMapping): AdminCredentialsRef {
  const { adminCredentialsSecretRef: ref } = resource.spec.forProvider;
  return { ...secretKeyOf(resource, ref), key: ref.key };
}

/** The location of the credentials, as a key. */
export function secretLocation(resource: InstanceMapping): string {
  const { name, namespace, key } = adminCredentialsRef(resource);
  return JSON.stringify([namespace, name, key]);
}

/**
 * Reads the credentials, with the target that watches the Secret.
 *
 * @throws WaitingError while Secret, key or content is missing; another error if the content is malformed. Both requeue
 * when the Secret changes.
 */
export async function readAdminCredentials(
  cluster: InputCluster,
  { name, namespace, key }: AdminCredentialsRef,
  signal: AbortSignal,
): Promise<{ readonly credentials: AdminCredentials; readonly target: WatchedObject }> {
  const secret = { namespace, name };
  const read = await readInput<Secret>(cluster, secrets, secret, signal);
  const parsed =
    'problem' in read
      ? { problems: [read.problem] }
      : credentialsIn(read.object, key, `key ${key} of Secret ${keyString(secret)}`);
  if ('credentials' in parsed) return { credentials: parsed.credentials, target: read.target };
  const finding = findingOf(secrets, secret, cluster, parsed.problems, read);
  throw connectionProblem([finding]);
}

function credentialsIn(
  secret: Secret,
  key: string,
  source: string,
): { readonly credentials: AdminCredentials } | { readonly problems: readonly Problem[] } {
  const text = ownMember(decodedData(secret), key);
  if (text !== undefined) return parseCredentialsKey(key, text, source);
  return { problems: [{ kind: 'incomplete', field: key, text: `has no key ${key}` }] };
}

import { indexed, mapped, type ObjectIndex, type Source } from '../../../framework/controller/index.ts';
import { type Informers, type KubeObject, secrets } from '../../../framework/kube/index.ts';

import { ownMarks } from '../caches.ts';
import {
  type CredentialSettings,
  certificateName,
  credentialsName,
  type SecretUsers,
  usersOf,
} from './secret-names.ts';

/** The objects of a kind by the Secrets that may have their credentials. */
export interface CredentialUsers {
  /** They follow their caches while the sources run. */
  readonly indexes: readonly Pick<ObjectIndex<KubeObject>, 'start'>[];
  /** The objects that are reconciled with the credentials of these users. */
  requestsOf(users: SecretUsers): Iterable<string>;
}

/**
 * Sources that request a reconcile of each object whose credentials may have changed. They watch metadata only, and only
 * Secrets that can have credentials.
 */
export function credentialSources(
  informers: Pick<Informers, 'metadataOf'>,
  { indexes, requestsOf }: CredentialUsers,
  settings: CredentialSettings,
): Source[] {
  const sources = credentialSelections(settings).map((selection) =>
    mapped(informers.metadataOf(secrets, { selection, transform: ownMarks }), ({ metadata }) => [
      ...requestsOf(usersOf(metadata, settings)),
    ]),
  );
  const [first, ...others] = sources;
  if (first === undefined) return [];
  // Sources start in their order: the indexes are current when the first one reads them.
  return [indexed(indexes, first), ...others];
}

/**
 * The selections of all Secrets that can have credentials. The management namespace has names of any form, other namespaces
 * only two.
 */
export function credentialSelections({
  releaseNamespace,
  managementNamespace,
  namespaceSecrets,
}: CredentialSettings) {
  const named = [credentialsName, certificateName].map((name) => ({
    fieldSelector: `metadata.name=${name}`,
  }));
  const management = { namespace: managementNamespace };
  if (namespaceSecrets) return [management, ...named];
  if (releaseNamespace === managementNamespace) return [management];
  return [management, ...named.map((selection) => ({ ...selection, namespace: releaseNamespace }))];
}

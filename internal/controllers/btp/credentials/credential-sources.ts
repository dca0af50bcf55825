import { mapped, type Source } from '../../../controller/index.ts';
import type { Informers } from '../../../kube/cache/informers.ts';
import type { KubeObject } from '../../../kube/object/object.ts';
import { secrets } from '../../../kube/object/resource-type.ts';
import {
  type CredentialSettings,
  type CredentialUser,
  certificateName,
  credentialsName,
  usersOf,
} from './secret-names.ts';

/** An object and the instance with whose credentials it is reconciled. */
export interface CredentialUse {
  readonly request: string;
  readonly instance: CredentialUser;
}

/**
 * Sources that request a reconcile of each object whose credentials may have changed. They watch metadata only, and only
 * Secrets that can have credentials.
 *
 * @param uses of all objects that exist
 */
export function credentialSources(
  informers: Pick<Informers, 'metadataOf'>,
  uses: () => readonly CredentialUse[],
  settings: CredentialSettings,
): Source[] {
  const requestsOf = ({ metadata }: KubeObject): string[] => {
    const mayUse = usersOf(metadata, settings);
    return uses()
      .filter(({ instance }) => mayUse(instance))
      .map(({ request }) => request);
  };
  return selections(settings).map((selection) =>
    mapped(informers.metadataOf(secrets, { selection }), requestsOf),
  );
}

/** The management namespace has names of any form, other namespaces only two. */
function selections({ releaseNamespace, managementNamespace, namespaceSecrets }: CredentialSettings) {
  const named = [credentialsName, certificateName].map((name) => ({
    fieldSelector: `metadata.name=${name}`,
  }));
  const management = { namespace: managementNamespace };
  if (namespaceSecrets) return [management, ...named];
  if (releaseNamespace === managementNamespace) return [management];
  return [management, ...named.map((selection) => ({ ...selection, namespace: releaseNamespace }))];
}

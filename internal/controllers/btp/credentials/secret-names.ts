import type { ObjectKey } from '../../../kube/object/object.ts';

/** The Secret with credentials of Service Manager, in a namespace of instances or as the default of the cluster. */
export const credentialsName = 'sap-btp-service-operator';
/** The older Secret with the client certificate, beside the one with the credentials. */
export const certificateName = 'sap-btp-service-operator-tls';

/** Where credentials are. */
export interface CredentialSettings {
  /** The namespace with the default of the cluster. */
  readonly releaseNamespace: string;
  /** The namespace with credentials for other namespaces. */
  readonly managementNamespace: string;
  /** Whether instances may use a Secret of their own namespace. */
  readonly namespaceSecrets: boolean;
}

/** The part of a ServiceInstance that decides on its credentials. */
export interface CredentialUser {
  readonly metadata: { readonly namespace: string };
  readonly spec: { readonly btpAccessCredentialsSecret?: string | undefined };
}

export type SecretKey = Required<ObjectKey>;

/** The Secret for one namespace in the management namespace. */
export const managedKey = (
  name: string,
  namespace: string,
  { managementNamespace }: CredentialSettings,
): SecretKey => ({ namespace: managementNamespace, name: `${namespace}-${name}` });

/** The Secrets in which `name` is looked up for an instance of `namespace`, from the most specific one. */
export function candidates(name: string, namespace: string, settings: CredentialSettings): SecretKey[] {
  const { releaseNamespace, namespaceSecrets } = settings;
  return [
    ...(namespaceSecrets ? [{ namespace, name }] : []),
    managedKey(name, namespace, settings),
    { namespace: releaseNamespace, name },
  ];
}

/** All Secrets in which credentials of the user are looked up. */
export function secretKeysOfUser(
  { metadata: { namespace }, spec }: CredentialUser,
  settings: CredentialSettings,
): SecretKey[] {
  const { btpAccessCredentialsSecret: named } = spec;
  if (named) return [{ namespace: settings.managementNamespace, name: named }];
  return [credentialsName, certificateName].flatMap((name) => candidates(name, namespace, settings));
}

/**
 * Whether a user may use the Secret: `secretKeysOfUser` has its key. The key is analysed once, since all users of the cluster may be
 * asked for each change of a Secret.
 */
export function usersOf(key: ObjectKey, settings: CredentialSettings): (user: CredentialUser) => boolean {
  const { namespace: place = '', name } = key;
  const { releaseNamespace, managementNamespace, namespaceSecrets } = settings;
  const isManaged = place === managementNamespace;
  const base = [credentialsName, certificateName].find((each) => name === each || name.endsWith(`-${each}`));
  const isPlain = name === base;
  /** Of a namespace of its own in the management namespace. */
  const owner = isManaged && base !== undefined && !isPlain ? name.slice(0, -base.length - 1) : undefined;
  const isDefault = isPlain && place === releaseNamespace;
  return ({ metadata: { namespace }, spec: { btpAccessCredentialsSecret: named } }) => {
    if (named) return isManaged && named === name;
    return isDefault || owner === namespace || (isPlain && namespaceSecrets && place === namespace);
  };
}

/** Whether the Secret is the default of the cluster. */
export const isDefaultOfCluster = (
  { namespace, name }: ObjectKey,
  { releaseNamespace }: CredentialSettings,
): boolean => namespace === releaseNamespace && [credentialsName, certificateName].includes(name);

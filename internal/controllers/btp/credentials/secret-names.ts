import { keyString, type ObjectKey } from '../../../kube/object/object.ts';

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

/** @param key `namespace/name` of a Secret */
export const mayUse = (user: CredentialUser, key: string, settings: CredentialSettings): boolean =>
  secretKeysOfUser(user, settings).some((each) => keyString(each) === key);

/** Whether the Secret is the default of the cluster. */
export const isDefaultOfCluster = (
  { namespace, name }: ObjectKey,
  { releaseNamespace }: CredentialSettings,
): boolean => namespace === releaseNamespace && [credentialsName, certificateName].includes(name);

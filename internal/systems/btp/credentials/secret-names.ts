import { keyString, type ObjectKey } from '../../../framework/kube/index.ts';

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
function candidates(name: string, namespace: string, settings: CredentialSettings): SecretKey[] {
  const { releaseNamespace, namespaceSecrets } = settings;
  return [
    ...(namespaceSecrets ? [{ namespace, name }] : []),
    managedKey(name, namespace, settings),
    { namespace: releaseNamespace, name },
  ];
}

/** The Secrets in which credentials of the user are looked up, in their order. */
export const keysOf = (
  { metadata: { namespace }, spec }: CredentialUser,
  settings: CredentialSettings,
): SecretKey[] =>
  spec.btpAccessCredentialsSecret
    ? [{ namespace: settings.managementNamespace, name: spec.btpAccessCredentialsSecret }]
    : candidates(credentialsName, namespace, settings);

/** Whether the user names the Secret. Such a Secret has its certificate itself. */
export const isNamed = (
  { namespace, name }: SecretKey,
  { spec }: CredentialUser,
  { managementNamespace }: CredentialSettings,
): boolean => namespace === managementNamespace && name === spec.btpAccessCredentialsSecret;

/**
 * The Secrets with credentials that may have made a resource of the user: also those that would be used without a named one, which may
 * have been named later.
 */
export function makersKeysOf(user: CredentialUser, settings: CredentialSettings): SecretKey[] {
  const keys = [...keysOf(user, settings), ...candidates(credentialsName, user.metadata.namespace, settings)];
  return [...new Map(keys.map((key) => [keyString(key), key])).values()];
}

/**
 * The Secrets in which a certificate is looked up for credentials without one. A Secret in the namespace of the instance takes
 * that beside it only.
 *
 * @param credentials the Secret that has them
 */
export function certificateCandidates(
  credentials: SecretKey,
  namespace: string,
  settings: CredentialSettings,
): SecretKey[] {
  const all = candidates(certificateName, namespace, settings);
  const isTenants = credentials.namespace === namespace && namespace !== settings.releaseNamespace;
  return isTenants ? all.filter((key) => key.namespace === namespace) : all;
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

/** Users of one group have the same Secrets: an index finds those whom a change of a Secret concerns. */
export const groupOf = ({ metadata: { namespace }, spec }: CredentialUser): string =>
  spec.btpAccessCredentialsSecret ? secretGroup(spec.btpAccessCredentialsSecret) : namespaceGroup(namespace);

export const namespaceGroup = (namespace: string): string => `namespace ${namespace}`;
const secretGroup = (name: string): string => `secret ${name}`;

/** Whose credentials a Secret may have. */
export interface SecretUsers {
  /** The groups of all users in whose list of Secrets (`secretKeysOfUser`) it is. */
  readonly groups: readonly string[];
  /** It is the default of the cluster: the groups of all namespaces as well. */
  readonly everyNamespace: boolean;
}

export function usersOf(key: ObjectKey, settings: CredentialSettings): SecretUsers {
  const { namespace: place = '', name } = key;
  const { managementNamespace, namespaceSecrets } = settings;
  const isManaged = place === managementNamespace;
  const base = [credentialsName, certificateName].find((each) => name === each || name.endsWith(`-${each}`));
  const isPlain = name === base;
  return {
    groups: [
      ...(isManaged ? [secretGroup(name)] : []),
      // Of a namespace, in the management namespace.
      ...(isManaged && base !== undefined && !isPlain
        ? [namespaceGroup(name.slice(0, -base.length - 1))]
        : []),
      ...(isPlain && namespaceSecrets ? [namespaceGroup(place)] : []),
    ],
    everyNamespace: isDefaultOfCluster(key, settings),
  };
}

/** Whether the user is one of them. */
export const isAmong = ({ groups, everyNamespace }: SecretUsers, user: CredentialUser): boolean =>
  (everyNamespace && !user.spec.btpAccessCredentialsSecret) || groups.includes(groupOf(user));

/** Whether the Secret is the default of the cluster. */
export const isDefaultOfCluster = (
  { namespace, name }: ObjectKey,
  { releaseNamespace }: CredentialSettings,
): boolean => namespace === releaseNamespace && [credentialsName, certificateName].includes(name);

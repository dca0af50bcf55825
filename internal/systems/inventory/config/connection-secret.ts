import { ProviderError, WaitingError, wrap } from '../../../framework/base/index.ts';
import { secrets } from '../../../framework/kube/index.ts';

import type { CredentialAccess, CredentialSelectors } from '../../../framework/managed/index.ts';

/** `spec.credentials` of this provider's configurations. */
export interface HanaCredentialSelectors extends CredentialSelectors {
  /** Without namespace in a namespaced configuration, which uses its own. */
  readonly connectionSecretRef?: { readonly name: string; readonly namespace?: string };
}

/** The keys of a connection Secret of a HANA database user, as Crossplane names them. */
const keys = ['endpoint', 'port', 'username', 'password'] as const;

/**
 * Handles `source: HanaConnectionSecret` for `extractCredentials`. Returns the SQL credentials of a database user as a
 * JSON object of strings: `{endpoint, port, username, password}`. For kinds that use SQL; mappings do not.
 *
 * @throws WaitingError while a key is missing or empty; its message has no value
 */
export async function readHanaConnectionSecret(
  { connectionSecretRef }: HanaCredentialSelectors,
  { client, namespace: own, signal }: Pick<CredentialAccess, 'client' | 'namespace' | 'signal'>,
): Promise<Uint8Array> {
  const namespace = own ?? connectionSecretRef?.namespace;
  if (connectionSecretRef === undefined || namespace === undefined) {
    throw new ProviderError('terminal', noConnectionSecretText);
  }
  const { name } = connectionSecretRef;
  const { data = {} } = await client.get(secrets, { namespace, name }, { signal }).catch((error) => {
    throw wrap(error, 'cannot get credentials secret');
  });
  const textOf = (key: string) =>
    Object.hasOwn(data, key) ? Buffer.from(data[key] ?? '', 'base64').toString() : '';
  const missing = keys.filter((key) => textOf(key) === '');
  if (missing.length > 0) {
    throw new WaitingError(`Secret ${namespace}/${name} has no key ${missing.join(', ')}`, { retry: true });
  }
  return Buffer.from(JSON.stringify(Object.fromEntries(keys.map((key) => [key, textOf(key)]))));
}

const noConnectionSecretText =
  'cannot extract from connection secret when spec.credentials.connectionSecretRef is not set';

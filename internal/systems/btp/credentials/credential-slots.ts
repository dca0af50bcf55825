import type { Reserve } from '../../../framework/base/index.ts';

import type { CredentialSettings, SecretKey } from './secret-names.ts';

/**
 * Limits the workers of objects whose credentials are in their own namespace. Who may write Secrets there chooses the host
 * of Service Manager, which may never respond, and can change it at any time. So the objects of one namespace have the
 * default number of slots (a quarter of the workers), and those of all namespaces three quarters: the others remain for
 * credentials of the release namespace and the management namespace.
 *
 * These slots are reserved together with those of the hosts, because requests that reserve one after the other can refuse
 * each other again and again.
 *
 * @param workers of a controller
 */
export function reserveWith(
  secret: SecretKey,
  reserve: Reserve,
  { releaseNamespace, managementNamespace }: CredentialSettings,
  workers: number,
): Reserve {
  const { namespace } = secret;
  if (namespace === releaseNamespace || namespace === managementNamespace) return reserve;
  const own = [
    { name: `credentials of namespace ${namespace}` },
    { name: 'credentials of namespaces', slots: Math.ceil((workers * 3) / 4) },
  ];
  return (limitKeys) => reserve([...limitKeys, ...own]);
}

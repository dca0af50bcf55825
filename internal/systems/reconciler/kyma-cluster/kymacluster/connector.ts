import {
  type KymaCluster,
  kymaClusterTypes,
} from '../../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import { withTargets } from '../../../../framework/base/errors/errors.ts';
import { kindOf, type WatchedObject } from '../../../../framework/base/index.ts';
import { getIfExists } from '../../../../framework/kube/index.ts';
import {
  type Connector,
  type ExternalClient,
  type Managed,
  usedConfigOf,
} from '../../../../framework/managed/index.ts';
import type { Owner } from '../../../../framework/ownership/ownership.ts';
import { mothershipConfigKinds } from '../provider-configs.ts';
import { type AccessOptions, openMothership } from './access.ts';
import { createExternalClient } from './external-client.ts';
import { readKubeconfig } from './kubeconfig.ts';

export interface ConnectorOptions extends Omit<AccessOptions, 'signal'> {
  readonly scope: 'cluster' | 'namespaced';
}

export function createConnector(options: ConnectorOptions): Connector<KymaCluster> {
  const { client, scope } = options;
  return {
    connect: async (resource, { signal }) => {
      const { type, key } = usedConfigOf(resource, mothershipConfigKinds[scope]);
      const config = await client.get(type, key, { signal });
      const { mothership, credentials } = await openMothership(config, { ...options, signal });
      return watchingCredentials(
        createExternalClient(
          mothership,
          () => readKubeconfig(options, resource, signal),
          (owner) => isOwnerGone(client, owner, signal),
        ),
        credentials,
      );
    },
  };
}

/** An object that was created anew under the same name is another owner. */
export async function isOwnerGone(
  client: ConnectorOptions['client'],
  { namespace, name, uid }: Owner & { readonly uid: string },
  signal: AbortSignal,
): Promise<boolean> {
  const isNamespaced = namespace !== undefined && namespace !== '';
  const type = kymaClusterTypes[isNamespaced ? 'namespaced' : 'cluster'];
  const found = await getIfExists(client, type, isNamespaced ? { namespace, name } : { name }, { signal });
  return found?.metadata.uid !== uid;
}

/** Where credentials are refused, a change of their Secret requests the next attempt. */
function watchingCredentials<R extends Managed>(
  client: ExternalClient<R>,
  credentials: readonly WatchedObject[],
): ExternalClient<R> {
  const watched = <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      throw kindOf(error) === 'auth' ? withTargets(error, credentials) : error;
    });
  return {
    ...client,
    observe: (resource, context) => watched(client.observe(resource, context)),
    create: (resource, context) => watched(client.create(resource, context)),
    update: (resource, context) => watched(client.update(resource, context)),
    delete: (resource, context) => watched(client.delete(resource, context)),
  };
}

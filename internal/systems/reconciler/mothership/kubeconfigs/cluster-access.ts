import { type Deps, type Logger, messageOf } from '../../../../framework/base/index.ts';
import { CLUSTER_LIMITS } from '../../../../framework/kube/client/cluster-limits.ts';
import { createKubeClient, createTransport, type KubeClient } from '../../../../framework/kube/index.ts';
import { permittedKubeconfig } from '../../../../framework/kube/transport/transport.ts';
import type { Store } from '../database/database.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { decryptKubeconfig } from '../inventory/cluster-states.ts';
import type { KubeconfigSource } from '../model/cluster.ts';
import { isTenant, registrantOf } from '../model/registrant.ts';

interface ClusterAccessOptions extends Deps {
  /** Whether servers of kubeconfigs may have loopback and link-local addresses. */
  readonly allowPrivateEndpoints: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Connections to managed clusters, whose kubeconfigs come from others. */
export interface ClusterAccess {
  /**
   * Calls `work` with a client that is closed afterwards.
   *
   * @throws KubeconfigError, EndpointRefusedError without a part of the kubeconfig that may be secret
   */
  withClient<T>(kubeconfig: string, work: (client: Pick<KubeClient, 'list'>) => Promise<T>): Promise<T>;
}

const CALL_TIMEOUT_MS = 10_000;
const LIMITS = CLUSTER_LIMITS.hostile;

export function createClusterAccess(options: ClusterAccessOptions): ClusterAccess {
  const { allowPrivateEndpoints, env } = options;
  return {
    withClient: async (kubeconfig, work) => {
      const permitted = permittedKubeconfig(kubeconfig, allowPrivateEndpoints);
      const transport = createTransport({ ...permitted, env, connections: 1 });
      const client = createKubeClient({
        ...options,
        ...LIMITS,
        config: permitted.config,
        transport,
        cluster: 'managed',
        metricsHost: '',
        callTimeoutMs: CALL_TIMEOUT_MS,
      });
      try {
        return await work(client);
      } finally {
        await client.close();
      }
    },
  };
}

interface CurrentKubeconfigOptions {
  readonly runtimeId: string;
  /** The name of the registration, which says whose it is. */
  readonly runtimeName: string;
  /** That of the registration; undefined: it had none. */
  readonly stored: string | undefined;
  readonly kubeconfigs: KubeconfigSource | undefined;
  readonly log: Logger;
}

/**
 * The kubeconfig of a cluster: that of its Secret, which is rotated, or else that of the registration. While Secrets cannot be
 * read, that of the registration is used if there is one.
 *
 * Secrets are for registrations of operators. A tenant may name the id of any runtime, so that only the kubeconfig counts that it has
 * registered.
 */
export async function currentKubeconfig(
  { runtimeId, runtimeName, stored, kubeconfigs, log }: CurrentKubeconfigOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (isTenant(registrantOf({ name: runtimeName }))) return stored;
  try {
    return (await kubeconfigs?.read(runtimeId, signal)) ?? stored;
  } catch (error) {
    if (stored === undefined) throw error;
    log.info('cannot read the Secret with a kubeconfig, using that of the registration', {
      'runtime-id': runtimeId,
      error: messageOf(error),
    });
    return stored;
  }
}

/** The current registration of a cluster; undefined if it is not registered. */
export async function registeredKubeconfig(
  { store, keyring }: { readonly store: Pick<Store, 'queries'>; readonly keyring: Keyring },
  runtimeId: string,
): Promise<{ readonly runtimeName: string; readonly stored: string | undefined } | undefined> {
  const row = await store.queries
    .selectFrom('runtimes as r')
    .innerJoin('clusters as c', 'c.version', 'r.cluster_version')
    .select(['c.kubeconfig', 'c.kubeconfig_key', 'r.runtime_name'])
    .where('r.runtime_id', '=', runtimeId)
    .executeTakeFirst();
  return row && { runtimeName: row.runtime_name, stored: decryptKubeconfig(row, keyring) };
}

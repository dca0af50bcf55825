/**
 * KymaCluster: a cluster in the inventory of a mothership. Its runtimeID is the external name.
 *
 * - connector.ts: reads the configuration; access.ts the credentials, kubeconfig.ts the kubeconfig
 * - document.ts: what is registered, and how it differs from what the mothership has
 * - external-client.ts: observe, register, change and delete
 */
import {
  type KymaCluster,
  kymaClusterTypes,
} from '../../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import { type LimitKeyOption, messageOf } from '../../../../framework/base/index.ts';

import {
  getCondition,
  jitterFraction,
  type ManagedKind,
  setConditions,
  typeReady,
  unavailable,
} from '../../../../framework/managed/index.ts';
import { type ConnectorOptions, createConnector } from './connector.ts';
import { isInProgress } from './document.ts';

/** Poll interval while the mothership works on the cluster, in ms. */
const IN_PROGRESS_MS = 5000;
const JITTER = 0.1;

/**
 * Who may write a namespace chooses its mothership, which may never respond, or send as much as it may. So the resources of one
 * namespace have a quarter of the workers, and those of all whose motherships are slow or unknown three quarters.
 */
const limitKeysOf = ({ metadata: { namespace } }: KymaCluster): readonly LimitKeyOption[] =>
  namespace === undefined ? [] : [{ name: `motherships of namespace ${namespace}`, remote: true }];

export function kymaClusterKind(options: ConnectorOptions): ManagedKind<KymaCluster> {
  const settled = jitterFraction(JITTER, options.deps.random);
  return {
    type: kymaClusterTypes[options.scope],
    connector: createConnector(options),
    limitKeysOf,
    connectFailed: (resource, error, { clock }) => {
      // A cluster that was ready stays so while its mothership cannot be called.
      if (getCondition(resource, typeReady)?.status === 'True') return;
      setConditions(resource, clock, unavailable(messageOf(error)));
    },
    pollIntervalHook: (resource, intervalMs) =>
      isInProgress(resource.status?.atProvider?.status) ? IN_PROGRESS_MS : settled(resource, intervalMs),
    deterministicExternalName: true,
    observeAfterCreate: true,
    observeAfterDelete: true,
    creationGracePeriodMs: 0,
    // The external name is the id in the inventory, not metadata.name.
    initializers: [],
  };
}

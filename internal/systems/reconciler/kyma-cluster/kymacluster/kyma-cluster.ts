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
import { messageOf } from '../../../../framework/base/index.ts';

import {
  getCondition,
  jitterFraction,
  type ManagedKind,
  setConditions,
  shareOfNamespace,
  typeReady,
  unavailable,
} from '../../../../framework/managed/index.ts';
import { type ConnectorOptions, createConnector } from './connector.ts';
import { isInProgress } from './document.ts';

/** Poll interval while the mothership works on the cluster, in ms. */
const IN_PROGRESS_MS = 5000;
const JITTER = 0.1;

export function kymaClusterKind(options: ConnectorOptions): ManagedKind<KymaCluster> {
  const settled = jitterFraction(JITTER, options.deps.random);
  return {
    type: kymaClusterTypes[options.scope],
    connector: createConnector(options),
    limitKeysOf: shareOfNamespace,
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

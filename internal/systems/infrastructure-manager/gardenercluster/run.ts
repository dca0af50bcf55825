/** What the steps of one reconcile of a GardenerCluster share. */
import type { GardenerCluster } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import type { ReconcilerContext, WorkingCopy } from '../../../framework/controller/index.ts';
import type { ConnectCluster } from '../../../framework/kube/index.ts';
import type { Gardener } from '../gardener/gardener.ts';
import type { KubeconfigExpirations } from './cluster-metrics.ts';
import type { KubeconfigSecret } from './kubeconfig-secret.ts';
import type { RefusedKubeconfigs } from './refused-kubeconfigs.ts';
import type { RotationSettings } from './rotation.ts';

export interface GardenerClusterReconcilerOptions {
  readonly gardener: Gardener;
  readonly rotation: RotationSettings;
  /** Connects to runtime clusters. */
  readonly connect: ConnectCluster;
  readonly expirations: KubeconfigExpirations;
  readonly refusedKubeconfigs: RefusedKubeconfigs;
}

export interface GardenerClusterMemory {
  /** The result of the last own write, while the informer may not have it. */
  readonly written?: KubeconfigSecret;
  /** When the kubeconfig was last replaced because its cluster refused it, or tried to be, by the monotonic clock in ms. */
  readonly refusedAt?: number;
}

export interface GardenerClusterRun extends GardenerClusterReconcilerOptions {
  readonly copy: WorkingCopy<GardenerCluster>;
  /** Changed in place. */
  readonly object: GardenerCluster;
  readonly context: ReconcilerContext<GardenerClusterMemory>;
}

/**
 * `provider-kyma/components`: reconciles the components of a cluster in this process: charts are fetched and rendered as Helm
 * does, and their objects are applied, pruned and awaited. A cluster in, a result out, and a status callback.
 */

export type {
  ChartCapabilities,
  RandomStore,
  RandomValue,
  RandomValues,
} from '../../../templates/helm/index.ts';
export {
  type ClusterReconciler,
  type ClusterReconcilerOptions,
  createClusterReconciler,
} from './library/cluster-reconciler.ts';
export type {
  ClusterComponent,
  ClusterRequest,
  ClusterResult,
  ComponentResult,
  ComponentStatus,
} from './local/cluster-request.ts';
export type { Action, ActionContext, ComponentActions } from './model/actions.ts';
export type { ReportedStatus } from './model/callback.ts';
export type { ChartOptions, ChartRequest, Charts, RenderOptions, Workspace } from './model/charts.ts';
export type { Awaited, Deployer, DeployOptions, DeployTarget } from './model/deployer.ts';
export type { Kinds, ManagedCluster } from './model/managed-cluster.ts';
export type { Manifest, ManifestObject } from './model/manifest.ts';
export type { RunnerSettings } from './model/settings.ts';
export type { Task, TaskMetadata } from './model/task.ts';

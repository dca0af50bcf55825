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
} from './cluster-reconciler.ts';
export type {
  Action,
  ActionContext,
  Awaited,
  ChartOptions,
  ChartRequest,
  Charts,
  ClusterPart,
  ComponentActions,
  Deployer,
  DeployOptions,
  DeployTarget,
  Kinds,
  ManagedCluster,
  Manifest,
  ManifestObject,
  PartOptions,
  RenderOptions,
  Workspace,
} from './model/component.ts';
export type { RunnerSettings } from './model/settings.ts';
export type { ReportedStatus, Task, TaskMetadata } from './model/task.ts';
export type {
  ClusterComponent,
  ClusterRequest,
  ClusterResult,
  ComponentResult,
  ComponentStatus,
} from './reconcile-cluster.ts';

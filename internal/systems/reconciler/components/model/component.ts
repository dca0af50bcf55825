import type { Deps } from '../../../../framework/base/index.ts';
import type { KubeClient, KubeObject, ResourceType } from '../../../../framework/kube/index.ts';
import type { ChartCapabilities, RandomStore } from '../../../../templates/helm/index.ts';
import type { Task } from './task.ts';

/** What an action of a component reconciler works with. */
export interface ActionContext extends Pick<Deps, 'clock' | 'random' | 'log'> {
  readonly task: Task;
  readonly cluster: ManagedCluster;
  readonly charts: Charts;
  readonly deployer: Deployer;
  /** Ends with the attempt: timeout, cancellation, or the stop of the program. */
  readonly signal: AbortSignal;
  /** Values of the chart by dotted key; an action may change them for the rendering of later ones. Starts with those of the task. */
  readonly configuration: Record<string, unknown>;
  /** Shown with the operation (at most 1,000 characters); replaced by the next. */
  progress(message: string): void;
}

/** Throws if it fails; the attempt is then repeated as a whole. */
export type Action = (context: ActionContext) => Promise<void>;

/** The actions of a component reconciler. A missing main action is the default one: deploy or remove the chart. */
export interface ComponentActions {
  readonly preReconcile?: Action;
  readonly reconcile?: Action;
  readonly postReconcile?: Action;
  readonly preDelete?: Action;
  readonly delete?: Action;
  readonly postDelete?: Action;
}

/** Component reconcilers by name; `base` serves components without one of their own. */
export type ComponentReconcilers = Readonly<Record<string, ComponentActions>> & {
  readonly base: ComponentActions;
};

/** Which chart of which revision, and its values. */
export type ChartRequest = Pick<
  Task,
  'component' | 'namespace' | 'version' | 'url' | 'profile' | 'configuration'
>;

export interface ChartOptions {
  readonly signal: AbortSignal;
  /** Whose share of downloads, rendering and memory it takes. */
  readonly tenant: string;
}

export interface RenderOptions extends ChartOptions {
  /** What the chart knows of its cluster. Default: what `helm template` knows without one. */
  readonly capabilities?: ChartCapabilities | undefined;
  /** Keeps what its random functions made. Default: each rendering makes other values. */
  readonly random?: RandomStore;
}

/** A fetched revision of a source. */
export interface Workspace {
  /** The folder of the revision; charts are in `resources/<component>`, unless it has one chart of its own. */
  readonly folder: string;
  /** The folder of the component's chart. */
  readonly chart: string;
  /** The commit of a Git source, else the version that was asked for. */
  readonly revision: string;
}

/** Charts of components: fetched when they are not there, and rendered. */
export interface Charts {
  workspace(
    request: Pick<ChartRequest, 'component' | 'version' | 'url'>,
    options: ChartOptions,
  ): Promise<Workspace>;
  /** The objects of a component's chart. */
  render(request: ChartRequest, options: RenderOptions): Promise<Manifest>;
  /** The CRDs of a Kyma version (`installation/resources/crds`), each with the path of its file below that folder. */
  crds(request: Pick<ChartRequest, 'version' | 'url'>, options: ChartOptions): Promise<Manifest>;
  /** values.yaml ← profile ← configuration of the component. */
  values(request: ChartRequest, options: ChartOptions): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Opens the cluster of a kubeconfig, which its caller closes. It need not answer yet.
 *
 * @param tenant whose share of the memory it takes, see `tenantOf`
 * @throws KubeconfigError, EndpointRefusedError without a part of the kubeconfig that may be secret
 */
export type OpenCluster = (kubeconfig: string, tenant: string) => Promise<ManagedCluster>;

/** Where objects of a component go, and what marks them. */
export interface DeployTarget {
  readonly cluster: ManagedCluster;
  readonly component: string;
  readonly namespace: string;
  /** The version of the task, for the label of objects. */
  readonly version: string;
}

/** An object that is awaited, and why. */
export interface Awaited {
  readonly object: Pick<KubeObject, 'apiVersion' | 'kind'> & {
    readonly metadata: Pick<KubeObject['metadata'], 'name' | 'namespace'>;
  };
  /** `1 of 3 replicas are ready` */
  readonly reason: string;
}

export interface DeployOptions {
  readonly signal: AbortSignal;
  /** Called when what is awaited changes; for heartbeats. */
  readonly onProgress?: (awaited: readonly Awaited[]) => void;
  /** Objects that something else manages by now: they stay as they are, also if the component has applied them. Default: none. */
  readonly released?: Manifest;
}

/** Applies, prunes, awaits and deletes the objects of components. */
export interface Deployer {
  /** Applies the manifest, deletes what left it, and waits until its objects are ready. */
  deploy(target: DeployTarget, manifest: Manifest, options: DeployOptions): Promise<void>;
  /** Deletes the objects of the manifest and of the inventory in reverse order, and waits until they are gone. */
  remove(target: DeployTarget, manifest: Manifest, options: DeployOptions): Promise<void>;
}

/** The kinds that a cluster serves, by discovery. */
export interface Kinds {
  /**
   * Undefined if the cluster does not serve it, after one new discovery.
   *
   * @throws KindsUnknownError if the server of its API does not answer
   */
  find(
    apiVersion: string,
    kind: string,
    options: { readonly signal: AbortSignal },
  ): Promise<ResourceType | undefined>;
  /**
   * All kinds that can be listed and deleted, each in its preferred version.
   *
   * @param options.category only kinds of it, e.g. `all`, as `kubectl get all`; default: every kind
   * @param options.group only kinds of it; default: those of all groups
   * @throws KindsUnknownError if they are not all known
   */
  all(options: {
    readonly signal: AbortSignal;
    readonly category?: string;
    readonly group?: string;
  }): Promise<readonly ResourceType[]>;
  /** All that is served, as charts name it: `apps/v1`, `apps/v1/Deployment`. */
  apiVersions(options: { readonly signal: AbortSignal }): Promise<readonly string[]>;
  /** Kinds are discovered anew by the next call: a CRD was applied. */
  forget(): void;
}

/** The cluster that a task is for. It belongs to a customer: its responses are bounded, and it may be slow. */
export interface ManagedCluster {
  /** For messages and metrics: the host of its API server. */
  readonly name: string;
  readonly client: KubeClient;
  readonly kinds: Kinds;
  /** What charts know of it: its version, and what it serves. Undefined: they are rendered as without a cluster. */
  capabilities(options: { readonly signal: AbortSignal }): Promise<ChartCapabilities | undefined>;
  /**
   * The cluster for a part of the work. What the client returns takes memory of the tenant until its part is disposed, or else until the
   * cluster is closed. Waits while the tenant has no memory for a part.
   *
   * @throws ProviderError of kind `transient` if there is none for half a minute
   */
  part(options: PartOptions): Promise<ClusterPart>;
  /**
   * Counts what is kept of answers beyond their part.
   *
   * @throws ProviderError of kind `transient` if there is no memory
   */
  keep(value: unknown): void;
  close(): Promise<void>;
}

export interface PartOptions {
  readonly signal: AbortSignal;
  /** What the part has from its begin; default: enough for usual objects. */
  readonly bytes?: number;
}

export interface ClusterPart extends Omit<ManagedCluster, 'close'>, Disposable {}

/** An object to be applied, with where it was written, for messages. */
export interface ManifestObject {
  readonly object: KubeObject;
  /** `chart/templates/service.yaml`, or the path of a file with CRDs. */
  readonly source: string;
}

/** The objects of a component, in the order in which they are applied. */
export type Manifest = readonly ManifestObject[];

/** What tasks of one process share. */
export interface ComponentParts {
  readonly charts: Charts;
  readonly deployer: Deployer;
  readonly openCluster: OpenCluster;
  /** The folder of a version of Kyma, which is fetched if it is not there. @throws SourceError */
  versionFolder(version: string, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

/** A worker of a pool, as its task sees it. */
export interface Worker {
  /** The task waits, and needs no worker until it resumes. */
  pause(): void;
  /** Resolves when the task has a worker again, or `signal` is aborted. */
  resume(signal: AbortSignal): Promise<void>;
}

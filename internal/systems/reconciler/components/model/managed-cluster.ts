import type { KubeClient, ResourceType } from '../../../../framework/kube/index.ts';
import type { ChartCapabilities } from '../../../../templates/helm/index.ts';

/** The kinds that a cluster serves, by discovery. */
export interface Kinds {
  /** Undefined if the cluster does not serve it, after one new discovery. */
  find(
    apiVersion: string,
    kind: string,
    options: { readonly signal: AbortSignal },
  ): Promise<ResourceType | undefined>;
  /**
   * All kinds that can be listed and deleted, each in its preferred version.
   *
   * @param options.category only kinds of it, e.g. `all`, as `kubectl get all`; default: every kind
   */
  all(options: {
    readonly signal: AbortSignal;
    readonly category?: string;
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
  close(): Promise<void>;
}

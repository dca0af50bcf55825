import type { ReportedStatus, TaskMetadata } from '../model/task.ts';

/** A component of a cluster. */
export interface ClusterComponent {
  readonly component: string;
  /** Default `kyma-system`. */
  readonly namespace?: string;
  /** Where its chart is: a Git repository (`….git`), an archive, or `oci:`; default: the version of Kyma. */
  readonly url?: string;
  /** Default: the version of Kyma; of a Git repository: its default branch. */
  readonly version?: string;
  /** Values of the chart by dotted key; a value may be an object. */
  readonly configuration?: Readonly<Record<string, unknown>>;
}

/** What a cluster shall have. */
export interface ClusterRequest {
  /** Its text. It runs no program, reads no file and does not turn off the verification of the server. */
  readonly kubeconfig: string;
  /** `delete` removes the components in reverse order. Default `reconcile`. */
  readonly type?: 'reconcile' | 'delete';
  /**
   * The version of Kyma: a tag, branch, commit or `PR-<number>`, or `local` for the workspace itself. Its CRDs come first.
   * Default: none, and all components have a URL.
   */
  readonly version?: string;
  /** `evaluation` or `production`: values of a profile in charts that have it. Default: none. */
  readonly profile?: string;
  readonly components: readonly ClusterComponent[];
  /** Groups of components that come before all others, in this order. */
  readonly preComponents?: readonly (readonly string[])[];
  /** Which custom resources the cleaner of a deletion removes. Default `system`: those of Kyma. */
  readonly deleteStrategy?: 'system' | 'all';
  /** What some component reconcilers read. Default: empty texts. */
  readonly metadata?: Partial<TaskMetadata>;
}

/** The status of one component, whenever it changes. */
export interface ComponentStatus {
  readonly component: string;
  /** `failed`: an attempt failed, and another one follows. */
  readonly status: ReportedStatus;
  /** Why it failed; else empty. */
  readonly error: string;
  /** What it waits for. */
  readonly progress?: string;
}

export interface ComponentResult {
  readonly component: string;
  /** `new`: an earlier component failed. */
  readonly state: 'done' | 'error' | 'new';
  /** Why it failed; else empty. */
  readonly reason: string;
  readonly durationMs: number;
}

export interface ClusterResult {
  readonly status: 'ready' | 'deleted' | 'error' | 'delete_error';
  /** In the order of their priorities. */
  readonly components: readonly ComponentResult[];
}

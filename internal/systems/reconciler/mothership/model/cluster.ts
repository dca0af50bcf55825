/**
 * A cluster as its clients register it, and as the inventory stores it. Names of fields are those of the external API, since
 * these documents are stored as they are.
 */
import type { NamedValue } from '../../../../framework/base/index.ts';
import { CLUSTER_STATUSES, type ClusterStatus } from '../database/schema.ts';

export interface ClusterDocument {
  readonly runtimeID: string;
  readonly runtimeInput: RuntimeInput;
  readonly kymaConfig: KymaConfig;
  readonly metadata: Metadata;
  /** Undefined or empty: it is in the Secret `kubeconfig-<runtimeID>`. */
  readonly kubeconfig?: string;
}

export interface RuntimeInput {
  readonly name: string;
  readonly description: string;
}

export interface Metadata {
  readonly globalAccountID: string;
  readonly subAccountID: string;
  readonly serviceID: string;
  readonly servicePlanID: string;
  readonly servicePlanName: string;
  readonly shootName: string;
  readonly instanceID: string;
  readonly region: string;
}

export interface KymaConfig {
  readonly version: string;
  readonly profile: string;
  readonly components: readonly Component[];
  readonly administrators: readonly string[];
}

export interface Component {
  readonly component: string;
  readonly namespace: string;
  readonly configuration: readonly ConfigurationEntry[];
  readonly URL: string;
  readonly version: string;
}

export interface ConfigurationEntry {
  readonly key: string;
  /** Any JSON. */
  readonly value: unknown;
  readonly secret: boolean;
}

/** A cluster with one of its configurations and the newest status of that. It has no kubeconfig. */
export interface ClusterState {
  readonly cluster: ClusterVersion;
  readonly configuration: ConfigVersion;
  readonly status: StatusVersion;
}

/** The status of a configuration, which needs neither the documents nor a decryption. */
export interface VersionedStatus {
  readonly cluster: Pick<ClusterVersion, 'version' | 'runtimeId'>;
  readonly configuration: Pick<ConfigVersion, 'version'>;
  readonly status: Pick<StatusVersion, 'id' | 'status'>;
}

/** An immutable version of a cluster. Versions are numbers of one sequence for all clusters. */
interface ClusterVersion {
  readonly version: number;
  readonly runtimeId: string;
  readonly runtime: RuntimeInput;
  readonly metadata: Metadata;
  /** Version of the API that it was registered with. */
  readonly contract: number;
  readonly deleted: boolean;
  readonly created: Date;
}

/** An immutable version of the configuration of a cluster version. */
export interface ConfigVersion {
  readonly version: number;
  readonly runtimeId: string;
  readonly clusterVersion: number;
  readonly kymaVersion: string;
  readonly kymaProfile: string;
  readonly components: readonly Component[];
  readonly administrators: readonly string[];
  readonly contract: number;
  readonly deleted: boolean;
  readonly created: Date;
}

/** A status that a configuration has or had. */
interface StatusVersion {
  readonly id: number;
  readonly runtimeId: string;
  readonly clusterVersion: number;
  readonly configVersion: number;
  readonly status: ClusterStatus;
  readonly deleted: boolean;
  readonly created: Date;
}

/** A status of a cluster with its duration: until the next one, or until now. */
export interface StatusChange {
  readonly status: ClusterStatus;
  readonly started: Date;
  readonly durationMs: number;
}

/** Where the kubeconfig of a cluster is that was registered without one: a Secret of the control plane. */
export interface KubeconfigSource {
  /** The kubeconfig; undefined if there is none. */
  read(runtimeId: string, signal: AbortSignal): Promise<string | undefined>;
}

/** A short one may be an ordinary word, such as `true`: it is masked only where it stands as the value of its key. */
export type SecretValue = string | NamedValue;

/** A longer text is masked wherever it is, since it is marked. In characters. */
const SHORT = 8;

/** Texts in the values that a registration marks as secret: a component reconciler gets them, and may quote them. */
export const secretValuesOf = ({ configuration }: Pick<Component, 'configuration'>): SecretValue[] =>
  configuration.flatMap(({ key, value, secret }) =>
    secret ? textsIn(value).map((text) => (text.length < SHORT ? { name: key, value: text } : text)) : [],
  );

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/* The statuses of a cluster, and what each of them means. */

export { CLUSTER_STATUSES, type ClusterStatus };

/** The value of the metric `reconciler_reconciliation_status`. */
export const statusId = (status: ClusterStatus): number => CLUSTER_STATUSES.indexOf(status);

/** Whether a text of a client is a status. */
export const isClusterStatus = (text: unknown): text is ClusterStatus =>
  CLUSTER_STATUSES.some((status) => status === text);

/** A reconciliation of the cluster runs. */
const isInProgress = (status: ClusterStatus): boolean => status === 'reconciling' || status === 'deleting';

/** The run failed, and the scheduler starts another one. */
const isRetryable = (status: ClusterStatus): boolean =>
  status === 'reconcile_error_retryable' || status === 'delete_error_retryable';

/** The status that clients see: a run that will be repeated is still in progress for them. */
export function shownStatus(status: ClusterStatus): ClusterStatus {
  if (status === 'reconcile_error_retryable') return 'reconciling';
  if (status === 'delete_error_retryable') return 'deleting';
  return status;
}

/** Statuses whose answer lists the failed operations. */
export const hasFailures = (status: ClusterStatus): boolean =>
  status === 'error' || status === 'delete_error' || isInProgress(status) || isRetryable(status);

/** The last run failed. */
export const FAILED = [
  'error',
  'reconcile_error_retryable',
  'delete_error',
  'delete_error_retryable',
] as const satisfies ClusterStatus[];

/** Scheduled at once. */
export const PENDING = ['reconcile_pending', 'delete_pending'] as const satisfies ClusterStatus[];
/** Counted by the metric `reconciler_reconciliation_not_ready_total`. */
export const NOT_READY = [
  'error',
  'reconcile_error_retryable',
  'deleting',
  'delete_error',
  'delete_error_retryable',
] as const satisfies ClusterStatus[];

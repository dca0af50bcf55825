import { createHash } from 'node:crypto';
import { createLruCache, textBytes } from '../../../../framework/base/collections/lru-cache.ts';
import { serverHostOf } from '../../../../framework/kube/config/untrusted-kubeconfig.ts';

/** What a component reconciler is asked to do: the body of `POST /v1/run`, by the names of its JSON fields. */
export interface Task {
  /** Components of the cluster that are done in this run. */
  componentsReady: string[];
  component: string;
  namespace: string;
  /** Of Kyma, or of the component in its own repository. */
  version: string;
  /** Where the chart is; empty: the version of Kyma. */
  url: string;
  /** Empty, `evaluation` or `production`. */
  profile: string;
  /** Values of the chart by dotted key. */
  configuration: Record<string, unknown>;
  /** Of the cluster, as text. */
  kubeconfig: string;
  metadata: TaskMetadata;
  /** Whose share of each limit it takes, see `tenantOf`. Absent: the sender does not know. */
  tenant?: string;
  /** Where reports are sent, with the query as it is; empty: they are logged. */
  callbackURL: string;
  correlationID: string;
  repository: { url: string };
  type: 'reconcile' | 'delete';
  componentConfiguration: {
    /** Attempts; 0: none is left. */
    maxRetries: number;
    /** Whether details are logged. */
    debug: boolean;
  };
}

/** Whose share of each limit a task takes: that of its tenant, of the account of its cluster, or of its API server. */
export function tenantOf({ tenant, metadata, kubeconfig }: Task): string {
  const account = metadata.globalAccountID || metadata.subAccountID;
  if (tenant !== undefined && tenant !== '') return tenant;
  return account === '' ? clusterOf({ kubeconfig }) : `account ${account}`;
}

/** Whether a KymaCluster of a namespace has registered the cluster: its values must not act with the rights of operators. */
export const isOfNamespace = ({ tenant = '' }: Pick<Task, 'tenant'>): boolean =>
  tenant.startsWith('namespace ');

/**
 * Tells clusters apart without keeping their kubeconfigs: by the host of the API server that they lead to, since one server may have
 * many kubeconfigs, names and ports. All kubeconfigs that lead to none share one place.
 */
export function clusterOf({ kubeconfig }: Pick<Task, 'kubeconfig'>): string {
  const digest = createHash('sha256').update(kubeconfig).digest('base64');
  const known = clusters.get(digest);
  if (known !== undefined) return known;
  const host = serverHostOf(kubeconfig);
  const cluster = host === undefined ? 'no server' : `server ${host}`;
  clusters.set(digest, cluster);
  return cluster;
}

/** A task is offered, and asks for its share, many times: its kubeconfig is parsed once. */
const clusters = createLruCache<string, string>({ maxBytes: 256 * 1024, bytesOf: textBytes });

/** Where the cluster belongs to. */
export interface TaskMetadata {
  globalAccountID: string;
  subAccountID: string;
  serviceID: string;
  servicePlanID: string;
  servicePlanName: string;
  shootName: string;
  instanceID: string;
  region: string;
}

/** What a component reconciler reports about a task. `notstarted`, the state before the first report, is never sent. */
export type ReportedStatus = 'running' | 'failed' | 'success' | 'error';

/** One report, by the names of its JSON fields. */
export interface CallbackMessage {
  readonly status: ReportedStatus;
  /** Why it failed; empty if it did not. */
  readonly error: string;
  /** Of the attempt. */
  readonly retryID: string;
  /** In ms, since the task began. */
  readonly processingDuration: number;
  readonly progress?: Progress;
  /** The rendered objects of a dry run, as YAML. */
  readonly manifest?: string;
}

/** What an attempt is doing. */
interface Progress {
  /** From 1. */
  readonly attempt: number;
  readonly message: string;
}

/**
 * What became of a report:
 *
 * - `delivered`    it is known
 * - `refused`      it is not understood, or cannot change anything any more; repeating it is useless
 * - `superseded`   the operation was sent to another worker, or is gone: the task must end
 * - `undelivered`  it may be repeated
 */
export type Delivery = 'delivered' | 'refused' | 'superseded' | 'undelivered';

/** Delivers a report. Never rejects. */
export type Callback = (message: CallbackMessage, signal: AbortSignal) => Promise<Delivery>;

import type { components } from '../../../../../apis/reconciler/external.openapi.gen.ts';
import {
  type ClusterState,
  type Component,
  type ConfigVersion,
  type StatusChange,
  shownStatus,
  type VersionedStatus,
} from '../model/cluster.ts';
import type { ClusterPage, ListedCluster } from '../model/inventory.ts';
import type { Rollout } from '../model/mothership.ts';
import {
  type Failure,
  isFinal,
  type Operation,
  type Reconciliation,
  type ReconciliationInfo,
} from '../model/reconciliation.ts';

type Schemas = components['schemas'];

/** A KymaCluster reads answers of 1 MiB. */
const MAX_FAILURES_BYTES = 512 * 1024;

interface ClusterResponseOptions {
  /** `scheme://host:port` of the mothership, as its clients reach it. */
  readonly baseUrl: string;
  /** Version of the API in the request. */
  readonly contract: number;
  readonly failures: readonly Failure[];
}

export function clusterResponse(
  { cluster, configuration, status }: VersionedStatus,
  { baseUrl, contract, failures }: ClusterResponseOptions,
): Schemas['ClusterResponse'] {
  const id = encodeURIComponent(cluster.runtimeId);
  return {
    cluster: cluster.runtimeId,
    clusterVersion: cluster.version,
    configurationVersion: configuration.version,
    status: shownStatus(status.status),
    statusURL: `${baseUrl}/v${contract}/clusters/${id}/configs/${configuration.version}/status`,
    failures: [
      ...withinBytes(
        failures.map(({ component, reason }) => ({ component, reason })),
        MAX_FAILURES_BYTES,
      ),
    ],
  };
}

export const kymaConfig = ({
  kymaVersion,
  kymaProfile,
  components: list,
  administrators,
}: ConfigVersion): Schemas['KymaConfig'] => ({
  version: kymaVersion,
  profile: kymaProfile,
  components: list.map(componentShape),
  administrators: [...administrators],
});

const componentShape = (component: Component): Schemas['Component'] => ({
  component: component.component,
  namespace: component.namespace,
  configuration: component.configuration.map(({ key, value, secret }) => ({ key, value, secret })),
  URL: component.URL,
  version: component.version,
});

const MAX_LIST_BYTES = 1024 * 1024;

/** @param found one more than the limit, if there are more */
export function clusterList({ clusters: found, total }: ClusterPage, limit: number): Schemas['ClusterList'] {
  const clusters = [...withinBytes(found.slice(0, limit).map(clusterSummary), MAX_LIST_BYTES)];
  if (total !== undefined) return { clusters, total };
  const last = clusters.at(-1);
  return { clusters, ...(found.length > clusters.length && last ? { continue: last.runtimeID } : {}) };
}

export const clusterSummary = (cluster: ListedCluster): Schemas['ClusterSummary'] => ({
  runtimeID: cluster.runtimeId,
  name: cluster.runtimeName,
  globalAccountID: cluster.globalAccountId,
  plan: cluster.planName,
  kymaVersion: cluster.kymaVersion,
  configurationVersion: cluster.configVersion,
  status: cluster.status,
  since: cluster.statusSince.toISOString(),
  errors: cluster.errors,
  group: cluster.group,
  held: cluster.held,
  shoot: cluster.shootName,
  failedComponents: [...cluster.failedComponents],
  ...(cluster.nextRun === undefined ? {} : { nextRun: cluster.nextRun.toISOString() }),
});

const NS_PER_MS = 1e6;

export const statusChange = ({ started, durationMs, status }: StatusChange): Schemas['StatusChange'] => ({
  started: started.toISOString(),
  duration: Math.round(durationMs * NS_PER_MS),
  status,
});

export function clusterState({ cluster, configuration, status }: ClusterState): Schemas['ClusterState'] {
  return {
    cluster: {
      version: cluster.version,
      runtimeID: cluster.runtimeId,
      runtime: { ...cluster.runtime },
      metadata: { ...cluster.metadata },
      contract: cluster.contract,
      created: cluster.created.toISOString(),
    },
    configuration: {
      version: configuration.version,
      runtimeID: configuration.runtimeId,
      clusterVersion: configuration.clusterVersion,
      kymaVersion: configuration.kymaVersion,
      kymaProfile: configuration.kymaProfile,
      components: configuration.components.map(componentShape),
      administrators: [...configuration.administrators],
      contract: configuration.contract,
      deleted: configuration.deleted,
      created: configuration.created.toISOString(),
    },
    status: {
      id: status.id,
      runtimeID: status.runtimeId,
      clusterVersion: status.clusterVersion,
      configVersion: status.configVersion,
      status: status.status,
      deleted: status.deleted,
      created: status.created.toISOString(),
    },
  };
}

export const reconciliationShape = (run: Reconciliation): Schemas['Reconciliation'] => ({
  // As the Go program has it.
  lock: run.finished ? `unlock-${run.scheduling_id}` : run.runtime_id,
  runtimeID: run.runtime_id,
  schedulingID: run.scheduling_id,
  created: run.created.toISOString(),
  updated: run.updated.toISOString(),
  status: run.status,
  finished: run.finished,
});

export const reconciliationInfo = (run: ReconciliationInfo): Schemas['ReconciliationInfo'] => ({
  runtimeID: run.runtime_id,
  schedulingID: run.scheduling_id,
  configVersion: run.config_version,
  created: run.created.toISOString(),
  updated: run.updated.toISOString(),
  status: run.status,
  finished: run.finished,
  operations: run.operations.map(operationShape),
});

const operationShape = (operation: Operation): Schemas['Operation'] => ({
  priority: operation.priority,
  schedulingID: operation.scheduling_id,
  correlationID: operation.correlation_id,
  component: operation.component,
  state: operation.state,
  reason: operation.reason ?? '',
  created: operation.created.toISOString(),
  updated: operation.updated.toISOString(),
  type: operation.type,
  retries: operation.retries,
  ...(waits(operation) ? { nextAttempt: operation.next_attempt_at.toISOString() } : {}),
  ...(operation.progress === null ? {} : { progress: operation.progress }),
});

const waits = ({ state }: Operation): boolean =>
  !isFinal(state) && state !== 'in_progress' && state !== 'failed';

export const rolloutShape = (rollout: Rollout): Schemas['Rollout'] => ({
  id: rollout.id,
  kind: rollout.kind,
  name: rollout.name,
  reason: rollout.reason,
  clusters: rollout.clusters,
  failedClusters: rollout.failedClusters,
  heldClusters: rollout.heldClusters,
  paused: rollout.resumedAt === undefined,
  pausedAt: rollout.pausedAt.toISOString(),
  ...(rollout.resumedAt === undefined ? {} : { resumedAt: rollout.resumedAt.toISOString() }),
  ...(rollout.resumedBy === undefined ? {} : { resumedBy: rollout.resumedBy }),
});

/**
 * The first entries of a list that together have at most so many bytes of JSON, but one at least: names and reasons of others decide
 * how large an answer is, and many clients may ask at once.
 */
export function withinBytes<T>(entries: readonly T[], maxBytes: number): readonly T[] {
  let bytes = 0;
  for (const [index, entry] of entries.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(entry) ?? '');
    if (bytes > maxBytes && index > 0) return entries.slice(0, index);
  }
  return entries;
}

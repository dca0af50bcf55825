import type { components } from '../../../../../../apis/reconciler/external.openapi.gen.ts';
import type {
  ClusterState,
  Component,
  ConfigVersion,
  StatusChange,
  VersionedStatus,
} from '../../model/cluster.ts';
import { shownStatus } from '../../model/cluster-status.ts';
import type { ClusterPage, ListedCluster } from '../../model/inventory.ts';
import type { Failure } from '../../model/reconciliation.ts';
import { withinBytes } from './within-bytes.ts';

type Schemas = components['schemas'];

/** A KymaCluster reads answers of 1 MiB. */
const MAX_FAILURES_BYTES = 512 * 1024;

export interface ClusterResponseOptions {
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

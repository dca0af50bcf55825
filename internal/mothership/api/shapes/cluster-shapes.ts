import type { components } from '../../../../apis/reconciler/external.openapi.gen.ts';
import type { ClusterState, Component, ConfigVersion, StatusChange } from '../../model/cluster.ts';
import { shownStatus } from '../../model/cluster-status.ts';
import type { Failure } from '../../model/reconciliation.ts';

type Schemas = components['schemas'];

export interface ClusterResponseOptions {
  /** `scheme://host:port` of the mothership, as its clients reach it. */
  readonly baseUrl: string;
  /** Version of the API in the request. */
  readonly contract: number;
  readonly failures: readonly Failure[];
}

export function clusterResponse(
  { cluster, configuration, status }: ClusterState,
  { baseUrl, contract, failures }: ClusterResponseOptions,
): Schemas['ClusterResponse'] {
  const id = encodeURIComponent(cluster.runtimeId);
  return {
    cluster: cluster.runtimeId,
    clusterVersion: cluster.version,
    configurationVersion: configuration.version,
    status: shownStatus(status.status),
    statusURL: `${baseUrl}/v${contract}/clusters/${id}/configs/${configuration.version}/status`,
    failures: failures.map(({ component, reason }) => ({ component, reason })),
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

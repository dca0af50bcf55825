import type { KubeconfigCheck } from '../../kubeconfigs/kubeconfig-check.ts';
import type { ClusterState, VersionedStatus } from '../../model/cluster.ts';
import { CLUSTER_STATUSES, hasFailures, isClusterStatus } from '../../model/cluster-status.ts';
import type { Mothership } from '../../model/mothership.ts';
import { bodyFields, readCluster } from '../bodies/read-cluster.ts';
import { type ApiRequest, type ApiResponse, badRequest, type Route } from '../request/api-request.ts';
import {
  clusterList,
  clusterResponse,
  clusterState,
  kymaConfig,
  statusChange,
} from '../shapes/cluster-shapes.ts';
import { clusterGroup, duration, pageOffset, pageSize, required, statuses, version } from './parameters.ts';

export interface ClusterRoutesOptions extends Pick<Mothership, 'inventory' | 'reconciliations'> {
  readonly baseUrl: string;
  readonly kubeconfigs: KubeconfigCheck;
}

/** The only version of the API whose bodies are known. */
const CONTRACT = 1;
const WEEK_MS = 168 * 3_600_000;

export function clusterRoutes(options: ClusterRoutesOptions): readonly Route[] {
  const { inventory, reconciliations, baseUrl, kubeconfigs } = options;

  const respond = async (state: VersionedStatus, { contract }: ApiRequest): Promise<ApiResponse> => {
    const { id, status } = state.status;
    const failures = hasFailures(status) ? await reconciliations.failures(id) : [];
    return { body: clusterResponse(state, { baseUrl, contract, failures }) };
  };
  const upsert = async (request: ApiRequest) => {
    assertContract(request);
    const document = readCluster(request.body());
    await kubeconfigs.check(document, request.signal);
    return respond(await inventory.upsert(document, request.contract), request);
  };
  const setStatus = async (request: ApiRequest) => {
    assertContract(request);
    const status = bodyFields(request.body()).requiredText('status');
    if (!isClusterStatus(status)) throw badRequest(`status: want one of ${CLUSTER_STATUSES.join(', ')}`);
    return respond(await inventory.setStatus(required(request, 'runtimeID'), status), request);
  };
  const remove = async (request: ApiRequest) =>
    respond(await inventory.markForDeletion(required(request, 'runtimeID')), request);
  const latest = async (request: ApiRequest) =>
    respond(await inventory.status(required(request, 'runtimeID')), request);
  const ids = (request: ApiRequest) =>
    [required(request, 'runtimeID'), version(request, 'configVersion')] as const;
  const configStatus = async (request: ApiRequest) =>
    respond(await inventory.status(...ids(request)), request);
  const config = async (request: ApiRequest) => ({
    body: kymaConfig((await inventory.at(...ids(request))).configuration),
  });
  const changes = async (request: ApiRequest) => {
    const sinceMs = duration(request, 'offset', WEEK_MS);
    const found = await inventory.statusChanges(required(request, 'runtimeID'), sinceMs);
    return { body: { statusChanges: found.map(statusChange) } };
  };
  const list = async (request: ApiRequest) => {
    const limit = pageSize(request);
    const [prefix, after, cluster, search, component] = [
      'prefix',
      'continue',
      'cluster',
      'search',
      'component',
    ].map((name) => request.parameter(name));
    const group = clusterGroup(request);
    const offset = pageOffset(request);
    const wanted = statuses(request, 'status');
    const kymaVersions = request.parameters('kymaVersion');
    const found = await inventory.list({
      ...(wanted.length === 0 ? {} : { statuses: wanted }),
      ...(kymaVersions.length === 0 ? {} : { kymaVersions }),
      ...(prefix === undefined ? {} : { prefix }),
      ...(after === undefined ? {} : { after }),
      ...(cluster === undefined ? {} : { cluster }),
      ...(search === undefined ? {} : { search }),
      ...(component === undefined ? {} : { component }),
      ...(group === undefined ? {} : { group }),
      ...(offset === undefined ? {} : { offset }),
      limit: offset === undefined ? limit + 1 : limit,
    });
    return { body: clusterList(found, limit) };
  };
  const state = async (request: ApiRequest) => ({ body: clusterState(await stateOf(request)) });
  const stateOf = (request: ApiRequest): Promise<ClusterState> => {
    const [runtimeId, schedulingId, correlationId] = ['runtimeID', 'schedulingID', 'correlationID'].map(
      (name) => request.parameter(name),
    );
    if (runtimeId !== undefined) return inventory.latest(runtimeId);
    if (schedulingId !== undefined) return inventory.of({ schedulingId });
    return inventory.of(correlationId === undefined ? undefined : { correlationId });
  };

  return [
    { method: 'GET', path: '/clusters', access: 'viewer', handle: list },
    { method: 'POST', path: '/clusters', access: 'operator', audited: true, handle: upsert },
    { method: 'PUT', path: '/clusters', access: 'operator', audited: true, handle: upsert },
    { method: 'GET', path: '/clusters/state', access: 'viewer', handle: state },
    { method: 'DELETE', path: '/clusters/:runtimeID', access: 'operator', audited: true, handle: remove },
    { method: 'GET', path: '/clusters/:runtimeID/status', access: 'viewer', handle: latest },
    { method: 'PUT', path: '/clusters/:runtimeID/status', access: 'admin', audited: true, handle: setStatus },
    {
      method: 'GET',
      path: '/clusters/:runtimeID/configs/:configVersion/status',
      access: 'viewer',
      handle: configStatus,
    },
    {
      method: 'GET',
      path: '/clusters/:runtimeID/config/:configVersion/status',
      access: 'viewer',
      handle: configStatus,
    },
    { method: 'GET', path: '/clusters/:runtimeID/config/:configVersion', access: 'viewer', handle: config },
    { method: 'GET', path: '/clusters/:runtimeID/statusChanges', access: 'viewer', handle: changes },
  ];
}

function assertContract({ contract }: ApiRequest): void {
  if (contract !== CONTRACT)
    throw badRequest(`version ${contract} of the API is not supported, only ${CONTRACT}`);
}

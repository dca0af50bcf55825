import type { components } from '../../../../../../apis/reconciler/external.openapi.gen.ts';
import type { Clock } from '../../../../../framework/base/index.ts';
import { LINK_NAME } from '../../config/start-flags.ts';
import type { KubeconfigCheck } from '../../kubeconfigs/kubeconfig-check.ts';
import {
  CLUSTER_STATUSES,
  type ClusterState,
  hasFailures,
  isClusterStatus,
  type VersionedStatus,
} from '../../model/cluster.ts';
import type { Mothership } from '../../model/mothership.ts';
import { RefusedError } from '../../model/refused-error.ts';
import { type ApiRequest, type ApiResponse, badRequest, type Route } from '../api-request.ts';
import { bodyFields, readCluster } from '../read-bodies.ts';
import {
  clusterList,
  clusterResponse,
  clusterState,
  clusterSummary,
  kymaConfig,
  reconciliationInfo,
  reconciliationShape,
  rolloutShape,
  statusChange,
} from '../shapes.ts';
import { clusterGroup, duration, pageOffset, pageSize, required, statuses, version } from './parameters.ts';

interface ClusterRoutesOptions extends Pick<Mothership, 'inventory' | 'reconciliations'> {
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

type Details = components['schemas']['ClusterDetails'];

interface ClusterDetailsOptions extends Pick<Mothership, 'inventory' | 'reconciliations' | 'rollouts'> {
  readonly clock: Clock;
  /** Addresses with `{name}` for the ID or name; empty: no link. */
  readonly links: { readonly runtime: string; readonly shoot: string };
}

const MAX_RUNS = 50;

/** Everything about a cluster that the page for operators shows, in one response and without values that are secret. */
export function clusterDetailsRoute(options: ClusterDetailsOptions): Route {
  const { inventory, reconciliations, rollouts, clock, links } = options;
  const handle = async (request: ApiRequest): Promise<{ body: Details }> => {
    const runtimeId = required(request, 'runtimeID');
    const { cluster, configuration } = await inventory.latest(runtimeId);
    const { clusters } = await inventory.list({ cluster: runtimeId, limit: 2 });
    const summary = clusters.find((each) => each.runtimeId === runtimeId);
    if (summary === undefined) throw new RefusedError('not-found', 'cannot find the cluster');
    const [changes, configurations, runs, paused] = await Promise.all([
      inventory.statusChanges(runtimeId, WEEK_MS).catch(noneIfNotFound),
      inventory.configurations(runtimeId),
      reconciliations.list({ runtimeIds: [runtimeId], limit: MAX_RUNS }),
      summary.held ? rollouts.list() : [],
    ]);
    const [newest] = runs;
    const names = new Set(configuration.components.map(({ component }) => component));
    const { metadata } = cluster;
    return {
      body: {
        time: new Date(clock.now()).toISOString(),
        cluster: clusterSummary(summary),
        profile: configuration.kymaProfile,
        subAccountID: metadata.subAccountID,
        instanceID: metadata.instanceID,
        region: metadata.region,
        statusChanges: changes.map(statusChange),
        configurations: configurations.map(({ version, created, changes: differences }) => ({
          version,
          created: created.toISOString(),
          changes: differences.map((each) => ({ ...each })),
        })),
        runs: runs.map(reconciliationShape),
        ...(newest === undefined
          ? {}
          : { run: reconciliationInfo(await reconciliations.get(newest.scheduling_id)) }),
        heldBy: paused
          .filter(
            ({ resumedAt, kind, name }) =>
              resumedAt === undefined &&
              (kind === 'version' ? name === configuration.kymaVersion : names.has(name)),
          )
          .map(rolloutShape),
        links: {
          ...linkTo('runtime', links.runtime, runtimeId),
          ...linkTo('shoot', links.shoot, metadata.shootName),
        },
      },
    };
  };
  return { method: 'GET', path: '/clusters/:runtimeID/details', access: 'viewer', handle };
}

/** Tenants choose the names of their clusters. A name is encoded, so that it changes no other part of the address. */
const linkTo = (of: 'runtime' | 'shoot', address: string, name: string): Details['links'] =>
  address === '' || name === '' ? {} : { [of]: address.replaceAll(LINK_NAME, encodeURIComponent(name)) };

function noneIfNotFound(error: unknown): [] {
  if (error instanceof RefusedError && error.refusal === 'not-found') return [];
  throw error;
}

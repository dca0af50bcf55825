import type { components } from '../../../../../../apis/reconciler/external.openapi.gen.ts';
import type { Clock } from '../../../../../framework/base/index.ts';

import { LINK_NAME } from '../../config/start-flags.ts';
import type { Mothership } from '../../model/mothership.ts';
import { RefusedError } from '../../model/refused-error.ts';
import type { ApiRequest, Route } from '../request/api-request.ts';
import { clusterSummary, statusChange } from '../shapes/cluster-shapes.ts';
import { reconciliationInfo, reconciliationShape, rolloutShape } from '../shapes/reconciliation-shapes.ts';
import { required } from './parameters.ts';

type Details = components['schemas']['ClusterDetails'];

export interface ClusterDetailsOptions
  extends Pick<Mothership, 'inventory' | 'reconciliations' | 'rollouts'> {
  readonly clock: Clock;
  /** Addresses with `{name}` for the ID or name; empty: no link. */
  readonly links: { readonly runtime: string; readonly shoot: string };
}

const WEEK_MS = 168 * 3_600_000;
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

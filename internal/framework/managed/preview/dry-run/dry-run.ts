/**
 * A dry run of the managed reconciler: the same reconciler, connector and Observe, with a client that records writes
 * instead of sending them, and external writes recorded instead of performed. So a plan agrees with the controller.
 */

import type { Deps } from '../../../base/deps.ts';
import { withoutShardOwner } from '../../../controller/reconcile/shard-ownership.ts';
import { highPriorityRequest } from '../../../controller/reconcile-result.ts';
import type { EventType } from '../../../kube/object/core-event.ts';
import { keyOf, keyString } from '../../../kube/object/object.ts';
import type { ConnectionPublisher } from '../../connection/connection-publisher.ts';
import type { Connector, ExternalClient, Observation } from '../../kind/external-client.ts';
import type { ManagedKind } from '../../kind/managed-kind.ts';
import { createManagedReconciler } from '../../managed-controller.ts';
import type { Managed } from '../../resource/managed.ts';
import type { OverlayClient } from './overlay-client.ts';

/** An external write that the reconciler would make. */
export type ExternalStep = 'create' | 'update' | 'delete';

export interface DryRunEvent {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

export interface DryRun<R extends Managed> {
  /** The resource after the reconcile, with its conditions. */
  readonly resource: R;
  /** External writes, in order. */
  readonly steps: readonly ExternalStep[];
  /** The result of Observe; absent if it was not called or failed. */
  readonly observation?: Observation;
  readonly events: readonly DryRunEvent[];
}

export interface DryRunOptions extends Pick<Deps, 'clock' | 'random' | 'log'> {
  /** Client of the cluster of the resource. The connector of the kind should use the same. */
  readonly client: OverlayClient;
  readonly signal: AbortSignal;
  /** Whether `spec.managementPolicies` is respected; default true. */
  readonly managementPolicies?: boolean;
}

/** @param resource stored or new; it need not exist */
export async function performDryRun<R extends Managed>(
  kind: ManagedKind<R>,
  resource: R,
  options: DryRunOptions,
): Promise<DryRun<R>> {
  const { client } = options;
  const key = keyOf(resource);
  client.seed(kind.type, withoutShardOwner(resource));
  const draft = () => client.peek(kind.type, key);
  const steps: ExternalStep[] = [];
  const events: DryRunEvent[] = [];
  const observations: Observation[] = [];
  const connector: Connector<R> = {
    ...kind.connector,
    connect: async (subject, ctx) =>
      recording(await kind.connector.connect(subject, ctx), steps, observations),
  };
  const reconcile = createManagedReconciler<R>({
    ...options,
    // The reconciler logs external writes, which do not happen here.
    log: options.log.child({ dryRun: true }),
    // Create and Delete change nothing here, so there is nothing to observe after them.
    kind: { ...kind, connector, observeAfterCreate: false, observeAfterDelete: false },
    read: draft,
    publisher: noPublisher,
    recorder: {
      record: (_object, type, reason, message) => void events.push({ type, reason, message }),
    },
  });
  await reconcile(keyString(key), options.signal, highPriorityRequest);
  const [observation] = observations;
  return {
    resource: draft() ?? resource,
    steps,
    events,
    ...(observation === undefined ? {} : { observation }),
  };
}

function recording<R extends Managed>(
  client: ExternalClient<R>,
  steps: ExternalStep[],
  observations: Observation[],
): ExternalClient<R> {
  const note = (step: ExternalStep) => async () => {
    steps.push(step);
    return {};
  };
  return {
    ...client,
    observe: async (resource, ctx) => {
      const observation = await client.observe(resource, ctx);
      observations.push(observation);
      return observation;
    },
    create: note('create'),
    update: note('update'),
    delete: note('delete'),
  };
}

const noPublisher: ConnectionPublisher = { publish: async () => false, unpublish: async () => undefined };

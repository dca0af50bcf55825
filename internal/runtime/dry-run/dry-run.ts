/**
 * One pass of the managed reconciler in which nothing is written: the very reconciler runs, with the kind's own
 * connector and Observe, on a client whose writes stay where they are, and whatever it would ask of the other side is
 * noted instead of done. So a plan cannot disagree with what the controller does.
 */

import type { Deps } from '../../base/deps.ts';
import type { EventType } from '../../kube/object/core-event.ts';
import { keyOf, keyString } from '../../kube/object/object.ts';
import type { ConnectionPublisher } from '../connection/connection-publisher.ts';
import { highPriorityRequest } from '../controller/reconcile-result.ts';
import type { Connector, ExternalClient, Observation } from '../managed/kind/external-client.ts';
import type { ManagedKind } from '../managed/kind/managed-kind.ts';
import { createManagedReconciler } from '../managed/reconciler.ts';
import type { Managed } from '../resource/managed.ts';
import { withoutShardOwner } from '../sharding/shard-ownership.ts';
import type { OverlayClient } from './overlay-client.ts';

/** What the reconciler would ask of the other side. */
export type ExternalStep = 'create' | 'update' | 'delete';

export interface DryRunEvent {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

export interface DryRun<R extends Managed> {
  /** The resource as the pass would leave it, conditions included. */
  readonly resource: R;
  /** What would be asked of the other side, in this order. */
  readonly steps: readonly ExternalStep[];
  /** What Observe found; absent where it was not reached or failed. */
  readonly observation?: Observation;
  readonly events: readonly DryRunEvent[];
}

export interface DryRunOptions extends Pick<Deps, 'clock' | 'random' | 'log'> {
  /** Of the cluster that the resource lives on. The kind's connector should have the same. */
  readonly client: OverlayClient;
  readonly signal: AbortSignal;
  /** Whether `spec.managementPolicies` counts; default true. */
  readonly managementPolicies?: boolean;
}

/** @param resource as it is stored, or as it would be; it need not exist */
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
  const seen: Observation[] = [];
  const connector: Connector<R> = {
    ...kind.connector,
    connect: async (subject, ctx) => noting(await kind.connector.connect(subject, ctx), steps, seen),
  };
  const reconcile = createManagedReconciler<R>({
    ...options,
    // The reconciler logs changes of the external system, of which there are none here.
    log: options.log.child({ dryRun: true }),
    // There is nothing new to see after a Create or Delete that did not happen.
    kind: { ...kind, connector, observeAfterCreate: false, observeAfterDelete: false },
    read: draft,
    publisher: noPublisher,
    recorder: {
      record: (_object, type, reason, message) => void events.push({ type, reason, message }),
    },
  });
  await reconcile(keyString(key), options.signal, highPriorityRequest);
  const [observation] = seen;
  return {
    resource: draft() ?? resource,
    steps,
    events,
    ...(observation === undefined ? {} : { observation }),
  };
}

function noting<R extends Managed>(
  client: ExternalClient<R>,
  steps: ExternalStep[],
  seen: Observation[],
): ExternalClient<R> {
  const note = (step: ExternalStep) => async () => {
    steps.push(step);
    return {};
  };
  return {
    ...client,
    observe: async (resource, ctx) => {
      const observation = await client.observe(resource, ctx);
      seen.push(observation);
      return observation;
    },
    create: note('create'),
    update: note('update'),
    delete: note('delete'),
  };
}

const noPublisher: ConnectionPublisher = { publish: async () => false, unpublish: async () => undefined };

/** What a dryRun comes to: the one word and the one sentence that people and pipelines want. */

import type { ExternalFields } from '../managed/kind/external-client.ts';
import { messagePaused } from '../managed/steps/messages.ts';
import {
  getCondition,
  reasonConflict,
  reasonReconcilePaused,
  reasonWaiting,
  typeSynced,
  typeUpToDate,
} from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import { externalNameFrom, wasDeleted } from '../resource/meta.ts';
import { foreignFinalizers, managedFinalizer } from '../steps/finalizer.ts';
import type { DryRun, ExternalStep } from './dry-run.ts';

/** What the provider would do on the other side. `unknown`: it cannot be told, and `problem` says why. */
export type PlanAction = 'create' | 'update' | 'delete' | 'nothing' | 'unknown';

/**
 * Why nothing can be told: what others own is missing (`waiting`), another resource has what this one asks for
 * (`conflict`), or the pass would fail.
 */
export type PlanProblem = 'waiting' | 'conflict' | 'error';

export interface ResourcePlan {
  readonly action: PlanAction;
  /** Set where the action is unknown. */
  readonly problem?: PlanProblem;
  /** One line. No credentials. */
  readonly reason: string;
  /** The requests to the other side, in order: an update may be a deletion followed by a creation. */
  readonly steps: readonly ExternalStep[];
  /** The name by which the other side knows the resource, or will know it. */
  readonly externalName?: string;
  readonly current?: ExternalFields;
  readonly desired?: ExternalFields;
}

/** @param before the resource as it was rehearsed, without a `Synced` condition of an earlier pass */
export function resourcePlanOf<R extends Managed>(before: R, dryRun: DryRun<R>): ResourcePlan {
  const { steps, observation, resource } = dryRun;
  const common = {
    steps,
    ...nameOf(before, resource),
    ...fieldsOf(observation),
  };
  const diff = observation?.state === 'present' ? observation.diff : undefined;
  const [first, second] = steps;
  if (first === 'delete' && second === 'create') {
    return { ...common, action: 'update', reason: diff ?? 'it differs, and can only be made anew' };
  }
  switch (first) {
    case 'create':
      return { ...common, action: 'create', reason: 'it does not exist' };
    case 'update':
      return { ...common, action: 'update', reason: diff ?? 'it differs' };
    case 'delete':
      return { ...common, action: 'delete', reason: 'the resource is being deleted' };
    case undefined:
      return { ...common, ...withoutSteps(before, dryRun) };
    default:
      return first satisfies never;
  }
}

function withoutSteps<R extends Managed>(
  before: R,
  { resource, observation }: DryRun<R>,
): Pick<ResourcePlan, 'action' | 'problem' | 'reason'> {
  const synced = getCondition(resource, typeSynced);
  const nothing = (reason: string) => ({ action: 'nothing', reason }) as const;
  if (synced?.status === 'False') {
    const reason = synced.message ?? synced.reason;
    switch (synced.reason) {
      case reasonReconcilePaused:
        return nothing(messagePaused);
      case reasonWaiting:
        return { action: 'unknown', problem: 'waiting', reason };
      case reasonConflict:
        return { action: 'unknown', problem: 'conflict', reason };
      default:
        return { action: 'unknown', problem: 'error', reason };
    }
  }
  if (wasDeleted(before)) return nothing(whyNothingIsDeleted(before, observation?.state === 'present'));
  if (observation?.state === 'pending') return nothing(`the other side is busy: ${observation.operation}`);
  const upToDate = getCondition(resource, typeUpToDate);
  if (upToDate?.status === 'False') {
    const what = upToDate.message ?? 'it differs';
    return nothing(`${what}; spec.managementPolicies does not allow to change that`);
  }
  if (observation?.state !== 'present') return nothing('it was created a moment ago and does not show yet');
  const isKnown = externalNameFrom(before) === externalNameFrom(resource);
  return nothing(isKnown ? 'it is as asked for' : 'it exists as asked for and would be adopted');
}

function whyNothingIsDeleted(resource: Managed, exists: boolean): string {
  const foreign = foreignFinalizers(resource, managedFinalizer);
  if (exists && foreign.length > 0) return `the deletion waits for the finalizer ${foreign.join(', ')}`;
  return 'the resource would go; nothing is deleted on the other side';
}

/** An object's own name is what other providers leave where there is no external name yet. */
function nameOf(before: Managed, after: Managed): { externalName?: string } {
  const name = externalNameFrom(after) ?? externalNameFrom(before);
  return name === undefined ? {} : { externalName: name };
}

function fieldsOf(observation: DryRun<Managed>['observation']): Pick<ResourcePlan, 'current' | 'desired'> {
  if (observation === undefined || observation.state === 'pending') return {};
  const { desired } = observation;
  const current = observation.state === 'present' ? observation.current : undefined;
  return { ...(current === undefined ? {} : { current }), ...(desired === undefined ? {} : { desired }) };
}

/** The result of a dry run for users and pipelines: an action and its reason. */

import { foreignFinalizers, managedFinalizer } from '../../../controller/reconcile/finalizer.ts';
import { wasDeleted } from '../../../kube/object/object.ts';
import type { ExternalFields } from '../../kind/external-client.ts';
import {
  getCondition,
  reasonConflict,
  reasonReconcilePaused,
  reasonWaiting,
  typeSynced,
  typeUpToDate,
} from '../../resource/conditions.ts';
import type { Managed } from '../../resource/managed.ts';
import { recordedExternalName } from '../../resource/meta.ts';
import { messagePaused } from '../../steps/messages/messages.ts';
import type { DryRun, ExternalStep } from './dry-run.ts';

/** The external write that the provider would make. `unknown`: `problem` has the reason. */
export type PlanAction = 'create' | 'update' | 'delete' | 'nothing' | 'unknown';

/**
 * Why the action is unknown: an object of another owner is missing (`waiting`), another resource holds what this one
 * claims (`conflict`), or the reconcile would fail.
 */
export type PlanProblem = 'waiting' | 'conflict' | 'error';

export interface ResourcePlan {
  readonly action: PlanAction;
  /** Set if the action is unknown. */
  readonly problem?: PlanProblem;
  /** One line. No credentials. */
  readonly reason: string;
  /** The external writes in order: an update may be a deletion followed by a creation. */
  readonly steps: readonly ExternalStep[];
  /** The external name, recorded or new. */
  readonly externalName?: string;
  readonly current?: ExternalFields;
  readonly desired?: ExternalFields;
}

/** @param before the resource before the dry run, without a `Synced` condition of an earlier reconcile */
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
  if (observation?.state === 'pending')
    return nothing(`the external API has an operation in progress: ${observation.operation}`);
  const upToDate = getCondition(resource, typeUpToDate);
  if (upToDate?.status === 'False') {
    const what = upToDate.message ?? 'it differs';
    return nothing(`${what}; spec.managementPolicies does not allow to change that`);
  }
  if (observation?.state !== 'present')
    return nothing('it was created a short time ago and is not visible yet');
  const isKnown = recordedExternalName(before) === recordedExternalName(resource);
  return nothing(isKnown ? 'it is as asked for' : 'it exists as asked for and would be adopted');
}

function whyNothingIsDeleted(resource: Managed, exists: boolean): string {
  const foreign = foreignFinalizers(resource, managedFinalizer);
  if (exists && foreign.length > 0) return `the deletion waits for the finalizer ${foreign.join(', ')}`;
  return 'the finalizer would be removed; nothing is deleted externally';
}

/** Without a recorded external name other providers leave the name of the object. */
function nameOf(before: Managed, after: Managed): { externalName?: string } {
  const name = recordedExternalName(after) ?? recordedExternalName(before);
  return name === undefined ? {} : { externalName: name };
}

function fieldsOf(observation: DryRun<Managed>['observation']): Pick<ResourcePlan, 'current' | 'desired'> {
  if (observation === undefined || observation.state === 'pending') return {};
  const { desired } = observation;
  const current = observation.state === 'present' ? observation.current : undefined;
  return { ...(current === undefined ? {} : { current }), ...(desired === undefined ? {} : { desired }) };
}

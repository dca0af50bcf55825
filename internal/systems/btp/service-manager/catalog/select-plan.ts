import { PlanSelectionError } from '../errors/errors.ts';
import type { PlanSelection, SelectedPlan } from '../objects/plan.ts';

/** The plans with the names of a selection, and their offerings. */
export interface CatalogEntry {
  readonly hasOfferings: boolean;
  readonly plans: readonly SelectedPlan[];
  /** Names of the plans that the offerings have, if none has the name of the selection. Default: none. */
  readonly knownPlans?: readonly string[];
}

/** @throws PlanSelectionError */
export function assertNames({ instanceName, offeringName, planName }: PlanSelection): void {
  if (offeringName !== '' && planName !== '') return;
  throw new PlanSelectionError(
    'missing-names',
    `missing field values. Specify service name and plan name for the instance '${instanceName}'`,
  );
}

/** Plans that a message lists. */
const MAX_LISTED = 20;

function listed(plans: readonly string[]): string {
  if (plans.length === 0) return '';
  const more = plans.length > MAX_LISTED ? `, and ${plans.length - MAX_LISTED} more` : '';
  return `; its plans are ${plans.slice(0, MAX_LISTED).join(', ')}${more}`;
}

/** The plan that a selection means. @throws PlanSelectionError */
export function selectPlan(entry: CatalogEntry, selection: PlanSelection): SelectedPlan {
  const { offeringName, planName, planID = '', dataCenter = '' } = selection;
  const { hasOfferings, plans, knownPlans = [] } = entry;
  const [only] = plans;
  if (!hasOfferings)
    throw new PlanSelectionError(
      'unknown-offering',
      `couldn't find the service offering '${offeringName}' on dataCenter '${dataCenter}'`,
    );
  if (only === undefined)
    throw new PlanSelectionError(
      'unknown-plan',
      `couldn't find the service plan '${planName}' for the service offering '${offeringName}'${listed(knownPlans)}`,
    );
  if (planID !== '') {
    const named = plans.find(({ plan }) => plan.id === planID);
    if (named !== undefined) return named;
    throw new PlanSelectionError(
      'wrong-plan-id',
      `the provided plan ID '${planID}' doesn't match the provided offering name '${offeringName}' and plan name '${planName}'`,
    );
  }
  if (plans.length === 1) return only;
  throw new PlanSelectionError(
    'ambiguous',
    `ambiguity error: found more than one resource that matches the provided offering name '${offeringName}' and plan name '${planName}'. Please provide servicePlanID`,
  );
}

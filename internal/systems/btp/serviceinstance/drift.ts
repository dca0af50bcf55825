/** Whether Service Manager still has an instance as its spec says, as far as a list shows it. Parameters are not shown. */

import { step } from '../../../framework/controller/index.ts';
import type {
  CallOptions,
  ServiceManagerClient,
  ServiceInstance as SmInstance,
} from '../service-manager/index.ts';
import { isReady } from '../status/conditions.ts';
import { externalNameOf } from '../status/service-resource.ts';
import { type InstanceRun, removeShared, setFoundShared, sharedOf } from './instance-run.ts';
import type { ServiceInstance } from './resource.ts';
import { planSelectionOf } from './sm-requests.ts';

type PlanSource = Pick<ServiceManagerClient, 'selectPlan'>;

/** Plans are known from memory mostly. */
export async function differs(
  instance: ServiceInstance,
  found: SmInstance,
  client: PlanSource,
  options: CallOptions,
): Promise<boolean> {
  return sharingDiffers(instance, found) || (await contentDiffers(instance, found, client, options));
}

/**
 * Looks at an instance that a list has shown otherwise: takes over in memory whether it is shared, so that it is shared or unshared.
 *
 * @returns whether its name or plan must be sent again
 */
export async function lookForDrift(run: InstanceRun, found: SmInstance): Promise<boolean> {
  const { object: instance, context } = run;
  if (!isReady(instance)) return false;
  if (sharingDiffers(instance, found)) {
    if (found.shared) setFoundShared(instance, context.clock.now());
    else removeShared(instance);
  }
  return step('update', () => hasDifferentContent(run, found));
}

/** Whether the instance in Service Manager has another name or plan than the spec says. */
export const hasDifferentContent = (
  { object: instance, client, context }: InstanceRun,
  found: SmInstance,
): Promise<boolean> => contentDiffers(instance, found, client, context);

/** An instance whose spec does not say whether it is shared may be shared by others. */
const sharingDiffers = (instance: ServiceInstance, found: SmInstance): boolean =>
  instance.spec.shared !== undefined && found.shared !== (sharedOf(instance)?.status === 'True');

async function contentDiffers(
  instance: ServiceInstance,
  found: SmInstance,
  client: PlanSource,
  options: CallOptions,
): Promise<boolean> {
  if (found.name !== externalNameOf(instance)) return true;
  if (found.servicePlanID === undefined) return false;
  const { plan } = await client.selectPlan(planSelectionOf(instance), options);
  return plan.id !== found.servicePlanID;
}

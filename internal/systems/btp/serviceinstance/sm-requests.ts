/** What requests to Service Manager say about an instance, and reads with several users. */
import { messageOf } from '../../../framework/base/index.ts';

import { identityOf } from '../operations/run.ts';
import type {
  Parameters,
  PlanSelection,
  ServiceInstanceUpdate,
  ServiceInstance as SmInstance,
} from '../service-manager/index.ts';
import { externalNameOf } from '../status/service-resource.ts';
import type { InstanceRun } from './instance-run.ts';
import type { ServiceInstance } from './resource.ts';

export function planSelectionOf(instance: ServiceInstance): PlanSelection {
  const { serviceOfferingName, servicePlanName, servicePlanID, dataCenter } = instance.spec;
  return {
    instanceName: externalNameOf(instance),
    offeringName: serviceOfferingName,
    planName: servicePlanName,
    ...(servicePlanID ? { planID: servicePlanID } : {}),
    ...(dataCenter ? { dataCenter } : {}),
  };
}

/** The content of a create or update. */
export const contentOf = (
  instance: ServiceInstance,
  servicePlanID: string,
  parameters: Parameters | undefined,
): ServiceInstanceUpdate => ({
  name: externalNameOf(instance),
  servicePlanID,
  ...(parameters === undefined ? {} : { parameters }),
});

/** The instances in Service Manager by external name and identity in Kubernetes. */
export function findInstances(run: Omit<InstanceRun, 'external'>): Promise<readonly SmInstance[]> {
  const query = { name: externalNameOf(run.object), identity: identityOf(run) };
  return run.client.findInstances(query, run.context);
}

/** The tags of its service offering; undefined if there are none, or if they cannot be read. */
export async function tagsOf(
  { client, context }: InstanceRun,
  { servicePlanID }: SmInstance,
): Promise<string[] | undefined> {
  if (servicePlanID === undefined) return undefined;
  try {
    return listOf((await client.planByID(servicePlanID, context))?.offering.tags);
  } catch (error) {
    context.log.info('cannot read the tags of the service offering', { error: messageOf(error) });
    return undefined;
  }
}

/** As many of the first tags as fit; undefined if there are none. */
export function listOf(tags: readonly string[] = []): string[] | undefined {
  const fitting: string[] = [];
  let bytes = 0;
  for (const tag of tags.slice(0, MAX_TAGS)) {
    bytes += Buffer.byteLength(tag);
    if (bytes > MAX_TAG_BYTES) break;
    fitting.push(tag);
  }
  return fitting.length > 0 ? fitting : undefined;
}

/** The limit of the schema. */
const MAX_TAGS = 1024;
/** Brokers choose the tags: a status beyond the limit of etcd would never be stored, and with it the ID of the instance. */
const MAX_TAG_BYTES = 64 * 1024;

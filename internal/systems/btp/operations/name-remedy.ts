import { findCause } from '../../../framework/base/errors/errors.ts';
import { wasDeleted } from '../../../framework/kube/index.ts';
import { ServiceManagerError } from '../service-manager/index.ts';
import { nounOf } from '../status/messages.ts';
import { externalNameOf, type ServiceResource } from '../status/service-resource.ts';

/** What users can do if the name in Service Manager is taken: text that follows the cause. Empty for other errors. */
export function nameRemedy(object: ServiceResource, error: unknown): string {
  if (wasDeleted(object) || findCause(error, ServiceManagerError)?.class !== 'conflict') return '';
  const name = JSON.stringify(externalNameOf(object));
  return `. Set spec.externalName to another name: the subaccount has another ${nounOf(object.kind)} ${name}`;
}

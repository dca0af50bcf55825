import { findCause, kindOf } from '../../../framework/base/index.ts';

import { keyString, wasDeleted } from '../../../framework/kube/index.ts';
import { nameProblem } from '../../../framework/kube/object/object.ts';
import { MissingCredentialsError } from '../credentials/errors.ts';
import { deletionPolicyAnnotation } from '../metadata.ts';
import { nounOf } from '../status/messages.ts';
import type { ServiceResource } from '../status/service-resource.ts';
import { OtherCredentialsError } from './maker.ts';

/**
 * What users can do about a deletion that fails because credentials are missing or refused: text that follows the cause.
 * Empty for other objects and errors.
 */
export function deletionRemedy(object: ServiceResource, error: unknown): string {
  if (!wasDeleted(object)) return '';
  const missing = findCause(error, MissingCredentialsError);
  if (missing === undefined && kindOf(error) !== 'auth') return '';
  const { kind, status } = object;
  const subaccount = status?.subaccountID ? `subaccount ${status.subaccountID}` : 'its subaccount';
  const isOfOthers = findCause(error, OtherCredentialsError) !== undefined;
  const repair =
    missing === undefined
      ? isOfOthers
        ? `Restore the credentials of ${subaccount}`
        : 'Correct the credentials'
      : nameProblem(missing.proposed.name, 'a Secret') !== undefined
        ? 'Correct spec.btpAccessCredentialsSecret'
        : `Create the Secret ${keyString(missing.proposed)} with credentials of ${subaccount}`;
  return `. ${repair}, or annotate the ${kind} with ${deletionPolicyAnnotation}=Orphan to leave the ${nounOf(kind)} in Service Manager`;
}

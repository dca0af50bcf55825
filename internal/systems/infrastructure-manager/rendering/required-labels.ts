import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { ProviderError } from '../../../framework/base/errors/errors.ts';
import { ownMember } from '../../../framework/base/json/json-field.ts';
import { labels } from '../labels.ts';

/** In the order in which missing ones are reported. */
const REQUIRED = [
  labels.instanceId,
  labels.runtimeId,
  labels.region,
  labels.kymaName,
  labels.brokerPlanId,
  labels.brokerPlanName,
  labels.globalAccountId,
  labels.subaccountId,
];

/** The beginning of the message about labels that are missing. */
export const missingLabels = 'missing required label';

/** @throws a `terminal` error that names all labels that are missing or empty */
export function assertRequiredLabels({ metadata }: Runtime): void {
  const missing = REQUIRED.filter((label) => !ownMember(metadata.labels, label));
  if (missing.length === 0) return;
  throw new ProviderError(
    'terminal',
    `${missingLabels}${missing.length === 1 ? '' : 's'} ${missing.join(', ')}`,
  );
}

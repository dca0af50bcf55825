import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { ProviderError } from '../../../base/errors/errors.ts';
import { ownMember } from '../../../base/json/json-field.ts';
import { labels } from '../labels.ts';

/** In the order in which a missing one is reported. */
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

/** @throws a `terminal` error that names the first label that is missing or empty */
export function assertRequiredLabels({ metadata }: Runtime): void {
  const missing = REQUIRED.find((label) => !ownMember(metadata.labels, label));
  if (missing !== undefined) throw new ProviderError('terminal', `missing required label ${missing}`);
}

/** The checks of HANA Cloud: the token and the mapping. */
import { kindOf, messageOf } from '../../../../framework/base/index.ts';
import { keyOf } from '../../../../framework/kube/index.ts';

import { connectChecked } from '../../../../framework/module/connect-checked.ts';
import { type Check, type CheckStatus, skippedCheck } from '../../../../framework/module/diagnosis.ts';
import type { HanaCloud, HanaCloudClient } from '../../hana-cloud/client.ts';
import type { MappingIdentity } from '../../mapping/identity/mapping-identity.ts';
import { decideIdentity } from '../../mapping/identity/recorded-identity.ts';
import { findMapping } from '../../mapping/mapping-kind.ts';
import { isDefaultDiff, mappingMissing } from '../../mapping/messages.ts';
import { kymaNames } from '../external-names.ts';
import { describedIdentity } from '../inputs/described-identity.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { KymaInstanceMapping } from '../resource.ts';
import { kymaMappingKind } from '../status.ts';
import { type Cause, remedies } from './remedies.ts';

export async function* hanaCloudChecks(
  hanaCloud: HanaCloud,
  resource: KymaInstanceMapping,
  inputs: Inputs,
  signal: AbortSignal,
): AsyncGenerator<Check> {
  const { credentials } = inputs;
  if (credentials === undefined) {
    yield* ['token', 'API'].map(skippedCheck);
    return;
  }
  const hana = yield* connectChecked(() => hanaCloud.connect(credentials), {
    tokenUrl: credentials.tokenUrl,
    remedy: remedies.credentials(resource),
    signal,
  });
  if (hana === undefined) {
    yield skippedCheck('API');
    return;
  }
  try {
    const identity = describedIdentity(resource, inputs);
    yield identity === undefined
      ? skippedCheck('API')
      : await apiCheck(hana, resource, identity, credentials.baseUrl, signal);
  } finally {
    await hana.close();
  }
}

async function apiCheck(
  hana: HanaCloudClient,
  resource: KymaInstanceMapping,
  identity: MappingIdentity,
  baseUrl: string,
  signal: AbortSignal,
): Promise<Check> {
  const reported = (status: CheckStatus, detail: string, cause: Cause = 'unknown'): Check => ({
    name: 'API',
    status,
    object: `${baseUrl}, mapping ${kymaNames.format(identity)}`,
    detail,
    ...(status === 'ok' ? {} : remedies[cause](resource, keyOf(resource))),
  });
  try {
    const decision = decideIdentity(kymaMappingKind.recordsOf(resource), identity);
    const mapping = await findMapping(hana, identity, signal);
    if (decision.kind === 'changed') {
      return reported('waiting', `will replace ${kymaNames.format(decision.recorded)}`);
    }
    if (mapping === undefined) return reported('waiting', mappingMissing);
    const desired = resource.spec.forProvider.isDefault ?? false;
    return mapping.isDefault === desired
      ? reported('ok', 'mapped')
      : reported('waiting', isDefaultDiff(mapping.isDefault, desired));
  } catch (error) {
    // The credentials are valid, and not for this instance.
    return reported('failed', messageOf(error), kindOf(error) === 'auth' ? 'adminBindingRef' : 'unknown');
  }
}

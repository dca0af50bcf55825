/** The checks of HANA Cloud: the token and the mapping. */
import { messageOf } from '../../../../base/errors/errors.ts';
import { objectCommand } from '../../../../base/text/shell.ts';
import type { HanaCloud, HanaCloudClient } from '../../../../clients/hana-cloud/client.ts';
import { keyOf } from '../../../../kube/object/object.ts';
import { groupResource } from '../../../../kube/object/resource-type.ts';
import { connectChecked } from '../../../module/connect-checked.ts';
import { type Check, type CheckStatus, skippedCheck } from '../../../module/diagnosis.ts';
import type { MappingIdentity } from '../../mapping/identity/mapping-identity.ts';
import { decideIdentity } from '../../mapping/identity/recorded-identity.ts';
import { findMapping } from '../../mapping/mapping-lookup.ts';
import { isDefaultDiff, mappingMissing } from '../../mapping/messages.ts';
import { kymaNames } from '../external-names.ts';
import { describedIdentity } from '../inputs/described-identity.ts';
import { namedInputs } from '../inputs/input-refs.ts';
import { type Inputs, showBinding } from '../inputs/inputs.ts';
import { type KymaInstanceMapping, typeOfKey } from '../resource.ts';
import { kymaMappingKind } from '../status.ts';
import { onInputCluster } from './kubeconfig-checks.ts';

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
    remediation: onInputCluster(resource, showBinding(namedInputs(resource).adminBindingRef)),
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
  const reported = (status: CheckStatus, detail: string): Check => ({
    name: 'API',
    status,
    object: `${baseUrl}, mapping ${kymaNames.format(identity)}`,
    detail,
    ...(status === 'ok' ? {} : { remediation: describeCommand(resource) }),
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
    return reported('failed', messageOf(error));
  }
}

/** With the group, since both scopes have a kind of this name. */
function describeCommand(resource: KymaInstanceMapping): string {
  const key = keyOf(resource);
  return objectCommand('describe', groupResource(typeOfKey(key)), key);
}

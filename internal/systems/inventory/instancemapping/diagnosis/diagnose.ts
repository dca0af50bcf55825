/**
 * `doctor instancemapping/NAME`: from the InstanceMapping over the Secret with credentials to its mapping in HANA Cloud. It calls the
 * functions that Connect and Observe call, so that report and conditions agree.
 */
import { kindOf, messageOf } from '../../../../framework/base/index.ts';
import { kubectlArguments, objectCommand, shellCommand } from '../../../../framework/base/text/shell.ts';
import { groupResource, keyOf, keyString, type ObjectKey } from '../../../../framework/kube/index.ts';
import { conditionCheck } from '../../../../framework/module/condition-checks.ts';
import { connectChecked } from '../../../../framework/module/connect-checked.ts';
import type { Check, Diagnosis, Remedy } from '../../../../framework/module/diagnosis.ts';
import type { DiagnosisQuestion } from '../../../../framework/module/module.ts';
import { type CheckResult, readObject, reportOf } from '../../../../framework/module/object-report.ts';
import type { HanaCloud, HanaCloudClient } from '../../hana-cloud/client.ts';
import type { AdminCredentials } from '../../hana-cloud/credentials.ts';
import type { InputCluster } from '../../input/read-input.ts';
import { findMapping } from '../../mapping/mapping-kind.ts';
import { isDefaultDiff, mappingMissing } from '../../mapping/messages.ts';
import { type AdminCredentialsRef, adminCredentialsRef, readAdminCredentials } from '../admin-credentials.ts';
import { type InstanceMapping, instanceMappingTypes } from '../resource.ts';
import { rawNames, specIdentity } from '../status.ts';

export interface RawDiagnosisOptions extends DiagnosisQuestion {
  /** The management cluster, which has the Secrets. */
  readonly cluster: InputCluster;
  readonly hanaCloud: Pick<HanaCloud, 'connect'>;
}

/** The order of the report. */
const names = ['resource', 'conditions', 'Secret', 'token', 'API'];

const expectedConditions = [
  { type: 'Synced', waiting: ['Waiting', 'ReconcilePaused'] },
  { type: 'Ready' },
  { type: 'UpToDate', optional: true },
];

/** Of a namespaced InstanceMapping, or without a namespace of a cluster-scoped one. */
export async function diagnoseInstanceMapping(options: RawDiagnosisOptions): Promise<Diagnosis> {
  const report = await reportOf(options, names, follow(options));
  return { ...report, mapping: keyString(keyIn(options)) };
}

const keyIn = ({ name, namespace }: DiagnosisQuestion): ObjectKey =>
  namespace === undefined ? { name } : { name, namespace };

/** Ends after the first check without which the next ones cannot be made. */
async function* follow(options: RawDiagnosisOptions): AsyncGenerator<Check> {
  const { cluster, hanaCloud, signal } = options;
  const { client } = cluster;
  const type = instanceMappingTypes[options.namespace === undefined ? 'cluster' : 'namespaced'];
  const resource = yield* readObject('resource', { client, signal }, type, keyIn(options));
  if (resource === undefined) return;
  const { remediation = '' } = rawRemedies.unknown(resource);
  yield conditionCheck(resource.status?.conditions ?? [], expectedConditions, remediation);

  const ref = adminCredentialsRef(resource);
  const remedy = rawRemedies.credentials(ref);
  const secret = { name: 'Secret', object: `Secret ${keyString(ref)}`, cluster: client.clusterName };
  let credentials: AdminCredentials;
  try {
    ({ credentials } = await readAdminCredentials(cluster, ref, signal));
  } catch (error) {
    const status = kindOf(error) === 'waiting' ? 'waiting' : 'failed';
    yield { ...secret, status, detail: messageOf(error), ...remedy };
    return;
  }
  yield { ...secret, status: 'ok', detail: 'found and complete' };

  const { baseUrl, tokenUrl } = credentials;
  const hana = yield* connectChecked(() => hanaCloud.connect(credentials), { tokenUrl, remedy, signal });
  if (hana === undefined) return;
  try {
    const object = `${baseUrl}, mapping ${rawNames.format(specIdentity(resource))}`;
    yield { name: 'API', object, ...(await mappingCheck(hana, resource, signal)) };
  } finally {
    await hana.close();
  }
}

async function mappingCheck(
  hana: HanaCloudClient,
  resource: InstanceMapping,
  signal: AbortSignal,
): Promise<CheckResult> {
  const unknown = rawRemedies.unknown(resource);
  try {
    const mapping = await findMapping(hana, specIdentity(resource), signal);
    if (mapping === undefined) return { status: 'waiting', detail: mappingMissing, ...unknown };
    const desired = resource.spec.forProvider.isDefault ?? false;
    return mapping.isDefault === desired
      ? { status: 'ok', detail: 'mapped' }
      : { status: 'waiting', detail: isDefaultDiff(mapping.isDefault, desired), ...unknown };
  } catch (error) {
    // The credentials are valid, and not for this instance.
    const isRefused = kindOf(error) === 'auth';
    const remedy = isRefused ? rawRemedies.credentialsRef(resource) : unknown;
    return { status: 'failed', detail: messageOf(error), ...remedy };
  }
}

// What to do about each cause for which an InstanceMapping does not become Ready. `FILE` has the credentials.

const rawRemedies = {
  /** The Secret is missing or incomplete, or its credentials are refused. Stores others; other keys of the Secret remain. */
  credentials: ({ namespace, name, key }: AdminCredentialsRef): Remedy => {
    const words = [`--from-file=${key}=FILE`, '--dry-run=client', '--output=yaml'];
    // `--` precedes a name that begins with a dash.
    const named = name.startsWith('-') ? [...words, '--', name] : [name, ...words];
    const create = shellCommand(...kubectlArguments(namespace), 'create', 'secret', 'generic', ...named);
    return { field: key, remediation: `${create} | kubectl apply --filename=-` };
  },
  /** They are those of another instance. */
  credentialsRef: (resource: InstanceMapping): Remedy => ({
    field: 'spec.forProvider.adminCredentialsSecretRef',
    remediation: ownCommand(resource, 'edit'),
  }),
  /** Nothing is known but the conditions and events. */
  unknown: (resource: InstanceMapping): Remedy => ({ remediation: ownCommand(resource, 'describe') }),
};

/** With the group, since both scopes have a kind of this name. */
function ownCommand(resource: InstanceMapping, verb: string): string {
  const key = keyOf(resource);
  const type = instanceMappingTypes[key.namespace === undefined ? 'cluster' : 'namespaced'];
  return objectCommand(verb, groupResource(type), key);
}

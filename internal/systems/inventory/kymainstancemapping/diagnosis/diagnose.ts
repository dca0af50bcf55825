/**
 * Checks the chain of a KymaInstanceMapping from one object to the next and reports the status of each, the field at fault and a command
 * that fixes it. It calls the functions that Connect and Observe call, so that report and conditions agree.
 */

import { kindOf, messageOf } from '../../../../framework/base/index.ts';
import { kubectlArguments, shellCommand } from '../../../../framework/base/text/shell.ts';
import { grantCommand } from '../../../../framework/kube/client/access-review.ts';
import {
  groupResource,
  isForbidden,
  isNotFound,
  isUnknownKind,
  type KubeClient,
  type KubeObject,
  keyOf,
  keyString,
  notFoundText,
  type ObjectKey,
  ownUserOf,
  type ResourceType,
  secrets,
} from '../../../../framework/kube/index.ts';
import {
  annotationOf,
  annotationPaused,
  resolvePolicies,
  usedConfigOf,
} from '../../../../framework/managed/index.ts';
import { conditionCheck } from '../../../../framework/module/condition-checks.ts';
import { connectChecked } from '../../../../framework/module/connect-checked.ts';
import {
  type Check,
  type CheckStatus,
  type Diagnosis,
  type Remedy,
  skippedCheck,
} from '../../../../framework/module/diagnosis.ts';
import type { DiagnosisQuestion } from '../../../../framework/module/module.ts';
import { hanaConfigKinds } from '../../config/provider-configs.ts';
import type { HanaCloud, HanaCloudClient } from '../../hana-cloud/client.ts';
import {
  type Finding,
  type InputCluster,
  isOfCluster,
  isWaitedFor,
  type Problem,
} from '../../input/read-input.ts';
import { decideIdentity, type MappingIdentity } from '../../mapping/mapping-identity.ts';
import { findMapping } from '../../mapping/mapping-kind.ts';
import { isDefaultDiff, mappingMissing } from '../../mapping/messages.ts';
import { clusterRefOf, describedIdentity, namedInputs, readableInputs } from '../inputs/input-refs.ts';
import { type InputRefs, type Inputs, readInputs } from '../inputs/inputs.ts';
import { acquireKymaCluster, type KymaClusters, type KymaClusterUse } from '../inputs/kyma-cluster.ts';
import { type KymaInstanceMapping, typeOfKey } from '../resource.ts';
import { kymaMappingKind, kymaNames } from '../status.ts';
import { inputRights, ownRights, permissionChecks } from './permission-checks.ts';
import { type Cause, inputFlags, remedies } from './remedies.ts';

interface DiagnoseOptions extends Omit<DiagnosisQuestion, 'kind'> {
  readonly clusters: KymaClusters;
  readonly hanaCloud: HanaCloud;
}

export async function diagnose(options: DiagnoseOptions): Promise<Diagnosis> {
  const checks: Check[] = [];
  for await (const check of follow(options)) checks.push(check);
  return {
    mapping: keyString(keyIn(options)),
    healthy: checks.every(({ status }) => status === 'ok' || status === 'warning'),
    checks,
  };
}

const expectedConditions = [
  { type: 'Synced', waiting: ['Waiting', 'ReconcilePaused'] },
  { type: 'Ready' },
  { type: 'UpToDate', optional: true },
];

const ofLocalInputs = 'without kymaConnectionRef the sources are read from this cluster';

async function* follow(options: DiagnoseOptions): AsyncGenerator<Check> {
  const { clusters, hanaCloud, signal } = options;
  const access = { signal, ...(options.user === undefined ? {} : { user: options.user }) };
  const own = clusters.own.client;
  const key = keyIn(options);
  const type = typeOfKey(key);
  const object = `KymaInstanceMapping ${keyString(key)}`;
  const here = { name: 'resource', object, cluster: own.clusterName };
  let resource: KymaInstanceMapping;
  try {
    resource = await own.get(type, key, { signal });
  } catch (error) {
    if (isUnknownKind(error)) {
      yield { ...here, status: 'failed', ...(await explainMissingKind(own, type, signal)) };
    } else {
      const user = options.user ?? (await userOf(own, signal));
      const remediation = isForbidden(error)
        ? grantCommand({ verb: 'get', type, ...key }, { user })
        : shellCommand(...kubectlArguments(key.namespace), 'get', groupResource(type));
      yield { ...here, status: 'failed', detail: messageOf(error), remediation };
    }
    yield* skipped('conditions', 'permissions', 'kubeconfig', 'sources', 'token', 'API');
    return;
  }
  yield { ...here, status: 'ok', detail: 'found' };
  const conditions = resource.status?.conditions ?? [];
  const owned = conditions.some(({ type, reason }) => type === 'Synced' && reason === 'Conflict');
  const { remediation: show = '' } = remedies[owned ? 'conflict' : 'unknown'](resource);
  yield conditionCheck(conditions, expectedConditions, show);
  yield* specChecks(own, resource, signal);
  const user = options.user ?? (await userOf(own, signal));
  yield* permissionChecks(own, ownRights(resource), { ...access, grant: { user } });

  let use: KymaClusterUse;
  let refs: InputRefs;
  try {
    refs = readableInputs(resource);
  } catch (error) {
    const remedy = remedies.references(resource);
    yield { name: 'references', object, status: 'failed', detail: messageOf(error), ...remedy };
    yield* skipped('kubeconfig', 'sources', 'token', 'API');
    return;
  }
  try {
    use = await acquireKymaCluster(clusters, resource, signal);
  } catch (error) {
    yield kubeconfigProblem(resource, own, error, user);
    yield* skipped('sources', 'token', 'API');
    return;
  }
  const { cluster: kyma } = use;
  try {
    const inputs = await readInputs(kyma, refs, signal);
    const check = kubeconfigCheck(resource, kyma, inputs);
    yield check;
    if (check.status !== 'ok') {
      yield* skipped('sources', 'token', 'API');
      return;
    }
    const isOwn = clusterRefOf(resource) === undefined;
    const reader = isOwn ? user : await userOf(kyma.client, signal);
    yield* inputs.findings.map((finding) => inputCheck(finding, resource, reader));
    const rights = inputRights(resource, kyma, inputs).map((right) =>
      isOwn ? { ...right, because: ofLocalInputs } : right,
    );
    const grant = { user: reader, flags: inputFlags(resource) };
    yield* permissionChecks(kyma.client, rights, { ...(isOwn ? access : { signal }), grant });
    yield* hanaCloudChecks(hanaCloud, resource, inputs, signal);
  } finally {
    use.release();
  }
}

/** For commands that grant rights. Undefined: the API server does not say it. */
const userOf = (client: KubeClient, signal: AbortSignal): Promise<string | undefined> =>
  ownUserOf(client, { signal }).catch(() => undefined);

const skipped = (...names: readonly string[]) => names.map(skippedCheck);

function keyIn({ name, namespace }: Pick<DiagnoseOptions, 'name' | 'namespace'>): ObjectKey {
  return namespace === undefined ? { name } : { name, namespace };
}

/** Crossplane 2 creates one for each CRD of a provider package, and the CRD once the kind is activated. */
const managedResourceDefinitions: ResourceType<ManagedResourceDefinition> = {
  group: 'apiextensions.crossplane.io',
  version: 'v1alpha1',
  kind: 'ManagedResourceDefinition',
  plural: 'managedresourcedefinitions',
  namespaced: false,
};

interface ManagedResourceDefinition extends KubeObject {
  readonly spec?: { readonly state?: unknown };
}

/** Why the API server does not serve a kind of the package, and a command that fixes it. */
async function explainMissingKind(
  client: KubeClient,
  type: ResourceType,
  signal: AbortSignal,
): Promise<{ readonly detail: string; readonly remediation: string }> {
  const name = groupResource(type);
  const notInstalled = `the kind is not installed: there is no CRD ${name}`;
  const install = 'kubectl apply --server-side -f package/crds/';
  try {
    const key = { name };
    const { spec } = await client.get(managedResourceDefinitions, key, { signal });
    if (spec?.state !== 'Active') {
      return {
        detail: `the kind is inactive in Crossplane: no ManagedResourceActivationPolicy activates ${name}, and without an active kind the provider's pod may not run`,
        remediation: 'kubectl apply -f examples/provider/activation.yaml',
      };
    }
    return {
      detail: `the kind is active in Crossplane, and there is no CRD ${name} yet`,
      remediation: `kubectl describe ${groupResource(managedResourceDefinitions)} ${name}`,
    };
  } catch (error) {
    if (isNotFound(error)) return { detail: notInstalled, remediation: install };
    return { detail: `${notInstalled}; whether it is inactive: ${messageOf(error)}`, remediation: install };
  }
}

/** What in the spec of a mapping keeps it from being reconciled, apart from references to input objects: nothing if all is in order. */
async function* specChecks(
  client: KubeClient,
  resource: KymaInstanceMapping,
  signal: AbortSignal,
): AsyncGenerator<Check> {
  const cluster = client.clusterName;
  if (annotationOf(resource, annotationPaused) === 'true')
    yield {
      name: 'pause',
      status: 'failed',
      cluster,
      detail: 'the resource is paused',
      ...remedies.pausedByAnnotation(resource),
    };
  const policies = resolvePolicies(resource, { enabled: true });
  const problem = policies.problem ?? (policies.paused ? 'no policy pauses the resource' : undefined);
  if (problem !== undefined)
    yield {
      name: 'policies',
      status: 'failed',
      cluster,
      detail: problem,
      ...remedies.managementPolicies(resource),
    };
  const missing = await missingConfig(client, resource, signal);
  if (missing !== undefined)
    yield {
      name: 'ProviderConfig',
      status: 'failed',
      cluster,
      ...missing,
      ...remedies.providerConfig(resource),
    };
}

async function missingConfig(
  client: KubeClient,
  resource: KymaInstanceMapping,
  signal: AbortSignal,
): Promise<Pick<Check, 'detail' | 'object'> | undefined> {
  const scope = resource.metadata.namespace === undefined ? 'cluster' : 'namespaced';
  try {
    const { isDefault, type, key } = usedConfigOf(resource, hanaConfigKinds[scope]);
    if (isDefault) return undefined;
    const object = `${type.kind} ${keyString(key)}`;
    try {
      await client.get(type, key, { signal });
      return undefined;
    } catch (error) {
      return { object, detail: isNotFound(error) ? notFoundText(keyString(key)) : messageOf(error) };
    }
  } catch (error) {
    return { detail: messageOf(error) };
  }
}

// The checks of the input objects.

/** @param user that of the kubeconfig, whose rights are missing; undefined: not known */
function inputCheck(finding: Finding, resource: KymaInstanceMapping, user: string | undefined): Check {
  const { type, object, clusterName, problems } = finding;
  const [first] = problems;
  const base = { name: type.kind, object, cluster: clusterName };
  if (first === undefined) return { ...base, status: 'ok', detail: 'found and complete' };
  const fields = problems.flatMap((problem) => (problem.field === undefined ? [] : [problem.field]));
  return {
    ...base,
    status: problems.every(isWaitedFor) ? 'waiting' : 'failed',
    detail: problems.map((problem) => problem.text).join('; '),
    ...remedyOf(finding, first, resource, user),
    ...(fields.length === 0 ? {} : { field: fields.join(', ') }),
  };
}

function remedyOf(
  { type, key }: Finding,
  problem: Problem,
  resource: KymaInstanceMapping,
  user: string | undefined,
): Remedy {
  if (isForbidden(problem.cause)) {
    const right = { verb: 'get', type, ...key };
    return { remediation: grantCommand(right, { user, flags: inputFlags(resource) }) };
  }
  return remedies[causeOf(type.kind, problem, resource)](resource, key);
}

function causeOf(kind: string, problem: Problem, resource: KymaInstanceMapping): Cause {
  if (problem.kind === 'failed') return 'unknown';
  if (isUnknownKind(problem.cause)) return 'operatorMissing';
  const isMissing = problem.kind === 'missing';
  switch (kind) {
    case 'ServiceInstance':
      return isMissing ? 'serviceInstanceRef' : 'instanceNotReady';
    case 'ServiceBinding':
      return isMissing ? 'adminBindingRef' : 'bindingField';
    case 'Secret':
      return problem.kind === 'not-ready' ? 'bindingNotReady' : 'credentials';
    default:
      if (!isMissing) return 'clusterID';
      return isOfProvider(resource) ? 'clusterIdConfigMapFlag' : 'clusterIdConfigMapRef';
  }
}

/** Whether the ConfigMap is the one that a flag of the provider names. */
const isOfProvider = (resource: KymaInstanceMapping): boolean =>
  namedInputs(resource).clusterIdConfigMapRef === undefined && clusterRefOf(resource) === undefined;

// The check of the kubeconfig Secret.

/** A kubeconfig that was parsed, with the response of its cluster. */
function kubeconfigCheck(resource: KymaInstanceMapping, kyma: InputCluster, { findings }: Inputs): Check {
  const secret = kubeconfigSecret(resource);
  const base = { name: 'kubeconfig', cluster: kyma.client.clusterName };
  if (secret === undefined)
    return { ...base, status: 'ok', detail: 'not needed: the input objects are on the management cluster' };
  const problem = findings.flatMap(({ problems }) => problems).find(isOfCluster);
  if (problem === undefined) return { ...base, status: 'ok', object: secret, detail: 'accepted' };
  const status = problem.kind === 'unreachable' ? 'waiting' : 'failed';
  return { ...base, status, object: secret, detail: problem.text, ...remedies.kubeconfig(resource) };
}

/** @param user the one whose rights on the management cluster are checked */
function kubeconfigProblem(
  resource: KymaInstanceMapping,
  own: KubeClient,
  error: unknown,
  user: string | undefined,
): Check {
  const secret = clusterRefOf(resource)?.secret;
  const object = kubeconfigSecret(resource);
  const remedy =
    secret !== undefined && isForbidden(error)
      ? { remediation: grantCommand({ verb: 'get', type: secrets, ...secret }, { user }) }
      : remedies.kubeconfig(resource);
  return {
    name: 'kubeconfig',
    status: kindOf(error) === 'waiting' ? 'waiting' : 'failed',
    cluster: own.clusterName,
    detail: messageOf(error),
    ...(object === undefined ? {} : { object }),
    ...remedy,
  };
}

function kubeconfigSecret(resource: KymaInstanceMapping): string | undefined {
  const ref = clusterRefOf(resource);
  return ref === undefined ? undefined : `Secret ${keyString(ref.secret)}`;
}

/** The checks of HANA Cloud: the token and the mapping. */

async function* hanaCloudChecks(
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

/**
 * Checks the chain of a KymaInstanceMapping from one object to the next and reports the status of each, the field at fault and a command
 * that fixes it. It calls the functions that Connect and Observe call, so that report and conditions agree.
 */
import { messageOf } from '../../../../framework/base/index.ts';
import { kubectlArguments, shellCommand } from '../../../../framework/base/text/shell.ts';
import { grantCommand } from '../../../../framework/kube/client/access-review.ts';
import {
  groupResource,
  isForbidden,
  isNotFound,
  isUnknownKind,
  type KubeClient,
  type KubeObject,
  keyString,
  type ObjectKey,
  ownUserOf,
  type ResourceType,
} from '../../../../framework/kube/index.ts';
import { conditionCheck } from '../../../../framework/module/condition-checks.ts';
import { type Check, type Diagnosis, skippedCheck } from '../../../../framework/module/diagnosis.ts';
import type { DiagnosisQuestion } from '../../../../framework/module/module.ts';
import type { HanaCloud } from '../../hana-cloud/client.ts';
import { clusterRefOf, readableInputs } from '../inputs/input-refs.ts';
import { type InputRefs, readInputs } from '../inputs/inputs.ts';
import { acquireKymaCluster, type KymaClusters, type KymaClusterUse } from '../inputs/kyma-cluster.ts';
import { type KymaInstanceMapping, typeOfKey } from '../resource.ts';
import { hanaCloudChecks } from './hana-cloud-checks.ts';
import { inputCheck } from './input-checks.ts';
import { kubeconfigCheck, kubeconfigProblem } from './kubeconfig-checks.ts';
import { inputRights, ownRights, permissionChecks } from './permission-checks.ts';
import { inputFlags, remedies } from './remedies.ts';
import { specChecks } from './spec-checks.ts';

export interface DiagnoseOptions extends Omit<DiagnosisQuestion, 'kind'> {
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

/**
 * Checks the chain of a KymaInstanceMapping from one object to the next and reports the status of each, the field at fault and a command
 * that fixes it. It calls the functions that Connect and Observe call, so that report and conditions agree.
 */
import { messageOf } from '../../../../base/errors/errors.ts';
import { kubectlArguments, objectCommand, shellCommand } from '../../../../base/text/shell.ts';
import type { HanaCloud } from '../../../../clients/hana-cloud/client.ts';
import { grantRule } from '../../../../kube/client/access-review.ts';
import { isForbidden, isUnauthorized, isUnknownKind } from '../../../../kube/errors/errors.ts';
import { keyString, type ObjectKey } from '../../../../kube/object/object.ts';
import { groupResource } from '../../../../kube/object/resource-type.ts';
import { conditionCheck } from '../../../module/condition-checks.ts';
import { type Check, type Diagnosis, skippedCheck } from '../../../module/diagnosis.ts';
import type { DiagnosisQuestion } from '../../../module/module.ts';
import { type Finding, isWaitedFor, type Problem } from '../../input/finding.ts';
import { clusterRefOf, readableInputs } from '../inputs/input-refs.ts';
import { type InputRefs, readInputs } from '../inputs/inputs.ts';
import { acquireKymaCluster, type KymaClusters, type KymaClusterUse } from '../inputs/kyma-cluster.ts';
import { type KymaInstanceMapping, typeOfKey } from '../resource.ts';
import { hanaCloudChecks } from './hana-cloud-checks.ts';
import {
  kubeconfigFound,
  kubeconfigProblem,
  onInputCluster,
  replaceKubeconfig,
} from './kubeconfig-checks.ts';
import { explainMissingKind } from './missing-kind.ts';
import { inputRights, ownRights, permissionChecks } from './permission-checks.ts';

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

const expectedConditions = [{ type: 'Synced', waiting: ['Waiting', 'ReconcilePaused'] }, { type: 'Ready' }];

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
      const remediation = isForbidden(error)
        ? grantRule({ verb: 'get', type, ...key })
        : shellCommand(...kubectlArguments(key.namespace), 'get', groupResource(type));
      yield { ...here, status: 'failed', detail: messageOf(error), remediation };
    }
    yield* skipped('conditions', 'permissions', 'kubeconfig', 'sources', 'token', 'API');
    return;
  }
  yield { ...here, status: 'ok', detail: 'found' };
  const describe = objectCommand('describe', groupResource(type), key);
  yield conditionCheck(resource.status?.conditions ?? [], expectedConditions, describe);
  yield* permissionChecks(own, ownRights(resource), access);

  let use: KymaClusterUse;
  let refs: InputRefs;
  try {
    refs = readableInputs(resource);
  } catch (error) {
    const remediation = objectCommand('edit', groupResource(type), key);
    yield { name: 'references', object, status: 'failed', detail: messageOf(error), remediation };
    yield* skipped('kubeconfig', 'sources', 'token', 'API');
    return;
  }
  try {
    use = await acquireKymaCluster(clusters, resource, signal);
  } catch (error) {
    yield kubeconfigProblem(resource, own, error);
    yield* skipped('sources', 'token', 'API');
    return;
  }
  const { cluster: kyma } = use;
  try {
    yield kubeconfigFound(resource, kyma);
    const inputs = await readInputs(kyma, refs, signal);
    yield* inputs.findings.map((finding) => inputCheck(finding, resource));
    const isOwn = clusterRefOf(resource) === undefined;
    const rights = inputRights(resource, inputs).map((right) =>
      isOwn ? { ...right, because: ofLocalInputs } : right,
    );
    yield* permissionChecks(kyma.client, rights, isOwn ? access : { signal });
    yield* hanaCloudChecks(hanaCloud, resource, inputs, signal);
  } finally {
    use.release();
  }
}

function inputCheck({ name, object, clusterName, problems }: Finding, resource: KymaInstanceMapping): Check {
  const [first] = problems;
  const base = { name, object, cluster: clusterName };
  if (first === undefined) return { ...base, status: 'ok', detail: 'found and complete' };
  const fields = problems.flatMap((problem) => (problem.field === undefined ? [] : [problem.field]));
  return {
    ...base,
    status: problems.every(isWaitedFor) ? 'waiting' : 'failed',
    detail: problems.map((problem) => problem.text).join('; '),
    ...(fields.length === 0 ? {} : { field: fields.join(', ') }),
    ...remedyOn(resource, first),
  };
}

/** A cluster that does not accept the kubeconfig needs another one. */
function remedyOn(
  resource: KymaInstanceMapping,
  { remediation, kind, cause }: Problem,
): Pick<Check, 'field' | 'remediation'> {
  const ref = clusterRefOf(resource);
  if (ref === undefined) return remediation === undefined ? {} : { remediation };
  if (isUnauthorized(cause)) return replaceKubeconfig(ref);
  if (kind === 'unreachable') return { remediation: 'kubectl --kubeconfig=FILE get --raw /readyz' };
  return remediation === undefined ? {} : { remediation: onInputCluster(resource, remediation) };
}

const skipped = (...names: readonly string[]) => names.map(skippedCheck);

function keyIn({ name, namespace }: Pick<DiagnoseOptions, 'name' | 'namespace'>): ObjectKey {
  return namespace === undefined ? { name } : { name, namespace };
}

/** The check of the kubeconfig Secret. */
import { kindOf, messageOf } from '../../../../framework/base/index.ts';
import { grantCommand } from '../../../../framework/kube/client/access-review.ts';
import { isForbidden, type KubeClient, keyString, secrets } from '../../../../framework/kube/index.ts';
import type { Check } from '../../../../framework/module/diagnosis.ts';
import { type InputCluster, isOfCluster } from '../../input/read-input.ts';
import { clusterRefOf } from '../inputs/input-refs.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { KymaInstanceMapping } from '../resource.ts';
import { remedies } from './remedies.ts';

/** A kubeconfig that was parsed, with the response of its cluster. */
export function kubeconfigCheck(
  resource: KymaInstanceMapping,
  kyma: InputCluster,
  { findings }: Inputs,
): Check {
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
export function kubeconfigProblem(
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

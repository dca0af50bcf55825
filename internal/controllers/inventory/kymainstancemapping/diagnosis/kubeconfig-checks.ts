/** The check of the kubeconfig Secret. */
import { kindOf, messageOf } from '../../../../base/errors/errors.ts';
import { kubectlArguments, shellCommand } from '../../../../base/text/shell.ts';
import { grantRule } from '../../../../kube/client/access-review.ts';
import type { KubeClient } from '../../../../kube/client/client.ts';
import type { ClusterRef } from '../../../../kube/cluster/kubeconfig-secret.ts';
import { isForbidden } from '../../../../kube/errors/errors.ts';
import { keyString } from '../../../../kube/object/object.ts';
import { secrets } from '../../../../kube/object/resource-type.ts';
import type { Check } from '../../../module/diagnosis.ts';
import type { InputCluster } from '../../input/read-input.ts';
import { clusterRefOf } from '../inputs/input-refs.ts';
import type { KymaInstanceMapping } from '../resource.ts';

export function kubeconfigFound(resource: KymaInstanceMapping, kyma: InputCluster): Check {
  const secret = kubeconfigSecret(resource);
  const detail =
    secret === undefined ? 'not needed: the input objects are on the management cluster' : 'accepted';
  return {
    name: 'kubeconfig',
    status: 'ok',
    cluster: kyma.client.clusterName,
    detail,
    ...(secret === undefined ? {} : { object: secret }),
  };
}

export function kubeconfigProblem(resource: KymaInstanceMapping, own: KubeClient, error: unknown): Check {
  const ref = clusterRefOf(resource);
  const object = kubeconfigSecret(resource);
  return {
    name: 'kubeconfig',
    status: kindOf(error) === 'waiting' ? 'waiting' : 'failed',
    cluster: own.clusterName,
    detail: messageOf(error),
    ...(object === undefined ? {} : { object }),
    ...(ref === undefined ? {} : remedyOf(ref, error)),
  };
}

function remedyOf(ref: ClusterRef, error: unknown): Pick<Check, 'field' | 'remediation'> {
  if (isForbidden(error)) return { remediation: grantRule({ verb: 'get', type: secrets, ...ref.secret }) };
  return replaceKubeconfig(ref);
}

function kubeconfigSecret(resource: KymaInstanceMapping): string | undefined {
  const ref = clusterRefOf(resource);
  return ref === undefined ? undefined : `Secret ${keyString(ref.secret)}`;
}

/** A command of kubectl for the cluster of the input objects. `FILE` is a kubeconfig of that cluster. */
export const onInputCluster = (resource: KymaInstanceMapping, command: string): string =>
  clusterRefOf(resource) === undefined ? command : command.replace(/^kubectl /, 'kubectl --kubeconfig=FILE ');

/** A command that stores another kubeconfig, whether the Secret exists or not. Other keys of the Secret remain. */
export function replaceKubeconfig({
  secret,
  kubeconfigKey,
}: ClusterRef): Pick<Check, 'field' | 'remediation'> {
  const { namespace, name } = secret;
  const words = [`--from-file=${kubeconfigKey}=FILE`, '--dry-run=client', '--output=yaml'];
  // `--` precedes a name that begins with a dash.
  const named = name.startsWith('-') ? [...words, '--', name] : [name, ...words];
  const create = shellCommand(...kubectlArguments(namespace), 'create', 'secret', 'generic', ...named);
  return { field: kubeconfigKey, remediation: `${create} | kubectl apply --filename=-` };
}

/** The check of the kubeconfig Secret. */
import { kindOf, messageOf } from '../../../../base/errors/errors.ts';
import { kubectlArguments, shellCommand } from '../../../../base/text/shell.ts';
import type { KubeClient } from '../../../../kube/client/client.ts';
import { keyString, type ObjectKey } from '../../../../kube/object/object.ts';
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
    ...(ref === undefined
      ? {}
      : {
          field: ref.kubeconfigKey,
          remediation: createCommand(ref.secret, ref.kubeconfigKey),
        }),
  };
}

function kubeconfigSecret(resource: KymaInstanceMapping): string | undefined {
  const ref = clusterRefOf(resource);
  return ref === undefined ? undefined : `Secret ${keyString(ref.secret)}`;
}

/** `--` precedes a name that begins with a dash. */
function createCommand({ namespace, name }: ObjectKey, key: string): string {
  const file = `--from-file=${key}=FILE`;
  const words = name.startsWith('-') ? [file, '--', name] : [name, file];
  return shellCommand(...kubectlArguments(namespace), 'create', 'secret', 'generic', ...words);
}

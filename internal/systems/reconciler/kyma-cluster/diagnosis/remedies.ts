/** What to do about each cause for which a KymaCluster does not become ready: the field at fault, and a command. */
import { kubectlArguments, objectCommand, shellCommand } from '../../../../framework/base/text/shell.ts';
import { groupResource, type ObjectKey, type ResourceType } from '../../../../framework/kube/index.ts';

import type { Remedy } from '../../../../framework/module/diagnosis.ts';
import type { MothershipConfig } from '../provider-configs.ts';

/** A kind with the key of one of its objects. */
export interface Place {
  readonly type: ResourceType;
  readonly key: ObjectKey;
}

const on = (verb: string, { type, key }: Place): string => objectCommand(verb, groupResource(type), key);

export const clusterRemedies = {
  /** The API server does not serve KymaClusters. */
  missingKind: (): Remedy => ({
    remediation: 'kubectl apply --server-side -f package/reconciler/chart/files/crds/',
  }),
  missingResource: ({ type, key }: Place): Remedy => ({
    remediation: shellCommand(...kubectlArguments(key.namespace), 'get', groupResource(type)),
  }),
  /** Nothing is known but the conditions and events of the object. */
  unknown: (place: Place): Remedy => ({ remediation: on('describe', place) }),
  /** The provider configuration is missing, or is not named. */
  config: ({ type, key }: Place): Remedy => ({
    field: 'spec.providerConfigRef',
    remediation: shellCommand(...kubectlArguments(key.namespace), 'get', groupResource(type)),
  }),
  /** Its Secret is missing or incomplete, or an address is refused. */
  access: (place: Place): Remedy => ({
    field: 'spec.url, spec.credentials',
    remediation: on('edit', place),
  }),
  /** The mothership refuses the credentials: they are wrong, or their user is not in the group of operators. */
  login: (place: Place, { spec: { credentials } }: MothershipConfig): Remedy => ({
    field: credentials.source === 'OAuthClient' ? 'spec.credentials.oauthClient' : 'spec.credentials',
    remediation: on('edit', place),
  }),
  /** FILE is a kubeconfig. */
  kubeconfig: ({ name, namespace }: ObjectKey, key: string): Remedy => ({
    field: 'spec.forProvider.kubeconfigSecretRef',
    remediation: `${shellCommand(
      ...kubectlArguments(namespace),
      'create',
      'secret',
      'generic',
      name,
      `--from-file=${key}=FILE`,
      '--dry-run=client',
      '--output=yaml',
    )} | kubectl apply --filename=-`,
  }),
  /** The field that is refused is in the message. */
  spec: (place: Place): Remedy => ({ field: 'spec.forProvider', remediation: on('edit', place) }),
  /** The id is that of a cluster of others. */
  foreign: (place: Place): Remedy => ({
    field: 'spec.forProvider.runtimeID',
    remediation: on('delete', place),
  }),
  /** An operator has stopped its runs. */
  disabled: (runtimeID: string, url: string): Remedy => ({
    remediation: operator('enable', runtimeID, url),
  }),
  /** Components fail: their reasons, and when they are retried. */
  failures: (runtimeID: string, url: string): Remedy => ({ remediation: operator('get', runtimeID, url) }),
};

const operator = (verb: string, runtimeID: string, url: string): string =>
  shellCommand('provider-kyma', 'clusters', verb, `--mothership-url=${url}`, '--', runtimeID);

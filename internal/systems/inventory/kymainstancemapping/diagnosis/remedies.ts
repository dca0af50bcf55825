/**
 * What to do about each cause for which a KymaInstanceMapping does not become Ready: the field at fault, and a command. A test executes
 * each command, after which the mapping is Ready. `FILE` stands for a kubeconfig of the cluster with the input objects.
 */
import {
  kubectlArguments,
  objectArguments,
  objectCommand,
  shellCommand,
} from '../../../../framework/base/text/shell.ts';
import { groupResource, keyOf, type ObjectKey, type ResourceType } from '../../../../framework/kube/index.ts';

import type { Remedy } from '../../../../framework/module/diagnosis.ts';
import { clusterRefOf, namedInputs } from '../inputs/input-refs.ts';
import { serviceBindings, serviceInstances } from '../inputs/inputs.ts';
import { type KymaInstanceMapping, typeOfKey } from '../resource.ts';

/** A kubeconfig of the cluster with the input objects, in commands. */
const FILE = '--kubeconfig=FILE';

export const remedies = {
  /** The kubeconfig is missing, invalid or refused, or the cluster cannot be reached with it. */
  kubeconfig: (resource) => replaceKubeconfig(resource),
  /** A reference names an object that does not exist, or that the mapping may not use. */
  serviceInstanceRef: (resource) => editField(resource, 'spec.forProvider.serviceInstanceRef'),
  adminBindingRef: (resource) => editField(resource, 'spec.forProvider.adminBindingRef'),
  clusterIdConfigMapRef: (resource) => editField(resource, 'spec.forProvider.clusterIdConfigMapRef'),
  /** No reference names the ConfigMap, and the one that the provider reads by default is missing. */
  clusterIdConfigMapFlag: () => ({
    field: 'CLUSTER_ID_CONFIG_MAP',
    remediation:
      'set CLUSTER_ID_CONFIG_MAP=NAMESPACE/sap-btp-operator-config in the environment of the provider, with the namespace in which the BTP service operator is installed: env of the container in its DeploymentRuntimeConfig (Crossplane), or manager.extraEnv (Helm); `kubectl get configmaps -A --field-selector=metadata.name=sap-btp-operator-config` finds it',
  }),
  references: (resource) => editField(resource, 'spec.forProvider'),
  /** The cluster has none of the kinds of the input objects. */
  operatorMissing: () => ({
    field: 'spec.forProvider.kymaConnectionRef',
    remediation:
      'install a BTP service operator on that cluster (docs/service-operator/install.md), or name another cluster',
  }),
  /** Its operator has not finished, or failed. */
  instanceNotReady: (resource) => ({
    remediation: onInputs(resource, 'describe', serviceInstances, namedInputs(resource).serviceInstanceRef),
  }),
  bindingNotReady: (resource) => ({
    remediation: onInputs(resource, 'describe', serviceBindings, namedInputs(resource).adminBindingRef),
  }),
  bindingField: (resource) => ({
    remediation: onInputs(resource, 'edit', serviceBindings, namedInputs(resource).adminBindingRef),
  }),
  /** The credentials are missing, damaged or refused. Its operator creates new ones. */
  credentials: (resource) => ({ remediation: recreateBinding(resource) }),
  clusterID: (resource, key) => ({
    remediation: shellCommand(
      'kubectl',
      ...inputFlags(resource),
      ...objectArguments('edit', 'configmap', key),
    ),
  }),
  providerConfig: (resource) => editField(resource, 'spec.providerConfigRef'),
  managementPolicies: (resource) => editField(resource, 'spec.managementPolicies'),
  pausedByAnnotation: (resource) => ({
    field: 'metadata.annotations[crossplane.io/paused]',
    remediation: ownCommand(resource, 'annotate', 'crossplane.io/paused-'),
  }),
  /** Another resource owns the mapping; this one has written nothing. */
  conflict: (resource) => ({ remediation: ownCommand(resource, 'delete') }),
  /** Nothing is known but the conditions and events of the mapping. */
  unknown: (resource) => ({ remediation: ownCommand(resource, 'describe') }),
} satisfies Record<string, (resource: KymaInstanceMapping, key: ObjectKey) => Remedy>;

export type Cause = keyof typeof remedies;

/** A command of kubectl on the mapping, with its group, since both scopes have a kind of this name. */
function ownCommand(resource: KymaInstanceMapping, verb: string, ...more: readonly string[]): string {
  const key = keyOf(resource);
  return objectCommand(verb, groupResource(typeOfKey(key)), key, ...more);
}

const editField = (resource: KymaInstanceMapping, field: string): Remedy => ({
  field,
  remediation: ownCommand(resource, 'edit'),
});

/** The flags of kubectl for the cluster with the input objects. */
export const inputFlags = (resource: KymaInstanceMapping): readonly string[] =>
  clusterRefOf(resource) === undefined ? [] : [FILE];

function onInputs(resource: KymaInstanceMapping, verb: string, type: ResourceType, key: ObjectKey): string {
  return shellCommand('kubectl', ...inputFlags(resource), ...objectArguments(verb, groupResource(type), key));
}

/** Deletes the binding and creates it again from its own manifest; its operator then writes new credentials. */
function recreateBinding(resource: KymaInstanceMapping): string {
  const kubectl = ['kubectl', ...inputFlags(resource)];
  const key = namedInputs(resource).adminBindingRef;
  const get = shellCommand(
    ...kubectl,
    ...objectArguments('get', groupResource(serviceBindings), key),
    '-o',
    'yaml',
  );
  return `${get} | ${shellCommand(...kubectl, 'replace', '--force', '--filename=-')}`;
}

/** Stores another kubeconfig, whether the Secret exists or not. Other keys of the Secret remain. */
function replaceKubeconfig(resource: KymaInstanceMapping): Remedy {
  const ref = clusterRefOf(resource);
  if (ref === undefined) return {};
  const { namespace, name } = ref.secret;
  const words = [`--from-file=${ref.kubeconfigKey}=FILE`, '--dry-run=client', '--output=yaml'];
  // `--` precedes a name that begins with a dash.
  const named = name.startsWith('-') ? [...words, '--', name] : [name, ...words];
  const create = shellCommand(...kubectlArguments(namespace), 'create', 'secret', 'generic', ...named);
  return { field: ref.kubeconfigKey, remediation: `${create} | kubectl apply --filename=-` };
}

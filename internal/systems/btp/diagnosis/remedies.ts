/**
 * What to do about each cause for which a ServiceInstance or ServiceBinding does not become ready: the field at fault, and a command. A
 * test executes each command, after which the object is ready. `FILE` stands for a file of the user.
 */
import { kubectlArguments, objectCommand, shellCommand } from '../../../framework/base/text/shell.ts';
import { groupResource, keyOf, type ObjectKey, type ResourceType } from '../../../framework/kube/index.ts';

import type { Remedy } from '../../../framework/module/diagnosis.ts';
import { allowAnnotation, namespacesAnnotation } from '../operations/bindings-of-instances.ts';
import type { ParametersSource } from '../parameters/merge-parameters.ts';
import { serviceBindings } from '../servicebinding/resource.ts';
import { serviceInstances } from '../serviceinstance/resource.ts';
import type { ServiceResource } from '../status/service-resource.ts';

export const btpRemedies = {
  /** The Secret with credentials of Service Manager is missing, incomplete or refused. FILE has lines `clientid=…`. */
  credentials: (secret: ObjectKey): Remedy => ({
    field: 'clientid, clientsecret, sm_url, tokenurl',
    remediation: putSecret(secret, '--from-env-file=FILE'),
  }),
  /** `spec.btpAccessCredentialsSecret` names no Secret, or one without valid credentials. */
  namedCredentials: (secret: ObjectKey): Remedy => ({
    ...btpRemedies.credentials(secret),
    field: 'spec.btpAccessCredentialsSecret',
  }),
  /** A Secret of `spec.parametersFrom` is missing, or has no JSON under the key. FILE is a JSON object. */
  parametersFrom: (object: ServiceResource, { name, key }: ParametersSource): Remedy => ({
    field: 'spec.parametersFrom',
    remediation: putSecret({ namespace: object.metadata.namespace, name }, `--from-file=${key}=FILE`),
  }),
  /** Service Manager has no such plan. */
  plan: (object: ServiceResource): Remedy => edit(object, 'spec.serviceOfferingName, spec.servicePlanName'),
  /** The merged parameters are invalid: two sources have the same name. */
  parameters: (object: ServiceResource): Remedy => edit(object, 'spec.parameters'),
  /** Service Manager cannot share instances of the plan. */
  shared: (object: ServiceResource): Remedy => edit(object, 'spec.shared'),
  /** Service Manager does not have it any more. It is created again with its object. */
  gone: (object: ServiceResource): Remedy => ({
    field: object.kind === 'ServiceBinding' ? 'status.bindingID' : 'status.instanceID',
    remediation: commandOn(object, 'delete'),
  }),
  /** A binding names no instance. Its spec can be changed until it is bound. */
  instanceRef: (binding: ServiceResource): Remedy =>
    edit(binding, 'spec.serviceInstanceName, spec.serviceInstanceNamespace'),
  /** The instance refuses bindings of the namespace. */
  refusedNamespace: (instance: ServiceResource): Remedy =>
    edit(instance, `metadata.annotations[${allowAnnotation}], metadata.annotations[${namespacesAnnotation}]`),
  /** No Secret can be made with the template. */
  secretTemplate: (binding: ServiceResource): Remedy => edit(binding, 'spec.secretTemplate'),
  /** The Secret that the binding writes belongs to another object. */
  secretName: (object: ServiceResource): Remedy => ({
    field: 'spec.secretName',
    remediation: commandOn(object, 'delete'),
  }),
  /** Nothing is known but the conditions and events of the object. */
  unknown: (object: ServiceResource): Remedy => ({ remediation: commandOn(object, 'describe') }),
};

const typeOf = ({ kind }: ServiceResource): ResourceType =>
  kind === 'ServiceBinding' ? serviceBindings : serviceInstances;

const commandOn = (object: ServiceResource, verb: string): string =>
  objectCommand(verb, groupResource(typeOf(object)), keyOf(object));

const edit = (object: ServiceResource, field: string): Remedy => ({
  field,
  remediation: commandOn(object, 'edit'),
});

/** Creates a Secret, or sets keys of one that exists. */
function putSecret({ namespace, name }: ObjectKey, from: string): string {
  const words = [...kubectlArguments(namespace), 'create', 'secret', 'generic'];
  // kubectl takes no name after `--` here. A Secret cannot have a name that begins with a dash.
  const create = shellCommand(...words, name, from, '--dry-run=client', '--output=yaml');
  return `${create} | kubectl apply --filename=-`;
}

/** Checks that the reports on both kinds have. */

import { findCause, messageOf } from '../../../framework/base/index.ts';
import { kubectlArguments, objectCommand, shellCommand } from '../../../framework/base/text/shell.ts';
import {
  groupResource,
  type KubeClient,
  keyOf,
  keyString,
  type ObjectKey,
  type ObjectWatcher,
  type ResourceType,
} from '../../../framework/kube/index.ts';
import { conditionCheck, type ExpectedCondition } from '../../../framework/module/condition-checks.ts';
import { connectChecked } from '../../../framework/module/connect-checked.ts';
import type { Check, Remedy } from '../../../framework/module/diagnosis.ts';
import type { DiagnosisQuestion } from '../../../framework/module/module.ts';
import type { CheckResult } from '../../../framework/module/object-report.ts';
import type { CredentialResolver, ResolvedCredentials } from '../credentials/credential-resolver.ts';
import { InvalidCredentialsError, MissingCredentialsError } from '../credentials/errors.ts';
import type { CredentialUser } from '../credentials/secret-names.ts';
import { allowAnnotation, namespacesAnnotation } from '../operations/bindings-of-instances.ts';
import { ParametersError, type ParametersSource, readParameters } from '../parameters/read-parameters.ts';
import type { ServiceManager, ServiceManagerClient } from '../service-manager/index.ts';
import { serviceBindings } from '../servicebinding/resource.ts';
import { serviceInstances } from '../serviceinstance/resource.ts';
import { conditionsOf, typeReady, typeSucceeded } from '../status/conditions.ts';
import { nounOf, reasons } from '../status/messages.ts';
import type { ServiceResource } from '../status/service-resource.ts';

export interface DiagnosisOptions extends DiagnosisQuestion {
  readonly client: KubeClient;
  readonly objectWatcher: Pick<ObjectWatcher, 'target'>;
  readonly resolver: CredentialResolver;
  readonly serviceManager: Pick<ServiceManager, 'connect'>;
}

/** Secret and token; undefined if Service Manager cannot be reached with them. The caller closes the client. */
export async function* connectAs(
  { client, resolver, serviceManager, signal }: DiagnosisOptions,
  user: CredentialUser,
): AsyncGenerator<Check, { readonly manager: ServiceManagerClient; readonly baseUrl: string } | undefined> {
  const cluster = client.clusterName;
  let resolved: ResolvedCredentials;
  try {
    resolved = await resolver.resolve(user, signal);
  } catch (error) {
    const invalid = findCause(error, InvalidCredentialsError);
    const detail = invalid?.details ?? messageOf(error);
    const secret = invalid?.secret ?? findCause(error, MissingCredentialsError)?.proposed;
    const cause = user.spec.btpAccessCredentialsSecret ? 'namedCredentials' : 'credentials';
    const fallback = user.spec.btpAccessCredentialsSecret ? { field: 'spec.btpAccessCredentialsSecret' } : {};
    const remedy = secret === undefined ? fallback : btpRemedies[cause](secret);
    yield { name: 'Secret', status: 'failed', cluster, detail, ...remedy };
    return undefined;
  }
  const secret = `Secret ${keyString(resolved.secret)}`;
  yield { name: 'Secret', status: 'ok', object: secret, cluster, detail: 'found and complete' };

  const { credentials } = resolved;
  const manager = yield* connectChecked(() => serviceManager.connect(credentials), {
    tokenUrl: credentials.tokenUrl,
    remedy: btpRemedies.credentials(resolved.secret),
    signal,
  });
  return manager && { manager, baseUrl: credentials.baseUrl };
}

interface ExternalCheckOptions {
  readonly resource: ServiceResource;
  /** In Service Manager; empty: it was not created yet. */
  readonly id: string;
  readonly baseUrl: string;
}

/** Whether Service Manager has the resource with the ID. */
export async function externalCheck(
  { resource, id, baseUrl }: ExternalCheckOptions,
  read: () => Promise<object | undefined>,
): Promise<CheckResult> {
  const noun = nounOf(resource.kind);
  if (id === '') return { status: 'waiting', object: baseUrl, detail: `the ${noun} is not created yet` };
  const object = `${baseUrl}, ${noun} ${id}`;
  try {
    if ((await read()) !== undefined) return { status: 'ok', object, detail: 'found' };
    const detail = 'does not exist, or is not visible to these credentials';
    return { status: 'failed', object, detail, ...btpRemedies.gone(resource) };
  } catch (error) {
    return { status: 'failed', object, detail: messageOf(error), ...btpRemedies.unknown(resource) };
  }
}

/** The operation goes on by itself. */
const waitingReasons: readonly string[] = [
  reasons.createInProgress,
  reasons.updateInProgress,
  reasons.deleteInProgress,
  reasons.inProgress,
];

/**
 * The result of the last operation, and whether the object can be used. An operation in progress is a check of its own.
 *
 * @param more further conditions that are True on an object that is as its spec says
 */
export const conditionsOfService = (
  object: ServiceResource,
  remediation: string,
  more: readonly ExpectedCondition[] = [],
): Check =>
  conditionCheck(
    conditionsOf(object),
    [
      { type: typeSucceeded, waiting: waitingReasons },
      { type: typeReady, waiting: [reasons.notProvisioned] },
      ...more,
    ],
    remediation,
  );

/** The operation in progress. */
export async function operationCheck(
  manager: ServiceManagerClient,
  object: ServiceResource,
  signal: AbortSignal,
): Promise<CheckResult> {
  const { operationURL = '', operationType = '' } = object.status ?? {};
  if (operationURL === '') return { status: 'ok', detail: 'none in progress' };
  try {
    const { state, description, errorDescription } = await manager.getOperation(operationURL, { signal });
    const text = errorDescription ?? description;
    const detail = `${operationType} ${state}${text === undefined ? '' : `: ${text}`}`;
    const status = {
      succeeded: 'ok',
      failed: 'failed',
      pending: 'waiting',
      'in progress': 'waiting',
    } as const;
    return { status: status[state], object: operationURL, detail };
  } catch (error) {
    return { status: 'failed', object: operationURL, detail: messageOf(error) };
  }
}

/** Whether the parameters can be built: each Secret of `spec.parametersFrom` with its key. */
export async function parametersCheck(options: DiagnosisOptions, object: ServiceResource): Promise<Check> {
  const name = 'parameters';
  const cluster = options.client.clusterName;
  try {
    const { secrets } = await readParameters(object, options);
    const detail = secrets.length === 0 ? 'of no Secret' : `of ${secrets.length} Secrets`;
    return { name, status: 'ok', cluster, detail };
  } catch (error) {
    const source = findCause(error, ParametersError)?.source;
    const { namespace } = object.metadata;
    return {
      name,
      status: 'failed',
      cluster,
      detail: messageOf(error),
      ...(source === undefined
        ? btpRemedies.parameters(object)
        : { object: `Secret ${namespace}/${source.name}`, ...btpRemedies.parametersFrom(object, source) }),
    };
  }
}

// What to do about each cause for which a ServiceInstance or ServiceBinding does not become ready: the field at fault, and a command. A
// test executes each command, after which the object is ready. `FILE` stands for a file of the user.

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

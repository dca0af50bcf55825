/**
 * Checks what a ServiceInstance needs, hop by hop: the object, the Secret with credentials, a token, Service Manager, the
 * offering and plan, and the last operation. It calls the functions that the reconciler calls, and only reads.
 */

import { findCause, messageOf } from '../../../base/errors/errors.ts';
import { kubectlArguments, objectArguments, shellCommand } from '../../../base/text/shell.ts';
import type { ServiceManager, ServiceManagerClient } from '../../../clients/service-manager/index.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { keyString, type ObjectKey } from '../../../kube/object/object.ts';
import { groupResource } from '../../../kube/object/resource-type.ts';
import type { Check, Diagnosis } from '../../module/diagnosis.ts';
import type { DiagnosisQuestion } from '../../module/module.ts';
import type { CredentialResolver, ResolvedCredentials } from '../credentials/credential-resolver.ts';
import { InvalidCredentialsError } from '../credentials/errors.ts';
import { type ServiceInstance, serviceInstances } from '../serviceinstance/resource.ts';
import { planSelectionOf } from '../serviceinstance/sm-requests.ts';
import { succeededOf } from '../status/conditions.ts';

export interface InstanceDiagnosisOptions extends DiagnosisQuestion {
  readonly client: KubeClient;
  readonly resolver: CredentialResolver;
  readonly serviceManager: Pick<ServiceManager, 'connect'>;
}

/** The order of the report. */
const hops = ['resource', 'Secret', 'token', 'Service Manager', 'offering and plan', 'operation'] as const;
type Hop = (typeof hops)[number];

export async function diagnoseInstance(options: InstanceDiagnosisOptions): Promise<Diagnosis> {
  const checks: Check[] = [];
  for await (const check of follow(options)) checks.push(check);
  const skipped = hops
    .slice(checks.length)
    .map((hop): Check => ({ hop, status: 'skipped', detail: 'an earlier hop is missing' }));
  return {
    mapping: keyString(keyIn(options)),
    healthy: skipped.length === 0 && checks.every(({ status }) => status === 'ok'),
    checks: [...checks, ...skipped],
  };
}

/** Ends after the first hop without which the next ones cannot be checked. */
async function* follow(options: InstanceDiagnosisOptions): AsyncGenerator<Check & { readonly hop: Hop }> {
  const { client, resolver, serviceManager, signal } = options;
  const key = keyIn(options);
  const object = `ServiceInstance ${keyString(key)}`;
  const cluster = client.clusterName;
  const describe = command('describe', key);
  let instance: ServiceInstance;
  try {
    instance = await client.get(serviceInstances, key, { signal });
    yield { hop: 'resource', status: 'ok', object, cluster, detail: 'found' };
  } catch (error) {
    const mend = shellCommand(...kubectlArguments(key.namespace), 'get', groupResource(serviceInstances));
    yield { hop: 'resource', status: 'failed', object, cluster, detail: messageOf(error), mend };
    return;
  }

  let resolved: ResolvedCredentials;
  try {
    resolved = await resolver.resolve(instance, signal);
  } catch (error) {
    const detail = findCause(error, InvalidCredentialsError)?.details ?? messageOf(error);
    const field = instance.spec.btpAccessCredentialsSecret
      ? { field: 'spec.btpAccessCredentialsSecret' }
      : {};
    yield { hop: 'Secret', status: 'failed', cluster, detail, ...field };
    return;
  }
  const secret = `Secret ${keyString(resolved.secret)}`;
  yield { hop: 'Secret', status: 'ok', object: secret, cluster, detail: 'found and complete' };

  const { credentials } = resolved;
  const showSecret = shellCommand(
    ...kubectlArguments(resolved.secret.namespace),
    'describe',
    'secret',
    resolved.secret.name,
  );
  let manager: ServiceManagerClient | undefined;
  try {
    manager = serviceManager.connect(credentials);
    const { expiresInSeconds } = await manager.checkToken({ signal });
    const life = expiresInSeconds === undefined ? '' : `, valid for ${expiresInSeconds} s`;
    yield { hop: 'token', status: 'ok', object: credentials.tokenUrl, detail: `granted${life}` };
  } catch (error) {
    await manager?.close();
    const detail = messageOf(error);
    yield { hop: 'token', status: 'failed', object: credentials.tokenUrl, detail, mend: showSecret };
    return;
  }
  try {
    const found = await instanceCheck(manager, instance, credentials.baseUrl, signal);
    yield { hop: 'Service Manager', ...found };
    yield { hop: 'offering and plan', ...(await planCheck(manager, instance, key, signal)) };
    yield { hop: 'operation', mend: describe, ...(await operationCheck(manager, instance, signal)) };
  } finally {
    await manager.close();
  }
}

type Result = Omit<Check, 'hop'>;

async function instanceCheck(
  manager: ServiceManagerClient,
  { status }: ServiceInstance,
  baseUrl: string,
  signal: AbortSignal,
): Promise<Result> {
  const instanceID = status?.instanceID ?? '';
  if (instanceID === '')
    return { status: 'waiting', object: baseUrl, detail: 'the instance is not created yet' };
  const object = `${baseUrl}, instance ${instanceID}`;
  try {
    const found = await manager.getInstance(instanceID, { signal });
    return found === undefined
      ? { status: 'failed', object, detail: 'does not exist, or is not visible to these credentials' }
      : { status: 'ok', object, detail: 'found' };
  } catch (error) {
    return { status: 'failed', object, detail: messageOf(error) };
  }
}

async function planCheck(
  manager: ServiceManagerClient,
  instance: ServiceInstance,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Result> {
  const { serviceOfferingName, servicePlanName } = instance.spec;
  const object = `${serviceOfferingName}, plan ${servicePlanName}`;
  try {
    const { plan } = await manager.selectPlan(planSelectionOf(instance), { signal });
    return { status: 'ok', object, detail: `plan ID ${plan.id}` };
  } catch (error) {
    return { status: 'failed', object, detail: messageOf(error), mend: command('edit', key) };
  }
}

async function operationCheck(
  manager: ServiceManagerClient,
  instance: ServiceInstance,
  signal: AbortSignal,
): Promise<Result> {
  const { operationURL = '', operationType = '' } = instance.status ?? {};
  const last = succeededOf(instance);
  if (operationURL === '') {
    if (last === undefined) return { status: 'waiting', detail: 'not reconciled yet' };
    const isDone = last.status === 'True';
    return {
      status: isDone ? 'ok' : 'failed',
      detail: isDone ? last.reason : `${last.reason}: ${last.message}`,
    };
  }
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

const keyIn = ({ name, namespace = 'default' }: DiagnosisQuestion) => ({ name, namespace });

function command(verb: string, { namespace, name }: ObjectKey): string {
  return shellCommand(
    ...kubectlArguments(namespace),
    verb,
    ...objectArguments(groupResource(serviceInstances), name),
  );
}

import { messageOf } from '../../../framework/base/index.ts';
import { isNotFound, keyString, secrets } from '../../../framework/kube/index.ts';

import type { Check, Diagnosis } from '../../../framework/module/diagnosis.ts';
import {
  type CheckResult,
  command,
  keyIn,
  readObject,
  reportOf,
} from '../../../framework/module/object-report.ts';
import { instanceKey } from '../credentials/credential-users.ts';
import { missingInstance, unusableInstance } from '../servicebinding/binding-run.ts';
import { type ServiceBinding, serviceBindings } from '../servicebinding/resource.ts';
import { isOwn, secretKeyOf } from '../servicebinding/secret/secret-store.ts';
import { type ServiceInstance, serviceInstances } from '../serviceinstance/resource.ts';
import {
  btpRemedies,
  conditionsOfService,
  connectAs,
  type DiagnosisOptions,
  externalCheck,
  operationCheck,
  parametersCheck,
} from './checks.ts';

/** The order of the report. `Secret` has the credentials of Service Manager. */
const names = [
  'resource',
  'conditions',
  'instance',
  'instance ready',
  'parameters',
  'Secret',
  'token',
  'Service Manager',
  'operation',
  'Secret of the binding',
];

export const diagnoseBinding = (options: DiagnosisOptions): Promise<Diagnosis> =>
  reportOf(options, names, follow(options));

/** Ends after the first check without which the next ones cannot be checked. */
async function* follow(options: DiagnosisOptions): AsyncGenerator<Check> {
  const { signal } = options;
  const key = keyIn(options);
  const binding = yield* readObject('resource', options, serviceBindings, key);
  if (binding === undefined) return;
  yield conditionsOfService(binding, command('describe', serviceBindings, key));
  const missing = btpRemedies.instanceRef(binding);
  const ofInstance = { ...options, missing };
  const instance = yield* readObject('instance', ofInstance, serviceInstances, instanceKey(binding));
  if (instance === undefined) return;
  yield { name: 'instance ready', ...instanceCheck(binding, instance) };
  yield await parametersCheck(options, binding);
  const connection = yield* connectAs(options, instance);
  if (connection === undefined) return;
  const { manager, baseUrl } = connection;
  try {
    const id = binding.status?.bindingID ?? '';
    const read = () => manager.getBinding(id, { signal });
    yield { name: 'Service Manager', ...(await externalCheck({ resource: binding, id, baseUrl }, read)) };
    const describe = command('describe', serviceBindings, key);
    yield { name: 'operation', remediation: describe, ...(await operationCheck(manager, binding, signal)) };
  } finally {
    await manager.close();
  }
  yield { name: 'Secret of the binding', ...(await secretCheck(options, binding)) };
}

function instanceCheck(binding: ServiceBinding, instance: ServiceInstance): CheckResult {
  const remediation = command('describe', serviceInstances, instanceKey(binding));
  if (missingInstance(binding, instance) !== undefined) {
    const detail = `its annotations refuse bindings of namespace ${binding.metadata.namespace}`;
    return { status: 'failed', detail, ...btpRemedies.refusedNamespace(instance) };
  }
  const problem = unusableInstance(instance);
  return problem === undefined
    ? { status: 'ok', detail: 'ready' }
    : { status: 'waiting', detail: problem, remediation };
}

async function secretCheck(
  { client, signal }: DiagnosisOptions,
  binding: ServiceBinding,
): Promise<CheckResult> {
  const key = secretKeyOf(binding);
  const object = `Secret ${keyString(key)}`;
  const cluster = client.clusterName;
  try {
    const found = await client.getMetadata(secrets, key, { signal });
    return isOwn(found, binding)
      ? { status: 'ok', object, cluster, detail: 'found' }
      : {
          status: 'failed',
          object,
          cluster,
          detail: 'belongs to another object',
          ...btpRemedies.secretName(binding),
        };
  } catch (error) {
    const cause = isNotFound(error) && binding.spec.secretTemplate ? 'secretTemplate' : 'unknown';
    const remedy = btpRemedies[cause](binding);
    return { status: 'failed', object, cluster, detail: messageOf(error), ...remedy };
  }
}

import { messageOf } from '../../../framework/base/index.ts';

import type { Check, Diagnosis } from '../../../framework/module/diagnosis.ts';
import {
  type CheckResult,
  command,
  keyIn,
  readObject,
  reportOf,
} from '../../../framework/module/object-report.ts';
import type { ServiceManagerClient } from '../service-manager/index.ts';
import { sharedOf, typeShared } from '../serviceinstance/instance-run.ts';
import { type ServiceInstance, serviceInstances } from '../serviceinstance/resource.ts';
import { planSelectionOf } from '../serviceinstance/sm-requests.ts';
import { reasons } from '../status/messages.ts';
import {
  btpRemedies,
  conditionsOfService,
  connectAs,
  type DiagnosisOptions,
  externalCheck,
  operationCheck,
  parametersCheck,
} from './checks.ts';

/** The order of the report. */
const names = [
  'resource',
  'conditions',
  'parameters',
  'Secret',
  'token',
  'Service Manager',
  'offering and plan',
  'operation',
];

export const diagnoseInstance = (options: DiagnosisOptions): Promise<Diagnosis> =>
  reportOf(options, names, follow(options));

/** Ends after the first check without which the next ones cannot be checked. */
async function* follow(options: DiagnosisOptions): AsyncGenerator<Check> {
  const { signal } = options;
  const key = keyIn(options);
  const instance = yield* readObject('resource', options, serviceInstances, key);
  if (instance === undefined) return;
  yield conditionsOfInstance(instance);
  yield await parametersCheck(options, instance);
  const connection = yield* connectAs(options, instance);
  if (connection === undefined) return;
  const { manager, baseUrl } = connection;
  try {
    const id = instance.status?.instanceID ?? '';
    const read = () => manager.getInstance(id, { signal });
    yield { name: 'Service Manager', ...(await externalCheck({ resource: instance, id, baseUrl }, read)) };
    yield { name: 'offering and plan', ...(await planCheck(manager, instance, signal)) };
    const describe = command('describe', serviceInstances, key);
    yield { name: 'operation', remediation: describe, ...(await operationCheck(manager, instance, signal)) };
  } finally {
    await manager.close();
  }
}

function conditionsOfInstance(instance: ServiceInstance): Check {
  const describe = command('describe', serviceInstances, instance.metadata);
  if (instance.spec.shared !== true) {
    const own = conditionsOfService(instance, describe);
    const shared = sharedOf(instance);
    if (own.status === 'failed' || shared?.reason !== reasons.unshareFailed) return own;
    // True, and not as the spec says.
    const detail = `${typeShared} is ${shared.status}, ${shared.reason}: ${shared.message ?? ''}`;
    return { ...own, status: 'failed', detail, ...btpRemedies.shared(instance) };
  }
  const check = conditionsOfService(instance, describe, [{ type: typeShared, waiting: [] }]);
  const isRefused = sharedOf(instance)?.status === 'False';
  return check.status !== 'ok' && isRefused ? { ...check, ...btpRemedies.shared(instance) } : check;
}

async function planCheck(
  manager: ServiceManagerClient,
  instance: ServiceInstance,
  signal: AbortSignal,
): Promise<CheckResult> {
  const { serviceOfferingName, servicePlanName } = instance.spec;
  const object = `${serviceOfferingName}, plan ${servicePlanName}`;
  try {
    const { plan } = await manager.selectPlan(planSelectionOf(instance), { signal });
    return { status: 'ok', object, detail: `plan ID ${plan.id}` };
  } catch (error) {
    return { status: 'failed', object, detail: messageOf(error), ...btpRemedies.plan(instance) };
  }
}

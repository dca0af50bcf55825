/**
 * ServiceInstances and ServiceBindings as SAP's BTP service operator 0.11.8 stores them, by its source. Written past the API
 * server, with uid, generation and time of deletion.
 */
import { randomUUID } from 'node:crypto';
import {
  type ServiceBinding,
  type ServiceBindingSpec,
  serviceBindings,
} from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import {
  type ServiceInstance,
  type ServiceInstanceSpec,
  serviceInstances,
} from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import type { ObjectMeta } from '../../../../internal/framework/kube/object/object.ts';

/** Of all objects. */
export const namespace = 'shop';
export const finalizer = 'services.cloud.sap.com/sap-btp-finalizer';
const HOUR_MS = 3_600_000;
const hoursAgo = (hours: number) =>
  new Date(Date.now() - hours * HOUR_MS).toISOString().replace(/[.]\d+/, '');

export interface GoObjectOptions<Spec, Status> {
  readonly spec?: Partial<Spec>;
  /** `Succeeded True Created: the message`, each. */
  readonly conditions?: readonly string[];
  /** Without conditions. */
  readonly status?: Omit<Partial<Status>, 'conditions'>;
  readonly metadata?: Partial<ObjectMeta>;
  /** A user deleted it. */
  readonly deleted?: boolean;
  /** The generation of its conditions; default: the current one. */
  readonly observed?: number;
}

type InstanceStatus = NonNullable<ServiceInstance['status']>;
type BindingStatus = NonNullable<ServiceBinding['status']>;
export type GoInstanceOptions = GoObjectOptions<ServiceInstanceSpec, InstanceStatus>;
export type GoBindingOptions = GoObjectOptions<ServiceBindingSpec, BindingStatus>;

/** As the webhook of SAP's operator completes them. */
const userInfo = { username: 'jane@example.com', uid: '7', groups: ['system:authenticated'] };

export const goInstanceSpec = (
  name: string,
  spec: Partial<ServiceInstanceSpec> = {},
): ServiceInstanceSpec => ({
  serviceOfferingName: 'sample',
  servicePlanName: 'standard',
  externalName: name,
  userInfo,
  ...spec,
});

export function goInstance(name: string, options: GoInstanceOptions): ServiceInstance {
  const spec = goInstanceSpec(name, options.spec);
  return {
    ...typeOf(serviceInstances),
    metadata: metadataOf(name, options),
    spec,
    status: statusOf(options),
  };
}

export function goBinding(name: string, options: GoBindingOptions): ServiceBinding {
  const spec = { externalName: name, secretName: `${name}-secret`, userInfo, ...options.spec };
  return {
    ...typeOf(serviceBindings),
    metadata: metadataOf(name, options),
    spec: { serviceInstanceName: 'base', ...spec },
    status: statusOf(options),
  };
}

const typeOf = <K extends string>({ kind }: { readonly kind: K }) => ({
  apiVersion: 'services.cloud.sap.com/v1' as const,
  kind,
});

function metadataOf(name: string, { metadata = {}, deleted = false }: GoObjectOptions<unknown, unknown>) {
  return {
    name,
    namespace,
    uid: randomUUID(),
    generation: 1,
    creationTimestamp: hoursAgo(24),
    finalizers: [finalizer],
    ...(deleted ? { deletionTimestamp: hoursAgo(0), deletionGracePeriodSeconds: 0 } : {}),
    ...metadata,
  };
}

/** `observedGeneration` is that of Succeeded; the condition Shared has none. */
function statusOf({ conditions = [], status, ...options }: GoObjectOptions<unknown, object>) {
  const observed = options.observed ?? options.metadata?.generation ?? 1;
  const isObserved = conditions.some((text) => text.startsWith('Succeeded'));
  return {
    ...omitEmpty(status ?? {}),
    conditions: conditions.map((text) => conditionOf(text, observed)),
    ...(isObserved ? { observedGeneration: observed } : {}),
  };
}

/** As Go omits them. */
const omitEmpty = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value?.length !== 0));

function conditionOf(text: string, observedGeneration: number) {
  const [head = '', message = ''] = text.split(': ');
  const [type = '', status, reason = ''] = head.split(' ');
  return {
    type,
    status: status === 'True' ? ('True' as const) : ('False' as const),
    reason,
    message,
    lastTransitionTime: hoursAgo(23),
    ...(type === 'Shared' ? {} : { observedGeneration }),
  };
}

const successTexts = {
  Created: 'provisioned successfully',
  Updated: 'updated successfully',
} as const;

/** Of an object of the kind that is ready. */
export const readyConditions = (
  kind: 'ServiceInstance' | 'ServiceBinding',
  reason: keyof typeof successTexts = 'Created',
): string[] => [
  `Succeeded True ${reason}: ${kind} ${successTexts[reason]}`,
  `Ready True Provisioned: ${kind} ${successTexts[reason]}`,
];

/** Of an object that was never ready. `text`: `CreateInProgress: the message` */
export const unreadyConditions = (text: string): string[] => [
  `Succeeded False ${text}`,
  'Ready False NotProvisioned',
];

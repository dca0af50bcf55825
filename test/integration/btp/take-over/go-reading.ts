/**
 * How SAP's operator 0.11.8 reads objects, by its source: which fields and conditions it knows, and what it does with an object
 * first. The operator itself is not run.
 */
import type { ServiceBinding } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import type { ServiceInstance } from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { specHash } from '../../../../internal/systems/btp/serviceinstance/spec-hash.ts';
import { finalizer } from './go-objects.ts';

type Conditions = NonNullable<ServiceInstance['status']>['conditions'];
type Action = 'nothing' | 'poll' | 'delete' | 'create' | 'update' | 'share' | 'rotate' | 'wait';

/** Its CRDs do not have these, so that the API server drops them. */
const ADDED = ['parametersVersion', 'secretVersion', 'viewer', 'acceptedSpec', 'instanceData'];
const COMMON = ['instanceID', 'operationURL', 'operationType', 'conditions', 'ready', 'subaccountID'];
const INSTANCE = [...COMMON, 'observedGeneration', 'hashedSpec', 'tags', 'forceReconcile'];
const BINDING = [...COMMON, 'observedGeneration', 'bindingID', 'lastCredentialsRotationTime'];

const REASONS: Readonly<Record<string, RegExp>> = {
  Succeeded:
    /^((Create|Update|Delete)(InProgress|Failed)|Created|Updated|Deleted|Finished|InProgress|Failed|Blocked)$/,
  Ready: /^(Provisioned|NotProvisioned|NotFound)$/,
  Shared: /^(ShareSucceeded|ShareFailed|ShareNotSupported|UnShareSucceeded|UnShareFailed)$/,
  CredRotationInProgress: /^(Preparing|Rotating)$/,
  PendingTermination: /^PendingTermination$/,
  // Of older releases; removed with the next change.
  Failed: /./,
};

const find = (conditions: Conditions, type: string) => conditions.find((each) => each.type === type);

/** Generation by which it decides whether an object was reconciled. */
const observedOf = (conditions: Conditions) =>
  (find(conditions, 'Succeeded') ?? conditions[0])?.observedGeneration ?? 0;

/** What is not as SAP's operator writes it. */
export const instanceFields = (instance: ServiceInstance) => problems(instance, INSTANCE);
export const bindingFields = (binding: ServiceBinding) => problems(binding, BINDING);

function problems(
  { metadata, status }: ServiceInstance | ServiceBinding,
  fields: readonly string[],
): string[] {
  const { conditions = [], observedGeneration = 0, operationType } = status ?? {};
  const known = [...fields, ...ADDED];
  const first = conditions[0]?.type;
  return [
    ...Object.keys(status ?? {}).filter((field) => !known.includes(field)),
    ...conditions.filter(({ type, reason }) => !REASONS[type]?.test(reason)).map(({ type }) => type),
    // Print columns show the first one.
    ...(first === 'Succeeded' || find(conditions, 'Ready')?.reason === 'NotFound'
      ? []
      : [`${first} is first`]),
    ...(find(conditions, 'Succeeded') && observedGeneration !== observedOf(conditions)
      ? ['observedGeneration']
      : []),
    ...(['create', 'update', 'delete', undefined].includes(operationType) ? [] : ['operationType']),
    ...((metadata.finalizers ?? []).includes(finalizer) ? [] : ['finalizer']),
  ];
}

export function instanceAction({ metadata, spec, status }: ServiceInstance): Action {
  const { conditions = [], operationURL, operationType, instanceID, hashedSpec, ready } = status ?? {};
  const isDeleted = metadata.deletionTimestamp !== undefined;
  if (operationURL && (operationType === 'delete' || !isDeleted)) return 'poll';
  if (isDeleted) return 'delete';
  if (find(conditions, 'Ready')?.reason === 'NotFound') return 'nothing';
  const { status: shared, reason } = find(conditions, 'Shared') ?? {};
  const shares = reason !== 'ShareNotSupported' && (spec.shared ?? false) !== (shared === 'True');
  const isObserved = metadata.generation === observedOf(conditions);
  if (ready === 'True' && status?.forceReconcile !== true && isObserved && !shares) return 'nothing';
  if (!instanceID) return 'create';
  if (status?.forceReconcile === true || spec.watchParametersFromChanges === true) return 'update';
  const isStarted = find(conditions, 'Succeeded')?.reason === 'UpdateInProgress';
  if (ready === 'True' && (isStarted || hashedSpec !== specHash(spec))) return 'update';
  return ready === 'True' && shares ? 'share' : 'nothing';
}

export function bindingAction({ metadata, spec, status }: ServiceBinding): Action {
  const { conditions = [], operationURL, operationType, bindingID, ready } = status ?? {};
  const isDeleted = metadata.deletionTimestamp !== undefined;
  if (operationURL && (operationType === 'delete' || !isDeleted)) return 'poll';
  if (isDeleted) return 'delete';
  if (find(conditions, 'Ready')?.reason === 'NotFound') return 'nothing';
  const rotation = find(conditions, 'CredRotationInProgress');
  if (rotation?.status === 'True' && (rotation.reason === 'Preparing' || (bindingID && ready === 'True')))
    return 'rotate';
  if (find(conditions, 'Ready')?.status !== 'True') return bindingID ? 'nothing' : 'create';
  const { credentialsRotationPolicy: policy } = spec;
  const forced = metadata.annotations?.['services.cloud.sap.com/forceRotate'] !== undefined;
  if (policy?.enabled && forced) return 'rotate';
  return metadata.generation === observedOf(conditions) ? 'nothing' : 'update';
}

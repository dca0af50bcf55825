import {
  type ServiceBinding,
  type ServiceBindingSpec,
  serviceBindings,
} from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import {
  type ServiceInstance,
  serviceInstances,
} from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { jsonEqual, kindOf, type Logger, messageOf, parseDuration } from '../../../framework/base/index.ts';
import {
  type AdmissionRequest,
  type AdmissionUser,
  DeniedError,
  mutatingWebhook,
  validatingWebhook,
  type Webhook,
} from '../../../framework/controller/index.ts';
import { type KubeClient, ownUserOf } from '../../../framework/kube/index.ts';
import {
  originalBindingAnnotation,
  preventDeletionAnnotation,
  rotationOfLabel,
  staleLabel,
} from '../metadata.ts';
import { rotationStepOf } from '../servicebinding/rotation/rotation-policy.ts';
import { type SecretNames, secretNamesProblem } from '../servicebinding/secret/assemble-content.ts';
import { secretKeyOf } from '../servicebinding/secret/secret-store.ts';
import { readyOf } from '../status/conditions.ts';
import { reasons } from '../status/messages.ts';
import { externalNameOf } from '../status/service-resource.ts';

/** Records who changed the spec, and defaults the external name. */
const mutateInstance = mutatingWebhook<ServiceInstance>(serviceInstances, (instance, request) => {
  assertSpec(instance);
  const { spec, metadata } = instance;
  const old = request.oldObject?.spec;
  if (request.operation === 'CREATE') spec.userInfo = originatorOf(request);
  else if (old !== undefined) {
    if (spec.userInfo && !jsonEqual(spec.userInfo, old.userInfo)) {
      throw new DeniedError(changedUser, { code: 400 });
    }
    if (old.userInfo !== undefined) spec.userInfo = old.userInfo;
    if (!jsonEqual(spec, old)) spec.userInfo = originatorOf(request);
  }
  // A generated name is not known yet.
  if (!spec.externalName && metadata.name) spec.externalName = metadata.name;
});

const validateInstance = validatingWebhook<ServiceInstance>(serviceInstances, ({ operation, oldObject }) => {
  if (operation !== 'DELETE' || oldObject === undefined) return;
  const { name, annotations } = oldObject.metadata;
  if (annotations?.[preventDeletionAnnotation]?.toLowerCase() === 'true') {
    throw new DeniedError(`service instance '${name}' is marked with "prevent deletion"`);
  }
});

export const serviceInstanceWebhooks: readonly Webhook[] = [mutateInstance, validateInstance];

/** Defaults names and the rotation, and records who created the binding. */
const mutateBinding = mutatingWebhook<ServiceBinding>(serviceBindings, (binding, request) => {
  assertSpec(binding);
  const { spec, metadata } = binding;
  // A generated name is not known yet.
  if (metadata.name) {
    spec.externalName ||= metadata.name;
    spec.secretName ||= metadata.name;
  }
  const { credentialsRotationPolicy: policy } = spec;
  if (policy) {
    policy.rotationFrequency ||= '72h';
    policy.rotatedBindingTTL ||= '48h';
  }
  if (request.operation === 'CREATE') spec.userInfo = originatorOf(request);
  else {
    const user = spec.userInfo ?? request.oldObject?.spec.userInfo;
    if (user !== undefined) spec.userInfo = user;
  }
});

/** What the webhooks know of the program. */
interface BindingWebhookOptions {
  /** The name of the user that rotates credentials; undefined if it cannot be found. */
  readonly ownUser: (signal: AbortSignal) => Promise<string | undefined>;
  /** Parses `spec.secretTemplate` of a binding in a namespace. @throws an error with a message for its user */
  readonly parseTemplate: (template: string, namespace: string, signal: AbortSignal) => Promise<void>;
}

/** A shorter frequency replaces credentials before programs have read them. */
const MIN_FREQUENCY = '1m';

async function validateBinding(
  { object, oldObject, userInfo: requester }: AdmissionRequest<ServiceBinding>,
  { ownUser, parseTemplate }: BindingWebhookOptions,
  signal: AbortSignal,
): Promise<void> {
  if (object === undefined) return;
  const { credentialsRotationPolicy: policy, userInfo } = object.spec;
  assertDuration('rotatedBindingTTL', policy?.rotatedBindingTTL);
  assertDuration('rotationFrequency', policy?.rotationFrequency);
  const old = oldObject?.spec;
  // What is stored already does not stop other edits.
  const isReplaced = replacedIDOf(oldObject ?? object) !== undefined;
  if (policy?.enabled && !isReplaced && !jsonEqual(policy, old?.credentialsRotationPolicy))
    assertFrequency(policy.rotationFrequency);
  const { secretTemplate } = object.spec;
  // A replaced binding has the template of its origin.
  if (secretTemplate && secretTemplate !== old?.secretTemplate && replacedIDOf(object) === undefined) {
    try {
      await parseTemplate(secretTemplate, object.metadata.namespace ?? '', signal);
    } catch (error) {
      if (kindOf(error) === 'bug' || signal.aborted) throw error;
      throw new DeniedError(`spec.secretTemplate: ${messageOf(error)}`);
    }
  }
  // Of new names: those that are stored may belong to another program, or are shown by the reconcile.
  const names = secretNamesOf(object.spec);
  if (!jsonEqual(names, old && secretNamesOf(old))) {
    const problem = secretNamesProblem(names);
    if (problem !== undefined) throw new DeniedError(problem);
  }
  if (oldObject === undefined) {
    if (replacedIDOf(object) === undefined) return;
    // Without the name it is accepted: the reconcile adopts a binding only if Service Manager confirms whose it is.
    const rotating = await ownUser(signal);
    if (rotating !== undefined && requester?.username !== rotating) throw new DeniedError(reservedLabel);
    return;
  }
  const isStale = replacedIDOf(oldObject) !== undefined;
  if (isStale) {
    if (policy?.enabled) throw new DeniedError('enabling cred rotation for rotated binding is not allowed');
    if (rotationMarks.some((mark) => mark(object) !== mark(oldObject))) {
      throw new DeniedError('modifying rotation labels is not allowed');
    }
  } else if (replacedIDOf(object) !== undefined) throw new DeniedError(reservedLabel);
  if (userInfo && !jsonEqual(userInfo, oldObject.spec.userInfo)) throw new DeniedError(changedUser);
  const isBound = Boolean(oldObject.status?.bindingID);
  const fixed = isBound && !isStale && wasNeverReady(oldObject) ? ofServiceManager : immutable;
  const isChanged = (isBound || isStale) && !jsonEqual(fixed(object), fixed(oldObject));
  if (isChanged || leavesSecret(object, oldObject))
    throw new DeniedError('updating service bindings is not supported');
}

/** A rotation removes the ID, while programs use the Secret: under another name, nothing would renew or delete the one that they use. */
const leavesSecret = (object: ServiceBinding, old: ServiceBinding): boolean =>
  rotationStepOf(old) !== undefined && secretKeyOf(object).name !== secretKeyOf(old).name;

const reservedLabel = `the label ${staleLabel} is set by the rotation of credentials only`;

type MarkOf = (binding: ServiceBinding) => string | undefined;

const replacedIDOf: MarkOf = ({ metadata }) => metadata.labels?.[staleLabel];

const rotationMarks: readonly MarkOf[] = [
  replacedIDOf,
  ({ metadata }) => metadata.labels?.[rotationOfLabel],
  ({ metadata }) => metadata.annotations?.[originalBindingAnnotation],
];

/** The part of the spec that Service Manager knows, or that decides the Secret. */
function immutable(binding: ServiceBinding) {
  const { credentialsRotationPolicy: _, secretTemplate: __, userInfo: ___, ...rest } = binding.spec;
  return { ...rest, externalName: externalNameOf(binding), secretName: secretKeyOf(binding).name };
}

/** The part of the spec that no correction of the Secret changes. */
function ofServiceManager(binding: ServiceBinding) {
  const { secretName: _, secretKey: __, secretRootKey: ___, ...rest } = immutable(binding);
  return rest;
}

const secretNamesOf = ({ secretName, secretKey, secretRootKey }: ServiceBindingSpec): SecretNames =>
  JSON.parse(JSON.stringify({ secretName, secretKey, secretRootKey }));

/**
 * Whether no Secret of the binding was ever written: what decides it can still be corrected, although the binding exists in Service
 * Manager.
 */
function wasNeverReady(binding: ServiceBinding): boolean {
  const { status } = binding;
  return (
    status?.ready === 'False' &&
    !status.secretVersion &&
    readyOf(binding)?.reason !== reasons.notFound &&
    rotationStepOf(binding) === undefined
  );
}

function assertDuration(field: string, text: string | undefined): void {
  if (!text || parseDuration(text) !== undefined) return;
  const path = `spec.credentialsRotationPolicy.${field}`;
  throw new DeniedError(`${path}: ${JSON.stringify(text)} is not a duration such as 72h or 30m`);
}

function assertFrequency(text: string | undefined): void {
  const [frequency, least] = [text, MIN_FREQUENCY].map((each) => parseDuration(each ?? ''));
  if (frequency === undefined || least === undefined || frequency >= least) return;
  throw new DeniedError(
    `spec.credentialsRotationPolicy.rotationFrequency: ${JSON.stringify(text)} is less than ${MIN_FREQUENCY}: programs would not read credentials before they are replaced`,
  );
}

export const serviceBindingWebhooks = (options: BindingWebhookOptions): readonly Webhook[] => [
  mutateBinding,
  validatingWebhook<ServiceBinding>(serviceBindings, (request, { signal }) =>
    validateBinding(request, options, signal),
  ),
];

/** The user in `spec.userInfo`, who is named to Service Manager. */
const originatorOf = ({ userInfo = {} }: Pick<AdmissionRequest, 'userInfo'>): Originator => {
  const { username, uid, groups, extra } = userInfo;
  return {
    ...(username ? { username } : {}),
    ...(uid ? { uid } : {}),
    ...(groups === undefined || groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra: valuesOf(extra) }),
  };
};

interface Originator {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

const valuesOf = (extra: NonNullable<AdmissionUser['extra']>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(extra).map(([name, values]) => [name, [...values]]));

const changedUser = 'modifying spec.userInfo is not allowed';

/** Mutating webhooks get objects before their schema is validated. */
function assertSpec(object: { readonly spec?: unknown }): void {
  const { spec } = object;
  if (typeof spec === 'object' && spec !== null && !Array.isArray(spec)) return;
  throw new DeniedError('cannot decode the object: spec is not an object', { code: 400 });
}

/** The user of the client, read once. */
export function readOwnUser(client: KubeClient, log: Logger): BindingWebhookOptions['ownUser'] {
  let known: string | undefined;
  return async (signal) => {
    try {
      known ??= await ownUserOf(client, { signal });
    } catch (error) {
      log.info('cannot read the own user name; users may set the label of replaced bindings', {
        error: messageOf(error),
      });
    }
    return known;
  };
}

import {
  type ServiceInstance,
  serviceInstances,
} from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { jsonEqual } from '../../../framework/base/index.ts';

import {
  DeniedError,
  mutatingWebhook,
  validatingWebhook,
  type Webhook,
} from '../../../framework/controller/index.ts';
import { preventDeletionAnnotation } from '../metadata.ts';
import { assertSpec, changedUser, originatorOf } from './originator.ts';

/** Records who changed the spec, and defaults the external name. */
const mutate = mutatingWebhook<ServiceInstance>(serviceInstances, (instance, request) => {
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

const validate = validatingWebhook<ServiceInstance>(serviceInstances, ({ operation, oldObject }) => {
  if (operation !== 'DELETE' || oldObject === undefined) return;
  const { name, annotations } = oldObject.metadata;
  if (annotations?.[preventDeletionAnnotation]?.toLowerCase() === 'true') {
    throw new DeniedError(`service instance '${name}' is marked with "prevent deletion"`);
  }
});

export const serviceInstanceWebhooks: readonly Webhook[] = [mutate, validate];

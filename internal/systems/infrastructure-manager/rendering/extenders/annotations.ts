import { ownMember } from '../../../../framework/base/json/json-field.ts';
import { labels } from '../../labels.ts';
import {
  annotationGracePeriod,
  annotationRuntimeGeneration,
  annotationRuntimeId,
} from '../../shoot-metadata.ts';
import type { Extender } from '../model/extender.ts';

const PREFIX = 'infrastructuremanager.kyma-project.io';

/** How long Gardener waits for finalizers when it deletes the Shoot, in seconds. */
const gracePeriods = {
  [annotationGracePeriod]: '120',
  'shoot.gardener.cloud/cleanup-kubernetes-resources-finalize-grace-period-seconds': '120',
  'shoot.gardener.cloud/cleanup-webhooks-finalize-grace-period-seconds': '60',
};

/** From which Runtime, and from which version of it, the Shoot was made, and how it is deleted. */
export const annotations: Extender = ({ runtime: { metadata }, spec }) => ({
  annotations: {
    [annotationRuntimeId]: ownMember(metadata.labels, labels.runtimeId) ?? '',
    [annotationRuntimeGeneration]: String(metadata.generation ?? 0),
    ...gracePeriods,
    ...(spec.shoot.licenceType ? { [`${PREFIX}/licence-type`]: spec.shoot.licenceType } : {}),
  },
});

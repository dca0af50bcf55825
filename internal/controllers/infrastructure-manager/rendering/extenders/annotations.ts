import { ownMember } from '../../../../base/json/json-field.ts';
import { labels } from '../../labels.ts';
import { annotationRuntimeGeneration, annotationRuntimeId } from '../../shoot-metadata.ts';
import type { Extender } from '../model/extender.ts';

const PREFIX = 'infrastructuremanager.kyma-project.io';

/** From which Runtime, and from which version of it, the Shoot was made. */
export const annotations: Extender = ({ runtime: { metadata }, spec }) => ({
  annotations: {
    [annotationRuntimeId]: ownMember(metadata.labels, labels.runtimeId) ?? '',
    [annotationRuntimeGeneration]: String(metadata.generation ?? 0),
    ...(spec.shoot.licenceType ? { [`${PREFIX}/licence-type`]: spec.shoot.licenceType } : {}),
  },
});

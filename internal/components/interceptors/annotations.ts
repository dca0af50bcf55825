import type { Interceptor } from './interceptor.ts';

export const ANNOTATION_DISCLAIMER = 'reconciler.kyma-project.io/managed-by-reconciler-disclaimer';
/** The component whose chart has the object. Another component does not prune it. */
export const ANNOTATION_COMPONENT = 'reconciler.kyma-project.io/component';

/** As the Go program wrote it. */
const DISCLAIMER = [
  'DO NOT EDIT - This resource is managed by Kyma.',
  'Any modifications are discarded and the resource is reverted to the original state.',
].join('\n');

/** All objects: that changes of users are reverted. */
export const addDisclaimer: Interceptor = ({ object: { metadata } }) => {
  metadata.annotations = { ...metadata.annotations, [ANNOTATION_DISCLAIMER]: DISCLAIMER };
};

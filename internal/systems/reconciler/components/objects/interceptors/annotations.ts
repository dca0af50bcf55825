import type { Interceptor } from './interceptor.ts';

const ANNOTATION_DISCLAIMER = 'reconciler.kyma-project.io/managed-by-reconciler-disclaimer';

/** As the Go program wrote it. */
const DISCLAIMER = [
  'DO NOT EDIT - This resource is managed by Kyma.',
  'Any modifications are discarded and the resource is reverted to the original state.',
].join('\n');

/** All objects: that changes of users are reverted. */
export const addDisclaimer: Interceptor = ({ object: { metadata } }) => {
  metadata.annotations = { ...metadata.annotations, [ANNOTATION_DISCLAIMER]: DISCLAIMER };
};

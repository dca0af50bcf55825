import { labelValue } from '../label-value.ts';
import type { Interceptor } from './interceptor.ts';

export const LABEL_MANAGED_BY = 'reconciler.kyma-project.io/managed-by';
export const LABEL_ORIGIN_VERSION = 'reconciler.kyma-project.io/origin-version';
/** The component whose chart has the object: another component does not delete it. */
export const LABEL_COMPONENT = 'reconciler.kyma-project.io/component';
export const MANAGED_BY = 'reconciler';

/** All objects: who manages them, and the version that they come from. */
export const addLabels: Interceptor = ({ object: { metadata } }, { target }) => {
  metadata.labels = {
    ...metadata.labels,
    [LABEL_MANAGED_BY]: MANAGED_BY,
    [LABEL_ORIGIN_VERSION]: labelValue(target.version),
  };
};

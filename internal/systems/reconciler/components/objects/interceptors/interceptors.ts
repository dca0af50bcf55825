import { addDisclaimer } from './annotations.ts';
import { clearNamespace } from './cluster-wide.ts';
import { leaveControlledFields } from './controlled-fields.ts';
import { keepFinalizers } from './finalizers.ts';
import { keepReplicas } from './hpa-replicas.ts';
import type { Interceptor } from './interceptor.ts';
import { addLabels } from './labels.ts';
import { labelNamespaces } from './namespaces.ts';
import { keepClusterIp } from './services.ts';
import { keepVolumeSize } from './volume-claims.ts';

/** What changes the objects of all components before they are applied, in this order. */
export const INTERCEPTORS: readonly Interceptor[] = [
  addLabels,
  addDisclaimer,
  keepClusterIp,
  keepVolumeSize,
  clearNamespace,
  leaveControlledFields,
  labelNamespaces,
  keepFinalizers,
  keepReplicas,
];

import { isObject, valueAt } from '../../../../../framework/base/json/json-field.ts';
import type { KubeObject } from '../../../../../framework/kube/object/object.ts';
import type { Interceptor } from './interceptor.ts';

/**
 * Fields that controllers of the cluster fill are left out of the apply, which would empty them in each run until the controller fills
 * them again: the rules of an aggregated ClusterRole, and authorities of webhooks that a chart leaves blank.
 */
export const leaveControlledFields: Interceptor = ({ object, type }) => {
  const kind = `${type.group}/${type.kind}`;
  if (kind === CLUSTER_ROLE && valueAt(object, ['aggregationRule']) !== undefined)
    Reflect.deleteProperty(object, 'rules');
  for (const config of clientsOf(object, kind))
    if (isObject(config) && isBlank(config.caBundle)) Reflect.deleteProperty(config, 'caBundle');
};

const CLUSTER_ROLE = 'rbac.authorization.k8s.io/ClusterRole';

/** What has the field `caBundle`, by kind. */
function clientsOf(object: KubeObject, kind: string): readonly unknown[] {
  switch (kind) {
    case 'admissionregistration.k8s.io/MutatingWebhookConfiguration':
    case 'admissionregistration.k8s.io/ValidatingWebhookConfiguration': {
      const webhooks = valueAt(object, ['webhooks']);
      return Array.isArray(webhooks) ? webhooks.map((each: unknown) => valueAt(each, ['clientConfig'])) : [];
    }
    case 'apiextensions.k8s.io/CustomResourceDefinition':
      return [valueAt(object, ['spec', 'conversion', 'webhook', 'clientConfig'])];
    case 'apiregistration.k8s.io/APIService':
      return [valueAt(object, ['spec'])];
    default:
      return [];
  }
}

/** Charts write `Cg==`, a line feed, where older API servers refused an empty text. */
const isBlank = (base64: unknown): boolean =>
  typeof base64 === 'string' && Buffer.from(base64, 'base64').toString().trim() === '';

import { isNamespace } from '../known-types.ts';
import type { Interceptor } from './interceptor.ts';

/** Those whose pods the webhook of Warden validates. */
const VALIDATED: ReadonlySet<string> = new Set(['kyma-system', 'istio-system']);

/** Namespaces: their name as a label, the injection of Istio's sidecars, and the validation of images. */
export const labelNamespaces: Interceptor = ({ object: { metadata }, type }) => {
  if (!isNamespace(type)) return;
  metadata.labels = {
    ...metadata.labels,
    name: metadata.name,
    'istio-injection': 'enabled',
    ...(VALIDATED.has(metadata.name) ? { 'namespaces.warden.kyma-project.io/validate': 'enabled' } : {}),
  };
};

import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import type { RenderingInput } from '../model/extender.ts';
import { rawDocument } from '../model/raw-document.ts';
import type { Extension } from './extension.ts';

const blackholing: ExtensionSchemas['NetworkFilterConfig'] = { egressFilter: { blackholingEnabled: true } };

/** Filters traffic of nodes to known malicious addresses; incoming traffic only together with outgoing traffic. */
export function networkingFilter({ spec }: RenderingInput): Extension {
  const { egress, ingress } = spec.security.networking.filter;
  const type = 'shoot-networking-filter';
  if (!egress.enabled) return { type, disabled: true };
  if (ingress?.enabled !== true) return { type, disabled: false };
  return { type, disabled: false, providerConfig: rawDocument(blackholing) };
}

import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import type { RenderingInput } from '../model/extender.ts';
import { rawDocument } from '../model/raw-document.ts';
import type { Extension } from './extension.ts';

export const ACCESS_CONTROL = 'acl';

/** Providers whose load balancers show the address of the client. */
const PROVIDERS: ReadonlySet<string> = new Set(['aws', 'azure']);

/** Whether the Runtime says who may connect to its API server. */
export const hasAccessControl = ({ spec: { shoot } }: Pick<RenderingInput, 'spec'>): boolean =>
  PROVIDERS.has(shoot.provider.type) && (shoot.kubernetes?.kubeAPIServer?.acl?.allowedCIDRs ?? []).length > 0;

/** Only the ranges of the Runtime, of operators and of the control plane may connect; undefined: all may. */
export function accessControl(input: RenderingInput): Extension | undefined {
  const { spec, accessControl: always } = input;
  if (always === undefined || !hasAccessControl(input)) return undefined;
  const { allowedCIDRs = [] } = spec.shoot.kubernetes?.kubeAPIServer?.acl ?? {};
  const cidrs = [...allowedCIDRs, ...always.operators, always.controlPlane];
  const config: ExtensionSchemas['AccessControlConfig'] = {
    rule: { action: 'ALLOW', cidrs, type: 'remote_ip' },
  };
  return { type: ACCESS_CONTROL, disabled: false, providerConfig: rawDocument(config) };
}

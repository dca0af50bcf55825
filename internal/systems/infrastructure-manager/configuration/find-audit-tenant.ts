import { cutText } from '../../../framework/base/text/text.ts';
import { visible } from '../../../framework/base/text/visible.ts';
import type { AuditTenant, AuditTenants } from './configuration.ts';

const MISSING = 'audit logs configuration not found';

/** A name that a tenant writes, for messages. */
const quoted = (name: string): string => `'${visible(cutText(name, 64))}'`;

/** The tenant of a region, or why there is none. */
export function findAuditTenant(
  tenants: AuditTenants,
  providerType: string,
  region: string,
): { readonly data: AuditTenant } | { readonly missing: string } {
  const ofProvider = tenants.get(providerType);
  if (ofProvider === undefined)
    return { missing: `${MISSING}: missing providerType: ${quoted(providerType)}` };
  const data = ofProvider.get(region);
  if (data !== undefined) return { data };
  return {
    missing: `${MISSING}: missing region: ${quoted(region)} for providerType: ${quoted(providerType)}`,
  };
}

import type { AuditTenant, AuditTenants } from './configuration.ts';

const MISSING = 'audit logs configuration not found';

/** The tenant of a region, or why there is none. */
export function findAuditTenant(
  tenants: AuditTenants,
  providerType: string,
  region: string,
): { readonly data: AuditTenant } | { readonly missing: string } {
  const ofProvider = tenants.get(providerType);
  if (ofProvider === undefined) return { missing: `${MISSING}: missing providerType: '${providerType}'` };
  const data = ofProvider.get(region);
  if (data !== undefined) return { data };
  return { missing: `${MISSING}: missing region: '${region}' for providerType: '${providerType}'` };
}

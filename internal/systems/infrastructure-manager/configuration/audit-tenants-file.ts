import type { ConfigurationNode } from '../../../framework/base/configuration/configuration-node.ts';
import { readFields, readItems } from '../../../framework/base/configuration/read-fields.ts';
import type { AuditTenant, AuditTenants } from './configuration.ts';

/** Tenants of the audit log service by provider and region. @throws ConfigurationError with all mistakes */
export const auditTenantsOf = (root: ConfigurationNode): AuditTenants =>
  new Map(readItems(root.mapEntries(), ([provider, regions]) => [provider, tenantsByRegion(regions)]));

const tenantsByRegion = (regions: ConfigurationNode): ReadonlyMap<string, AuditTenant> =>
  new Map(readItems(regions.mapEntries(), ([region, tenant]) => [region, auditTenantOf(tenant)]));

const auditTenantOf = (node: ConfigurationNode): AuditTenant => {
  const { readCredsSecretName: _, ...tenant } = readFields({
    tenantID: () => node.member('tenantID').requiredText(),
    serviceURL: () => urlIn(node.member('serviceURL')),
    secretName: () => node.member('secretName').requiredText(),
    // Of later versions, for the readers of audit logs.
    readCredsSecretName: () => node.member('readCredsSecretName').text(),
  });
  return tenant;
};

function urlIn(node: ConfigurationNode): string {
  const url = node.requiredText();
  if (URL.parse(url) === null) node.fail('want a URL');
  return url;
}

import type { ConfigurationNode } from '../../../base/configuration/configuration-node.ts';
import type { AuditTenant, AuditTenants } from './configuration.ts';

/** Tenants of the audit log service by provider and region. @throws ConfigurationError */
export const auditTenantsOf = (root: ConfigurationNode): AuditTenants =>
  new Map(
    root
      .mapEntries()
      .map(([provider, regions]) => [
        provider,
        new Map(regions.mapEntries().map(([region, tenant]) => [region, auditTenantOf(tenant)])),
      ]),
  );

function auditTenantOf(node: ConfigurationNode): AuditTenant {
  const url = node.member('serviceURL');
  const serviceURL = url.requiredText();
  if (URL.parse(serviceURL) === null) url.fail('want a URL');
  // Of later versions, for the readers of audit logs.
  node.member('readCredsSecretName').text();
  // Of AuditLogs only: accepted, and not used here.
  node.member('readCredsSecretName').text();
  return {
    tenantID: node.member('tenantID').requiredText(),
    serviceURL,
    secretName: node.member('secretName').requiredText(),
  };
}

import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import type { AuditTenant } from '../../configuration/configuration.ts';
import { AUDIT_CREDENTIALS } from '../model/audit-log.ts';
import { rawDocument } from '../model/raw-document.ts';
import type { Extension } from './extension.ts';

/** Sends audit logs of the API server to the tenant. */
export function auditlogService({ tenantID, serviceURL }: AuditTenant): Extension {
  const config: ExtensionSchemas['AuditlogConfig'] = {
    apiVersion: 'service.auditlog.extensions.gardener.cloud/v1alpha1',
    kind: 'AuditlogConfig',
    type: 'standard',
    tenantID,
    serviceURL,
    secretReferenceName: AUDIT_CREDENTIALS,
  };
  return { type: 'shoot-auditlog-service', providerConfig: rawDocument(config) };
}

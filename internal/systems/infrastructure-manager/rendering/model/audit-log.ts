/** Entry of `spec.resources` of a Shoot with the credentials of the audit log service. */
export const AUDIT_CREDENTIALS = 'auditlog-credentials';

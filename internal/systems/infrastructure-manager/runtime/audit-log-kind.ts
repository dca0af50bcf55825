/** AuditLogs: audit logs for one runtime each, which the Kyma audit log manager provides. Their CRD is not part of this program. */
import type { KubeObject, ResourceType } from '../../../framework/kube/index.ts';

export interface AuditLog extends KubeObject {
  readonly spec: {
    /** Regions of the provider whose runtimes may have it. */
    readonly regions: readonly string[];
    /** Tenant of the audit log service. */
    readonly subaccountID?: string;
    /** The runtime that has it, for ever. */
    readonly assignedToRuntimeID?: string;
    /** Its runtime is gone. It never becomes false again. */
    readonly orphaned?: boolean;
    readonly config?: {
      readonly serviceURL?: string;
      /** Secret of the project in Gardener with the credentials to write. */
      readonly gardenerSecretName?: string;
      /** Secret beside the AuditLog with the credentials to read. */
      readonly readCredsSecretName?: string;
    };
  };
  readonly status?: { readonly state?: string };
}

export const auditLogs: ResourceType<AuditLog> & { readonly apiVersion: string } = {
  apiVersion: 'auditlogmanager.kyma-project.io/v1beta1',
  group: 'auditlogmanager.kyma-project.io',
  version: 'v1beta1',
  kind: 'AuditLog',
  plural: 'auditlogs',
  namespaced: true,
};

/** The runtime that will get it. */
export const labelReservedFor = 'reserved-for-runtime-id';
/** Since when, in seconds since the epoch. */
export const labelReservedAt = 'reserved-for-runtime-at';

/** States in which it can be given to a runtime. */
const READY: readonly (string | undefined)[] = ['RegistrationReady', 'SiemApproved'];

export const reservedFor = ({ metadata }: AuditLog): string | undefined =>
  metadata.labels?.[labelReservedFor];

export const isAvailable = (auditLog: AuditLog, region: string): boolean =>
  READY.includes(auditLog.status?.state) &&
  !auditLog.spec.assignedToRuntimeID &&
  reservedFor(auditLog) === undefined &&
  auditLog.spec.regions.includes(region);

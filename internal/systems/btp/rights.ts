import { serviceBindings } from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { secrets } from '../../framework/kube/index.ts';
import { leases } from '../../framework/kube/object/resource-type.ts';
import { inNamespaces, type Purpose, type RequiredRight, rightsFor } from '../../framework/module/right.ts';
import { operatorLeaseName } from './operator-lease/operator-lease.ts';
import { credentialSettings, reconciledNamespaces } from './settings/btp-settings.ts';
import type { BtpFlags } from './settings/flags.ts';

const resources: Purpose = { name: 'btp-resources', neededFor: 'ServiceInstances and ServiceBindings' };
const credentials: Purpose = {
  name: 'btp-secrets',
  neededFor: 'credentials, parameters and Secrets of bindings',
};
const rotation: Purpose = {
  name: 'btp-rotation',
  neededFor: 'keeping replaced credentials in a ServiceBinding of their own, and deleting it later',
};
const operatorLease: Purpose = {
  name: 'operator-lease',
  neededFor: "reconciling nothing while SAP's BTP service operator runs",
};

/** The namespaces whose objects the operator reconciles, for a command outside the cluster; undefined: all. */
export const rightsNamespaces = (flags: BtpFlags): readonly string[] | undefined =>
  reconciledNamespaces({ ...flags, releaseNamespace: credentialSettings(flags).releaseNamespace });

/** Without access to the cluster, only in the namespaces of the flags. */
export function btpRights(flags: BtpFlags): RequiredRight[] {
  const { releaseNamespace, managementNamespace } = credentialSettings(flags);
  const reconciled = rightsNamespaces(flags);
  const named = (verbs: readonly string[]) =>
    rightsFor(operatorLease, leases, verbs).map((right) => ({ ...right, name: operatorLeaseName }));
  const readsElsewhere = reconciled !== undefined && !reconciled.includes(managementNamespace);
  return [
    ...inNamespaces(
      [
        ...[serviceInstances, serviceBindings].flatMap((type) => [
          ...rightsFor(resources, type, ['get', 'list', 'watch', 'update']),
          ...rightsFor(resources, type, ['update'], 'status'),
        ]),
        // For `blockOwnerDeletion` of Secrets: admission plugin OwnerReferencesPermissionEnforcement.
        ...rightsFor(resources, serviceBindings, ['update'], 'finalizers'),
        ...rightsFor(rotation, serviceBindings, ['create', 'delete']),
        ...rightsFor(credentials, secrets, ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']),
        ...named(['get', 'list', 'watch']),
      ],
      reconciled,
    ),
    ...(readsElsewhere
      ? inNamespaces(rightsFor(credentials, secrets, ['get', 'list', 'watch', 'patch']), [
          managementNamespace,
        ])
      : []),
    ...inNamespaces(
      [...rightsFor(operatorLease, leases, ['create']), ...named(['update'])],
      [releaseNamespace],
    ),
  ];
}

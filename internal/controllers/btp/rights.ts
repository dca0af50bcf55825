import { serviceBindings } from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { leases, secrets } from '../../kube/object/resource-type.ts';
import { type Purpose, type RequiredRight, rightsFor } from '../module/right.ts';

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

export const btpRights: readonly RequiredRight[] = [
  ...[serviceInstances, serviceBindings].flatMap((type) => [
    ...rightsFor(resources, type, ['get', 'list', 'watch', 'update']),
    ...rightsFor(resources, type, ['update'], 'status'),
  ]),
  ...rightsFor(rotation, serviceBindings, ['create', 'delete']),
  ...rightsFor(credentials, secrets, ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']),
  ...rightsFor(operatorLease, leases, ['get', 'list', 'watch', 'create', 'update']),
];

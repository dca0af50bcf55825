import type { ControlPlaneAccess } from '../../hack/control-planes/access/access.ts';
import {
  serviceBindings,
  serviceInstances,
} from '../../internal/systems/inventory/kymainstancemapping/inputs/inputs.ts';
import { crdOf } from './crd-of.ts';
import { installCrds } from './install-crds.ts';

/**
 * The kinds of the SAP BTP service operator with a schema that accepts everything, so that tests can store what a
 * future version, or a mistake, might: a number where a string belongs, a status without conditions.
 */
export async function installBtpKinds(plane: Pick<ControlPlaneAccess, 'request'>): Promise<void> {
  await installCrds(plane, [crdOf(serviceInstances), crdOf(serviceBindings)]);
}

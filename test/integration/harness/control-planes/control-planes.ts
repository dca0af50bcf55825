import { randomBytes } from 'node:crypto';
import {
  accessControlPlane,
  type ControlPlaneAccess,
} from '../../../../hack/control-planes/access/access.ts';
import { publishedAddress } from './addresses.ts';

/*
 * Every integration test runs against two real control planes, started once and shared by all of them: *management*,
 * where Crossplane and the provider would run, and *kyma*, the remote cluster. The kinds of the package are installed on
 * the former, those of the BTP service operator on both. Each test uses namespaces and names of its own (`uniqueName`). A
 * test that needs to crash an API server starts a control plane for itself with `startControlPlane`.
 */
export interface ControlPlanes {
  readonly management: ControlPlaneAccess;
  readonly kyma: ControlPlaneAccess;
}

export async function controlPlanes(): Promise<ControlPlanes> {
  return {
    management: await accessControlPlane(publishedAddress('management')),
    kyma: await accessControlPlane(publishedAddress('kyma')),
  };
}

/** A name that no other test uses, for namespaces and cluster-scoped objects. */
export const uniqueName = (prefix: string): string => `${prefix}-${randomBytes(4).toString('hex')}`;

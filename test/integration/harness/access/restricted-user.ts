import { expect } from '@jest/globals';
import type { ControlPlaneAccess } from '../../../../hack/control-planes/access/access.ts';
import { apiRequester } from '../../../../hack/control-planes/access/api-request.ts';
import { eventually } from '../../../environment/eventually.ts';
import { objectsOf } from '../../../environment/objects.ts';
import { bindingManifest, roleBindings, roleManifest, roles } from '../../../environment/rights.ts';
import { uniqueName } from '../control-planes/control-planes.ts';

/** Verbs by source kind. */
export type Grants = Readonly<
  Record<'serviceinstances' | 'servicebindings' | 'secrets' | 'configmaps', readonly string[]>
>;

const watching = ['get', 'watch'];

/** All permissions that the provider can use: it opens a watch without a list before it. */
export const watcherRole: Grants = {
  serviceinstances: watching,
  servicebindings: watching,
  secrets: watching,
  configmaps: watching,
};
/** The role that SAP documents. */
export const documentedRole: Grants = {
  serviceinstances: ['get', 'list'],
  servicebindings: ['get', 'list'],
  secrets: ['get'],
  configmaps: ['get'],
};
export const noRights: Grants = { serviceinstances: [], servicebindings: [], secrets: [], configmaps: [] };

/** A user with the given permissions in one namespace, and no others. Audit events have its name. */
export interface RestrictedUser {
  readonly name: string;
  readonly kubeconfig: string;
  /** In place of what was granted before; resolves when the API server knows. */
  grant(grants: Grants): Promise<void>;
}

const groupOf = (resource: string) => (resource.startsWith('service') ? 'services.cloud.sap.com' : '');

/** The namespace must exist. */
export async function addRestrictedUser(
  plane: ControlPlaneAccess,
  namespace: string,
): Promise<RestrictedUser> {
  const name = uniqueName('user');
  const kubeconfig = await plane.addUser({ name });
  const objects = objectsOf(plane);
  const place = { name, namespace };
  await objects.apply(roleBindings, bindingManifest(place, { kind: 'User', name }));
  const ask = apiRequester(kubeconfig);
  const may = async (verb: string, resource: string): Promise<boolean> => {
    const { body } = await ask('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      method: 'POST',
      body: { spec: { resourceAttributes: { namespace, verb, group: groupOf(resource), resource } } },
    });
    return (body as { status?: { allowed?: boolean } }).status?.allowed ?? false;
  };
  return {
    name,
    kubeconfig,
    grant: async (grants) => {
      const entries = Object.entries(grants);
      const rules = entries.map(([resource, verbs]) => ({
        apiGroups: [groupOf(resource)],
        resources: [resource],
        verbs: verbs.length > 0 ? verbs : ['none'],
      }));
      await objects.apply(roles, roleManifest(place, rules));
      await eventually(async () => {
        for (const [resource, verbs] of entries) {
          for (const verb of ['get', 'list', 'watch'])
            expect(await may(verb, resource)).toBe(verbs.includes(verb));
        }
      });
    },
  };
}

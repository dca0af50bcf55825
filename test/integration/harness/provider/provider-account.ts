/** The service account of an installed provider, with the permissions of an installation and no others. */
import { expect } from '@jest/globals';
import type { AuditEvent, ControlPlaneAccess } from '../../../../hack/control-planes/access/access.ts';
import type { AccessQuestion } from '../../../../internal/framework/kube/client/access-review.ts';
import { namespaces } from '../../../../internal/framework/kube/object/resource-type.ts';
import {
  isGranted,
  ruleResource,
  rulesFor,
} from '../../../../internal/program/doctor/permissions/policy-rules.ts';
import { requiredRights } from '../../../../internal/program/doctor/permissions/run-permissions.ts';
import { loadModules } from '../../../../internal/program/provider/open-modules.ts';
import { eventually } from '../../../environment/eventually.ts';
import { packageCrds } from '../../../environment/install-crds.ts';
import { namespaceManifest } from '../../../environment/manifests.ts';
import { objectsOf } from '../../../environment/objects.ts';
import {
  crossplaneRules,
  declaresSafeStart,
  exampleRights,
  type Rule,
} from '../../../environment/package-permissions.ts';
import {
  bindingManifest,
  clusterRoleBindings,
  clusterRoles,
  createServiceAccount,
  roleManifest,
} from '../../../environment/rights.ts';
import { editKubeconfig } from '../access/kubeconfigs.ts';
import { uniqueName } from '../control-planes/control-planes.ts';

export interface ProviderAccount {
  /** As audit events name it. */
  readonly user: string;
  readonly token: string;
  readonly kubeconfig: string;
  /**
   * Grants what Crossplane does for the package, in place of an earlier grant; resolves when the API server has it.
   *
   * @param options.safeStart default as the package declares
   */
  grantCrossplaneRole(options?: { readonly safeStart?: boolean }): Promise<void>;
  /** Grants what examples/provider/rbac.yaml does; resolves when the API server knows. */
  grantExample(): Promise<void>;
  /** Grants these rules besides; resolves when the API server knows. */
  grant(rules: readonly Rule[]): Promise<void>;
  /** Revokes everything that was granted; resolves when the API server has it. */
  revoke(): Promise<void>;
  /** Requests that were refused for lack of a permission, as `verb resource.group`. */
  refusals(): Promise<string[]>;
  /** Requests that are not covered by the permissions that `doctor` knows. */
  unlisted(): Promise<string[]>;
}

/** Loaded with this file: Jest allows no import once one of several concurrent tests has ended. */
const listed = rulesFor(requiredRights(await loadModules()));

/** Read with this file: each account has the same. */
const [crds, safeStartByDefault, example] = await Promise.all([
  packageCrds(),
  declaresSafeStart(),
  exampleRights(),
]);

/** An account without permissions. The namespace is created if it does not exist. */
export async function addProviderAccount(
  plane: ControlPlaneAccess,
  { name = uniqueName('provider-kyma'), namespace = 'crossplane-system' } = {},
): Promise<ProviderAccount> {
  const objects = objectsOf(plane);
  await objects.apply(namespaces, namespaceManifest(namespace));
  const { token } = await createServiceAccount(plane, { namespace, name }, 7200);
  const kubeconfig = editKubeconfig(plane.kubeconfig, { credentials: { token } });
  const user = `system:serviceaccount:${namespace}:${name}`;
  // Roles are of the cluster: accounts of the same name in other namespaces have their own.
  const id = `${namespace}:${name}`;
  const subject = { kind: 'ServiceAccount', name, namespace } as const;
  const granted = new Map<'crossplane' | 'example' | 'more', readonly Rule[]>();
  const bindings = new Set<string>();
  const bindTo = async (binding: string, role: string) => {
    bindings.add(binding);
    await objects.apply(clusterRoleBindings, bindingManifest({ name: binding }, subject, role));
  };
  const grantRole = async (role: string, rules: readonly Rule[]) => {
    await objects.apply(clusterRoles, roleManifest({ name: role }, rules));
    await bindTo(role, role);
    const before = new Set([...granted.values()].flat().map((rule) => JSON.stringify(rule)));
    // A role is seen as a whole.
    const last = rules.findLast((rule) => !before.has(JSON.stringify(rule)));
    if (last !== undefined) await untilGranted(plane, user, [last]);
  };
  return {
    user,
    token,
    kubeconfig,
    grantCrossplaneRole: async ({ safeStart = safeStartByDefault } = {}) => {
      const rules = crossplaneRules(crds, { safeStart });
      await grantRole(`crossplane:provider:${id}:system`, rules);
      granted.set('crossplane', rules);
    },
    grant: async (rules) => {
      await grantRole(`${id}-more`, rules);
      granted.set('more', rules);
    },
    grantExample: async () => {
      const { roles, bindings: examples } = example;
      for (const role of roles) await objects.apply(clusterRoles, role);
      for (const { metadata, roleRef } of examples) {
        await bindTo(`${metadata.name}-${id}`, roleRef.name);
      }
      const rules = roles.flatMap((role) => role.rules);
      await untilGranted(plane, user, rules);
      granted.set('example', rules);
    },
    revoke: async () => {
      const lost = [...granted.values()].flat();
      for (const binding of bindings) await objects.delete(clusterRoleBindings, { name: binding });
      bindings.clear();
      granted.clear();
      await untilGranted(plane, user, lost, false);
    },
    unlisted: async () => {
      const asked = (await plane.auditEvents(user)).filter((event) => event.user.username === user);
      return describeRequests(asked.filter((event) => !isCovered(listed, event)));
    },
    refusals: async () => {
      const refused = (await plane.auditEvents(user)).filter(
        (event) =>
          event.user.username === user &&
          // A 403 may have other reasons: nothing can be created in a namespace that is being deleted.
          event.annotations?.['authorization.k8s.io/decision'] === 'forbid' &&
          // An API server that has just started has no roles yet.
          !isCovered([...granted.values()].flat(), event),
      );
      return describeRequests(refused);
    },
  };
}

/** An account with all permissions of an installation. */
export async function installedProviderAccount(
  plane: ControlPlaneAccess,
  at: { readonly name?: string; readonly namespace?: string } = {},
): Promise<ProviderAccount> {
  const account = await addProviderAccount(plane, at);
  await account.grantCrossplaneRole();
  await account.grantExample();
  return account;
}

/** An API server sees roles shortly after they are stored or deleted. */
async function untilGranted(
  plane: ControlPlaneAccess,
  user: string,
  rules: readonly Rule[],
  granted = true,
): Promise<void> {
  const questions = rules.map(({ apiGroups: [group], resources: [name = ''], verbs: [verb] }) => {
    const [resource, subresource] = name.split('/');
    return { group, resource, subresource, verb };
  });
  await eventually(async () => {
    const answers = await Promise.all(
      questions.map(async (resourceAttributes) => {
        const { body } = await plane.request('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
          method: 'POST',
          body: { spec: { user, resourceAttributes } },
        });
        return (body as { status?: { allowed?: boolean } }).status?.allowed;
      }),
    );
    expect(answers).toEqual(questions.map(() => granted));
  });
}

function rightOf({ verb, objectRef = {} }: AuditEvent): AccessQuestion {
  const { apiGroup: group = '', resource: plural = '', subresource } = objectRef;
  const type = { group, version: '', kind: '', plural, namespaced: false };
  return { verb, type, ...(subresource === undefined ? {} : { subresource }) };
}

/** Every authenticated user may review its own access, and non-resource requests have other rules. */
const isCovered = (rules: readonly Rule[], event: AuditEvent): boolean =>
  event.objectRef?.resource === undefined ||
  event.objectRef.apiGroup === 'authorization.k8s.io' ||
  isGranted(rules, rightOf(event));

function describeRequests(events: readonly AuditEvent[]): string[] {
  const rights = events.map(rightOf);
  return [...new Set(rights.map((right) => `${right.verb} ${ruleResource(right)}.${right.type.group}`))];
}

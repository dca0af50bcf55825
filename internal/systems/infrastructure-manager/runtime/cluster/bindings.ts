/** The difference between the administrators of a Runtime and the ClusterRoleBindings of its cluster. */
import { createHash } from 'node:crypto';
import { type ClusterRoleBinding, clusterRoleBindings, type Subject } from './kinds.ts';

/** Bindings with it belong to the infrastructure manager. */
export const labelBindings = 'reconciler.kyma-project.io/managed-by';
export const BINDINGS_MANAGER = 'infrastructure-manager';

const RBAC_GROUP = 'rbac.authorization.k8s.io';
const ADMIN_ROLE = 'cluster-admin';

/** Whether it belongs to this program, and gives the rights of an administrator. */
export const isOwnAdminBinding = ({ metadata, roleRef }: ClusterRoleBinding): boolean =>
  metadata.labels?.[labelBindings] === BINDINGS_MANAGER &&
  roleRef.kind === 'ClusterRole' &&
  roleRef.name === ADMIN_ROLE;

const isUserOf =
  (admins: readonly string[]) =>
  ({ kind, name }: Subject): boolean =>
    kind === 'User' && admins.includes(name);

const namesAny = ({ subjects = [] }: ClusterRoleBinding, admins: readonly string[]): boolean =>
  subjects.some(isUserOf(admins));

/** The bindings to delete: of this program, of users to cluster-admin, and of no administrator. */
export const removedBindings = (
  bindings: readonly ClusterRoleBinding[],
  admins: readonly string[],
): ClusterRoleBinding[] =>
  bindings.filter(
    (binding) =>
      isOwnAdminBinding(binding) &&
      binding.subjects?.some(({ kind }) => kind === 'User') === true &&
      !namesAny(binding, admins),
  );

/** The bindings to create, of administrators without one of this program. */
export const missingBindings = (
  bindings: readonly ClusterRoleBinding[],
  admins: readonly string[],
): ClusterRoleBinding[] => {
  const own = bindings.filter(isOwnAdminBinding);
  return [...new Set(admins)]
    .filter((admin) => admin !== '' && !own.some((binding) => namesAny(binding, [admin])))
    .map(bindingOf);
};

/** The bindings of administrators to which others have added subjects, without these. */
export const narrowedBindings = (
  bindings: readonly ClusterRoleBinding[],
  admins: readonly string[],
): ClusterRoleBinding[] =>
  bindings.flatMap((binding) => {
    const { subjects = [] } = binding;
    const kept = subjects.filter(isUserOf(admins));
    const isEdited = isOwnAdminBinding(binding) && kept.length > 0 && kept.length < subjects.length;
    return isEdited ? [{ ...binding, subjects: kept }] : [];
  });

/** Its name follows from the user, so that a create whose response is lost is not done twice. */
const bindingOf = (admin: string): ClusterRoleBinding => ({
  apiVersion: clusterRoleBindings.apiVersion,
  kind: clusterRoleBindings.kind,
  metadata: {
    name: `admin-${createHash('sha256').update(admin).digest('hex').slice(0, 16)}`,
    labels: { [labelBindings]: BINDINGS_MANAGER },
  },
  roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: ADMIN_ROLE },
  subjects: [{ apiGroup: RBAC_GROUP, kind: 'User', name: admin }],
});

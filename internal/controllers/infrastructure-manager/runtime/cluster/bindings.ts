/** The difference between the administrators of a Runtime and the ClusterRoleBindings of its cluster. */
import { createHash } from 'node:crypto';
import { type ClusterRoleBinding, clusterRoleBindings } from './kinds.ts';

/** Bindings with it belong to the infrastructure manager. */
export const labelBindings = 'reconciler.kyma-project.io/managed-by';
export const BINDINGS_MANAGER = 'infrastructure-manager';

const RBAC_GROUP = 'rbac.authorization.k8s.io';
const ADMIN_ROLE = 'cluster-admin';

const isOwn = ({ metadata }: ClusterRoleBinding): boolean =>
  metadata.labels?.[labelBindings] === BINDINGS_MANAGER;

const namesAny = ({ subjects = [] }: ClusterRoleBinding, admins: readonly string[]): boolean =>
  subjects.some(({ name }) => admins.includes(name));

/** The bindings to delete: of this program, of users to cluster-admin, and of no administrator. */
export const removedBindings = (
  bindings: readonly ClusterRoleBinding[],
  admins: readonly string[],
): ClusterRoleBinding[] =>
  bindings.filter(
    (binding) =>
      isOwn(binding) &&
      binding.roleRef.kind === 'ClusterRole' &&
      binding.roleRef.name === ADMIN_ROLE &&
      binding.subjects?.some(({ kind }) => kind === 'User') === true &&
      !namesAny(binding, admins),
  );

/** The bindings to create, of administrators without one of this program. */
export const missingBindings = (
  bindings: readonly ClusterRoleBinding[],
  admins: readonly string[],
): ClusterRoleBinding[] => {
  const own = bindings.filter(isOwn);
  return [...new Set(admins)]
    .filter((admin) => admin !== '' && !own.some((binding) => namesAny(binding, [admin])))
    .map(bindingOf);
};

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

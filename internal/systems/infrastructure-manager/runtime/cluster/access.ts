/** Who may use a runtime cluster: the administrators of its Runtime, by ClusterRoleBindings, and the issuers of tokens that it trusts. */
import { createHash } from 'node:crypto';
import { jsonEqual, ProviderError } from '../../../../framework/base/index.ts';
import { ownedFields } from '../../../../framework/kube/apply/owned-fields.ts';
import { isAlreadyExists, type KubeObject, type ResourceType } from '../../../../framework/kube/index.ts';
import { labelManagedBy, MANAGED_BY } from '../../gardenercluster/metadata.ts';
import { FIELD_MANAGER } from '../../metadata.ts';
import type { OpenIdConnectSpec } from '../../rendering/shoot-rendering.ts';
import type { ObjectOwnership } from '../ownership.ts';
import { deleteOwn, listOfUsers, type RuntimeClusterUse } from './runtime-cluster.ts';

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly apiGroup?: string;
}

export interface ClusterRoleBinding extends KubeObject {
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects?: readonly Subject[];
}

export const clusterRoleBindings: ResourceType<ClusterRoleBinding> & { readonly apiVersion: string } = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
};

// The difference between the administrators of a Runtime and the ClusterRoleBindings of its cluster.

/** Bindings with it belong to the infrastructure manager. */
export const labelBindings = 'reconciler.kyma-project.io/managed-by';
export const BINDINGS_MANAGER = 'infrastructure-manager';

const RBAC_GROUP = 'rbac.authorization.k8s.io';
const ADMIN_ROLE = 'cluster-admin';

/** Whether it belongs to this program, and gives the rights of an administrator. */
const isOwnAdminBinding = ({ metadata, roleRef }: ClusterRoleBinding): boolean =>
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
const narrowedBindings = (
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

/**
 * Makes the administrators those of the Runtime. Only bindings of this program are changed. Each administrator has a binding before
 * that of another one is removed.
 *
 * @returns how many were written or deleted
 */
export async function applyBindings(
  cluster: RuntimeClusterUse,
  ownership: ObjectOwnership,
  admins: readonly string[],
): Promise<number> {
  const labelSelector = `${labelBindings}=${BINDINGS_MANAGER}`;
  const bindings = await ownership.ownOf(await listOfUsers(cluster, clusterRoleBindings, { labelSelector }));
  const use = { ...cluster, ownership };
  const missing = missingBindings(bindings, admins);
  const narrowed = narrowedBindings(bindings, admins);
  let removed = removedBindings(bindings, admins);
  for (const binding of missing) {
    const { subjects, metadata } = binding;
    const edited = removed.find((each) => each.metadata.name === metadata.name);
    removed = removed.filter((each) => each !== edited);
    if (edited === undefined) await bind(use, binding);
    else await update(use, { ...edited, ...(subjects === undefined ? {} : { subjects }) });
  }
  for (const binding of narrowed) await update(use, binding);
  await deleteOwn(cluster, clusterRoleBindings, removed);
  return missing.length + narrowed.length + removed.length;
}

interface OwnClusterUse extends RuntimeClusterUse {
  readonly ownership: ObjectOwnership;
}

/** Names after the first are for users whose name is taken by a binding of others. */
const NAMES = 4;

/** Creates the binding, or finds that it exists: an earlier request took effect although its response was lost, or the list is old. */
async function bind(cluster: OwnClusterUse, wanted: ClusterRoleBinding): Promise<void> {
  const { client, signal, assertMayWrite, ownership } = cluster;
  const { subjects = [], metadata } = wanted;
  for (let n = 0; n < NAMES; n++) {
    const name = n === 0 ? metadata.name : `${metadata.name}-${n}`;
    try {
      assertMayWrite();
      const recorded = { ...metadata, name, annotations: ownership.recordOf({ name }) };
      await client.create(clusterRoleBindings, { ...wanted, metadata: recorded }, { signal });
      return;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const found = await client.get(clusterRoleBindings, { name }, { signal });
    // One without the label, or with the record of another, belongs to others, also if this program created it.
    if (!isOwnAdminBinding(found) || (await ownership.ownOf([found])).length === 0) continue;
    if (!jsonEqual(found.subjects, subjects)) await update(cluster, { ...found, subjects });
    return;
  }
  throw new ProviderError(
    'contested',
    `cannot create ClusterRoleBinding ${metadata.name}: this name and the next ${NAMES - 1} are those of others`,
  );
}

/** Its uid and resourceVersion are those that were read. */
async function update(
  { client, signal, assertMayWrite, ownership }: OwnClusterUse,
  { metadata, ...binding }: ClusterRoleBinding,
): Promise<void> {
  const { managedFields: _, ...kept } = metadata;
  const annotations = { ...kept.annotations, ...ownership.recordOf({ name: kept.name }) };
  assertMayWrite();
  await client.update(clusterRoleBindings, { ...binding, metadata: { ...kept, annotations } }, { signal });
}

// The issuers of tokens.

export interface OpenIdConnect extends KubeObject {
  readonly spec?: OpenIdConnectSpec;
}

export const openIdConnectType: ResourceType<OpenIdConnect> & { readonly apiVersion: string } = {
  apiVersion: 'authentication.gardener.cloud/v1alpha1',
  group: 'authentication.gardener.cloud',
  version: 'v1alpha1',
  kind: 'OpenIDConnect',
  plural: 'openidconnects',
  namespaced: false,
};

const labels = { [labelManagedBy]: MANAGED_BY };

function objectOf(spec: OpenIdConnectSpec, index: number, ownership: ObjectOwnership): OpenIdConnect {
  const { apiVersion, kind } = openIdConnectType;
  const name = `kyma-oidc-${index}`;
  return {
    apiVersion,
    kind,
    metadata: { name, labels: { ...labels }, annotations: ownership.recordOf({ name }) },
    spec,
  };
}

/**
 * Makes the issuers that the cluster trusts those of the Runtime. Objects change in place, and what is not wanted any more is
 * deleted at the end, so that no user is locked out meanwhile. Objects of customers stay.
 *
 * @returns how many objects were written or deleted
 */
export async function applyOpenIdConnects(
  cluster: RuntimeClusterUse,
  ownership: ObjectOwnership,
  wanted: readonly OpenIdConnectSpec[],
): Promise<number> {
  const { client, signal, assertMayWrite } = cluster;
  const labelSelector = `${labelManagedBy}=${MANAGED_BY}`;
  const items = await ownership.ownOf(await listOfUsers(cluster, openIdConnectType, { labelSelector }));
  const objects = wanted.map((spec, index) => objectOf(spec, index, ownership));
  const changed = objects.filter(
    ({ metadata: { name }, spec }) =>
      !jsonEqual(
        specOwnedIn(items.find((item) => item.metadata.name === name)),
        // Without members that are undefined.
        JSON.parse(JSON.stringify(spec)),
      ),
  );
  for (const object of changed) {
    assertMayWrite();
    await client.apply(openIdConnectType, object, { fieldManager: FIELD_MANAGER, force: true, signal });
  }
  const removed = items.filter(
    ({ metadata: { name } }) => !objects.some((object) => object.metadata.name === name),
  );
  await deleteOwn(cluster, openIdConnectType, removed);
  return changed.length + removed.length;
}

/** What this program has applied, as it is now: it also shows that fields were removed or changed by others. */
const specOwnedIn = (live: OpenIdConnect | undefined): unknown =>
  live === undefined ? undefined : ownedFields(live, FIELD_MANAGER).spec;

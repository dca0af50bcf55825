/** The issuers of tokens that a runtime cluster trusts. */
import { jsonEqual } from '../../../../framework/base/index.ts';

import { ownedFields } from '../../../../framework/kube/apply/owned-fields.ts';
import type { KubeObject, ResourceType } from '../../../../framework/kube/index.ts';
import { labelManagedBy, MANAGED_BY } from '../../gardenercluster/metadata.ts';
import { FIELD_MANAGER } from '../../metadata.ts';
import type { OpenIdConnectSpec } from '../../rendering/shoot-rendering.ts';
import type { ObjectOwnership } from '../ownership.ts';
import { deleteOwn, listAll, type RuntimeClusterUse } from './runtime-cluster.ts';

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
  const items = await ownership.ownOf(await listAll(cluster, openIdConnectType, { labelSelector }));
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

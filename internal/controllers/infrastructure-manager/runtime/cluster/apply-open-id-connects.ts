import { jsonEqual } from '../../../../base/json/json-equal.ts';
import { ownedFields } from '../../../../kube/apply/owned-fields.ts';
import { labelManagedBy, MANAGED_BY } from '../../gardenercluster/metadata.ts';
import { FIELD_MANAGER } from '../../shoot-metadata.ts';
import { deleteOwn } from './delete-own.ts';
import { type OpenIdConnect, type OpenIdConnectSpec, openIdConnectType } from './kinds.ts';
import { listAll } from './list-all.ts';
import type { RuntimeClusterUse } from './runtime-cluster.ts';

const labels = { [labelManagedBy]: MANAGED_BY };

const objectOf = (spec: OpenIdConnectSpec, index: number): OpenIdConnect => ({
  apiVersion: openIdConnectType.apiVersion,
  kind: openIdConnectType.kind,
  metadata: { name: `kyma-oidc-${index}`, labels: { ...labels } },
  spec,
});

/**
 * Makes the issuers that the cluster trusts those of the Runtime. Objects change in place, and what is not wanted any more is
 * deleted at the end, so that no user is locked out meanwhile. Objects of customers stay.
 *
 * @returns how many objects were written or deleted
 */
export async function applyOpenIdConnects(
  cluster: RuntimeClusterUse,
  wanted: readonly OpenIdConnectSpec[],
): Promise<number> {
  const { client, signal, assertMayWrite } = cluster;
  const items = await listAll(cluster, openIdConnectType, {
    labelSelector: `${labelManagedBy}=${MANAGED_BY}`,
  });
  const objects = wanted.map(objectOf);
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

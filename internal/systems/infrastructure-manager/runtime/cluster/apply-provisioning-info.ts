import { getIfExists } from '../../../../framework/kube/client/get-if-exists.ts';
import { configMaps } from '../../../../framework/kube/index.ts';
import { BINDINGS_MANAGER, labelBindings } from './bindings.ts';
import { createIfMissing, KYMA_SYSTEM } from './create-kyma-namespace.ts';
import type { RuntimeClusterUse } from './runtime-cluster.ts';

const NAME = 'kyma-provisioning-info';
const KEY = 'details';

/** Stores what the cluster is. A ConfigMap that is there before, e.g. of a former program, is taken over with its other keys. */
export async function applyProvisioningInfo(cluster: RuntimeClusterUse, details: string): Promise<void> {
  const { client, signal, assertMayWrite } = cluster;
  const key = { namespace: KYMA_SYSTEM, name: NAME };
  const labels = { [labelBindings]: BINDINGS_MANAGER };
  const found = await getIfExists(client, configMaps, key, { signal });
  const isCurrent =
    found?.data?.[KEY] === details && found.metadata.labels?.[labelBindings] === BINDINGS_MANAGER;
  if (isCurrent) return;
  if (found === undefined) await createIfMissing(cluster);
  assertMayWrite();
  if (found === undefined) {
    const created = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key, labels } } as const;
    await client.create(configMaps, { ...created, data: { [KEY]: details } }, { signal });
    return;
  }
  const { managedFields: _, ...metadata } = found.metadata;
  const changed = {
    ...found,
    metadata: { ...metadata, labels: { ...metadata.labels, ...labels } },
    data: { ...found.data, [KEY]: details },
  };
  await client.update(configMaps, changed, { signal });
}

/** What RegistryCacheConfigs of a runtime show their users. */
import { isObject, valueAt } from '../../../../framework/base/json/json-field.ts';
import { formatTimestamp } from '../../../../framework/base/time/timestamp.ts';
import { getIfExists } from '../../../../framework/kube/client/get-if-exists.ts';
import { registryCacheConfigs } from '../../registry-cache-config.ts';
import type { CacheOfRuntime } from '../../rendering/model/registry-caches.ts';
import type { RuntimeClusterUse } from '../cluster/runtime-cluster.ts';

/** The CRD of the module has no other states. */
export interface ConfigState {
  readonly state: 'Pending' | 'Ready' | 'Failed';
  readonly status: 'Unknown' | 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const TYPE = 'RegistryCacheConfigured';

/** Stores the state of all caches, where it differs. An object that is gone is left out. */
export async function showConfigState(
  { client, signal, assertMayWrite }: RuntimeClusterUse,
  caches: readonly CacheOfRuntime[],
  { state, ...shown }: ConfigState,
): Promise<void> {
  for (const { namespace, name, uid } of caches) {
    const found = await getIfExists(client, registryCacheConfigs, { namespace, name }, { signal });
    if (found === undefined || found.metadata.uid !== uid) continue;
    const before = valueAt(found.status, ['conditions']);
    const others = Array.isArray(before) ? before : [];
    const own = others.find((each) => isObject(each) && each.type === TYPE);
    const isSame =
      valueAt(found.status, ['state']) === state &&
      Object.entries(shown).every(([member, value]) => valueAt(own, [member]) === value);
    if (isSame) continue;
    const lastTransitionTime =
      valueAt(own, ['status']) === shown.status
        ? valueAt(own, ['lastTransitionTime'])
        : formatTimestamp(client.now());
    const condition = { type: TYPE, ...shown, lastTransitionTime };
    const conditions = [...others.filter((each) => each !== own), condition];
    const { managedFields: _, ...metadata } = found.metadata;
    assertMayWrite();
    const status = { ...(isObject(found.status) ? found.status : {}), state, conditions };
    await client.updateStatus(registryCacheConfigs, { ...found, metadata, status }, { signal });
  }
}

/** What components in a runtime read about it, in the form of the Kyma infrastructure manager. */
import { Document, stringify } from 'yaml';
import type { Shoot, Worker } from '../../../../../apis/gardener/kinds.ts';
import type { Runtime } from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { ownMember } from '../../../../framework/base/index.ts';
import {
  type ConfigMap,
  configMaps,
  getIfExists,
  isConflict,
  isNotFound,
  type ObjectMeta,
  undefinedIfExists,
} from '../../../../framework/kube/index.ts';
import { labels } from '../../metadata.ts';
import { hasAccessControl } from '../../rendering/extensions.ts';
import type { AppliedObject } from '../run.ts';
import { BINDINGS_MANAGER, labelBindings } from './access.ts';
import { createIfMissing, KYMA_SYSTEM, type RuntimeClusterUse } from './runtime-cluster.ts';

/** @param seedRegion of the control plane; undefined: it has none yet */
export function provisioningInfo(
  { metadata, spec, status }: Runtime,
  shoot: Shoot | undefined,
  seedRegion: string | undefined,
): string {
  const label = (name: string) => ownMember(metadata.labels, name) || undefined;
  const instanceID = label(labels.instanceId);
  const { workers: [main] = [], additionalWorkers = [] } = spec?.shoot.provider ?? {};
  const details = {
    environmentInstanceID: instanceID,
    globalAccountID: label(labels.globalAccountId),
    infrastructureConfig: shoot?.spec?.provider.infrastructureConfig,
    instanceID,
    instanceName: label(labels.kymaName),
    lastReconcileTime: status?.shootLastOperation?.lastUpdateTime,
    networkDetails: {
      dualStackIPEnabled: isDualStack(shoot?.spec?.networking?.ipFamilies),
      ...(spec !== undefined && hasAccessControl({ spec })
        ? { kubeAPIServer: { acl: spec.shoot.kubernetes?.kubeAPIServer?.acl?.allowedCIDRs } }
        : {}),
    },
    platformRegion: spec?.shoot.platformRegion || undefined,
    region: spec?.shoot.region || undefined,
    runtimeID: label(labels.runtimeId),
    seedRegion,
    subaccountID: label(labels.subaccountId),
    workerPools: {
      ...(additionalWorkers.length === 0 ? {} : { custom: additionalWorkers.map(poolOf) }),
      ...(main === undefined ? {} : { kyma: poolOf(main) }),
    },
  };
  return stringify(details, STYLE);
}

/** Readers are written in Go, whose texts are quoted by the rules of YAML 1.1. Made once: that, and a search for aliases, takes a third of the time. */
const STYLE = {
  schema: new Document(undefined, { version: '1.1', sortMapEntries: true }).schema ?? 'yaml-1.1',
  ...({ version: '1.1', sortMapEntries: true, aliasDuplicateObjects: false } as const),
  ...{ indentSeq: false, lineWidth: 0 },
};

const poolOf = ({ name, machine, zones = [], minimum, maximum }: Worker) => ({
  autoScalerMax: maximum,
  autoScalerMin: minimum,
  // An odd number of zones has a majority when one of them fails.
  haZones: zones.length >= 3 && zones.length % 2 === 1,
  machineType: machine.type,
  name,
});

const isDualStack = (families: readonly string[] = []): boolean =>
  families.length === 2 && families.includes('IPv4') && families.includes('IPv6');

const NAME = 'kyma-provisioning-info';
const KEY = 'details';

/**
 * Stores what the cluster is. A ConfigMap that is there before, e.g. of a former program, is taken over with its other keys.
 *
 * @param uid of the ConfigMap that this process has written before: it is not read. Default: it is
 * @returns the ConfigMap
 */
export async function applyProvisioningInfo(
  cluster: RuntimeClusterUse,
  details: string,
  uid?: string,
): Promise<AppliedObject> {
  const { client, signal, assertMayWrite, isNew } = cluster;
  const key = { namespace: KYMA_SYSTEM, name: NAME };
  const labels = { [labelBindings]: BINDINGS_MANAGER };
  const wanted = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key, labels } } as const;
  const create = () => createInfo(cluster, { ...wanted, data: { [KEY]: details } });
  const patch = (versions: Pick<ObjectMeta, 'uid' | 'resourceVersion'>) => {
    assertMayWrite();
    const changed = { metadata: { ...versions, labels }, data: { [KEY]: details } };
    return client.mergePatch(configMaps, key, changed, { signal });
  };
  if (uid !== undefined) {
    try {
      return (await patch({ uid })).metadata;
    } catch (error) {
      // Others have deleted it, or created another one.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
  const created = isNew ? await create().catch(undefinedIfExists) : undefined;
  if (created !== undefined) return created.metadata;
  const found = await getIfExists(client, configMaps, key, { signal });
  if (found === undefined) return (await create()).metadata;
  const { metadata, data } = found;
  const isCurrent = data?.[KEY] === details && metadata.labels?.[labelBindings] === BINDINGS_MANAGER;
  const { uid: own = '', resourceVersion = '' } = metadata;
  return isCurrent ? metadata : (await patch({ uid: own, resourceVersion })).metadata;
}

async function createInfo(cluster: RuntimeClusterUse, wanted: ConfigMap): Promise<ConfigMap> {
  const { client, signal, assertMayWrite } = cluster;
  const create = () => {
    assertMayWrite();
    return client.create(configMaps, wanted, { signal });
  };
  try {
    return await create();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    // Others have deleted the namespace.
    await createIfMissing(cluster);
    return await create();
  }
}

import { configMaps, namespaces } from '../../../internal/framework/kube/object/resource-type.ts';
import type { Managed } from '../../../internal/framework/managed/resource/managed.ts';
import { configMapManifest, namespaceManifest } from '../../environment/manifests.ts';
import type { Mapping } from '../../simulators/hana-cloud/store.ts';
import type { ManagedObject } from '../harness/mappings/managed-object.ts';
import type { RawMapping } from '../harness/mappings/raw-mapping.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import type { Lane } from './lane.ts';
import { type ModelResource, primaryID, TARGETS } from './model.ts';

/** One run's part of the real clusters and of HANA Cloud: an instance, its sources, and the resources so far. */
export interface RunEnvironment {
  readonly lane: Lane;
  readonly sources: Scenario;
  readonly resources: Map<number, ManagedObject<Managed>>;
  /** Primary IDs of mappings that stay by a known limit. */
  readonly leftByKnownLimit: Set<string>;
  /** Cluster IDs are the model's, made unique for the run. */
  clusterID(of: string): string;
  create(resource: ModelResource, shard: string): Promise<void>;
  applyClusterID(target: number, variant: number): Promise<void>;
  /** The credentials of the instance into the Secret of the binding, and into those of the InstanceMappings. */
  applyCredentials(): Promise<void>;
  mappings(): Mapping[];
}

export async function createRunEnvironment(lane: Lane): Promise<RunEnvironment> {
  const { environment } = lane;
  const sources = await environment.scenario();
  const { namespace, sourcePlane, instanceID } = sources;
  // The home of the namespaced mappings.
  await environment.management.apply(namespaces, namespaceManifest(namespace));
  await sources.applySources(['instance', 'binding', 'secret']);
  const raws: RawMapping[] = [];
  const run: RunEnvironment = {
    lane,
    sources,
    resources: new Map(),
    leftByKnownLimit: new Set(),
    clusterID: (of) => `${sources.clusterID}-${of}`,
    create: async ({ id, kind, target, isDefault, policies, orphan }, shard) => {
      const labels = { shard };
      const spec = {
        managementPolicies: [...policies] as never,
        ...(orphan ? { deletionPolicy: 'Orphan' as const } : {}),
      };
      if (kind === 'raw') {
        const raw = environment.instanceMapping({
          instanceID,
          primaryID: run.clusterID(primaryID(target, 0)),
          secondaryID: namespace,
        });
        raws.push(raw);
        await raw.applySecret();
        await raw.create({ labels, spec, forProvider: { isDefault } });
        run.resources.set(id, raw);
      } else {
        const forProvider = { isDefault, clusterIdConfigMapRef: { namespace, name: `id-${target}` } };
        const home = kind === 'kyma' ? null : namespace;
        run.resources.set(id, await sources.createRival({ labels, spec, forProvider }, home));
      }
    },
    applyClusterID: async (target, variant) => {
      const data = { CLUSTER_ID: run.clusterID(primaryID(target, variant)) };
      await sourcePlane.apply(configMaps, configMapManifest({ namespace, name: `id-${target}` }, data));
    },
    applyCredentials: async () => {
      await sources.apply('secret');
      for (const raw of raws) await raw.applySecret();
    },
    mappings: () => sources.mappings(),
  };
  for (let target = 0; target < TARGETS; target++) await run.applyClusterID(target, 0);
  return run;
}

import { expect } from '@jest/globals';
import { kymaInstanceMappings } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { configMaps } from '../../../../internal/framework/kube/object/resource-type.ts';
import type { KymaInstanceMapping } from '../../../../internal/systems/inventory/kymainstancemapping/resource.ts';
import { eventually } from '../../../environment/eventually.ts';
import { configMapManifest } from '../../../environment/manifests.ts';
import type { Mapping } from '../../../simulators/hana-cloud/store.ts';
import type { BareEnvironment } from '../bare-environment.ts';
import { forEach } from '../for-each.ts';
import type { ManagedObject } from './managed-object.ts';
import type { CreateOptions, Scenario, ScenarioOptions } from './scenario.ts';

/** Many mappings of one instance, each to a cluster ID of its own. */
export interface Fleet {
  /** What all of them share; the scenario's own mapping is not made. */
  readonly shared: Scenario;
  /** Creates the ConfigMaps with the cluster IDs, the last of the missing sources. */
  applyClusterIDs(): Promise<void>;
  /** Makes the mappings, many at a time. */
  create(over?: Pick<CreateOptions, 'labels'>): Promise<void>;
  /** The created ones, in the order of their cluster IDs' numbers. */
  members(): readonly FleetMember[];
  list(): Promise<KymaInstanceMapping[]>;
  /** JSON merge patch of each. */
  patch(patch: unknown): Promise<void>;
  delete(): Promise<void>;
  /** Waits until each is Ready and Synced for its current spec. */
  untilReady(timeoutMs?: number): Promise<void>;
  untilGone(timeoutMs?: number): Promise<void>;
  /** What HANA Cloud has, by cluster ID. */
  mappings(): Mapping[];
  /** What it should have. */
  wanted(over?: Partial<Mapping>): Mapping[];
}

/** One mapping of a fleet, and what HANA Cloud should have for it. */
export interface FleetMember extends ManagedObject<KymaInstanceMapping> {
  readonly mapping: Mapping;
}

export async function createFleet(
  environment: BareEnvironment,
  size: number,
  options: ScenarioOptions = {},
): Promise<Fleet> {
  const shared = await environment.scenario(options);
  const { namespace, clusterID, sourcePlane } = shared;
  await shared.applySources(['instance', 'binding', 'secret']);
  const numbers = Array.from({ length: size }, (_, index) => String(index).padStart(3, '0'));
  const made: FleetMember[] = [];
  const mappingOf = (number: string) => shared.hana.mapping({ primaryID: `${clusterID}-${number}` });
  const list = async () => {
    const names = new Set(made.map(({ name }) => name));
    const { management, selector } = environment;
    const all = await management.list(kymaInstanceMappings, undefined, { labelSelector: selector });
    return all.filter(({ metadata }) => names.has(metadata.name));
  };
  const until = (isAsWanted: (mapping: KymaInstanceMapping) => boolean, timeoutMs?: number) =>
    eventually(
      async () => {
        const late = (await list()).filter((mapping) => !isAsWanted(mapping));
        expect(late.map(describeMapping)).toEqual([]);
      },
      { timeoutMs },
    );
  return {
    shared,
    applyClusterIDs: () =>
      forEach(numbers, async (number) => {
        const data = { CLUSTER_ID: `${clusterID}-${number}` };
        await sourcePlane.apply(configMaps, configMapManifest({ namespace, name: `id-${number}` }, data));
      }),
    members: () => made.toSorted((a, b) => (a.mapping.primaryID < b.mapping.primaryID ? -1 : 1)),
    create: (over) =>
      forEach(numbers, async (number) => {
        const clusterIdConfigMapRef = { namespace, name: `id-${number}` };
        const rival = await shared.createRival({ ...over, forProvider: { clusterIdConfigMapRef } });
        made.push({ ...rival, mapping: mappingOf(number) });
      }),
    list,
    patch: (patch) => forEach(made, (mapping) => mapping.patch(patch)),
    delete: () => forEach(made, (mapping) => mapping.delete()),
    untilReady: (timeoutMs) => until(isReady, timeoutMs),
    untilGone: (timeoutMs) => until(() => false, timeoutMs),
    mappings: () => shared.mappings().toSorted((a, b) => (a.primaryID < b.primaryID ? -1 : 1)),
    wanted: (over) => numbers.map((number) => ({ ...mappingOf(number), ...over })),
  };
}

function isReady({ metadata, status }: KymaInstanceMapping): boolean {
  return ['Ready', 'Synced'].every((wanted) =>
    status?.conditions?.some(
      ({ type, status, observedGeneration }) =>
        type === wanted && status === 'True' && observedGeneration === metadata.generation,
    ),
  );
}

/** For the message of a failed test: the mapping and its conditions. */
function describeMapping({ metadata, status }: KymaInstanceMapping): string {
  const conditions = status?.conditions?.map(({ type, status, reason, message = '' }) =>
    `${type}=${status} (${reason}) ${message}`.trim(),
  );
  return `${metadata.name}: ${conditions?.join(', ') ?? 'no status'}`;
}

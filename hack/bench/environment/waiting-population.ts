import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import {
  serviceBindings,
  serviceInstances,
} from '../../../internal/controllers/inventory/kymainstancemapping/inputs/btp-operator-types.ts';
import {
  configMaps,
  groupResource,
  namespaces,
  type ResourceType,
  secrets,
} from '../../../internal/kube/object/resource-type.ts';
import { namespaceManifest } from '../../../test/environment/manifests.ts';
import { collectionIn } from '../measure/api-requests.ts';
import { inParallel, range } from '../measure/in-parallel.ts';
import type { BenchEnvironment } from './environment.ts';
import {
  type Labelled,
  mappingOf,
  put,
  putBinding,
  putClusterID,
  putInstance,
  putKubeconfig,
  putSecret,
  setInstanceReady,
  sourceOf,
} from './sources.ts';

const KINDS = ['instance', 'binding', 'secret', 'config'] as const;
type SourceKind = (typeof KINDS)[number];
const TYPES: Readonly<Record<SourceKind, ResourceType>> = {
  instance: serviceInstances,
  binding: serviceBindings,
  secret: secrets,
  config: configMaps,
};

/** A mapping with four sources of its own, of which one is missing. */
export interface WaitingMapping {
  readonly name: string;
  /** Creates the missing source, by a single write. */
  bring(): Promise<void>;
}

export interface WaitingPopulation extends Labelled {
  readonly mappings: readonly WaitingMapping[];
  /** The collections on kyma of the missing sources, each once, in the form of `collectionIn`. */
  readonly awaited: ReadonlySet<string>;
}

/** Those of one namespace share the watches that wait for their sources. */
const PER_NAMESPACE = 10;

/**
 * Creates mappings that lack one source each, the four kinds in turn, and all sources that are not missing.
 *
 * @param options.clusters kubeconfigs that the namespaces are spread over; default 1
 * @param options.beside a population that the same provider reconciles; default: none
 */
export async function createWaiting(
  environment: BenchEnvironment,
  id: string,
  count: number,
  { clusters = 1, beside }: { readonly clusters?: number; readonly beside?: Labelled } = {},
): Promise<WaitingPopulation> {
  const labels = { label: id, shard: beside?.shard ?? id };
  const { management, kyma } = environment;
  const placeOf = (index: number) => Math.floor(index / PER_NAMESPACE);
  const namespaceOf = (index: number) => `${id}-${placeOf(index)}`;
  const kubeconfigOf = (index: number) => `${id}-${placeOf(index) % clusters}`;
  const all = new Set(range(count).map(namespaceOf));
  await inParallel([...all], (name) => put(kyma, namespaces, namespaceManifest(name)));
  await inParallel([...new Set(range(count).map(kubeconfigOf))], (name) => putKubeconfig(environment, name));
  const awaited = new Set<string>();
  const mappings = await inParallel(range(count), async (index): Promise<WaitingMapping> => {
    const namespace = namespaceOf(index);
    const name = `${id}-${index}`;
    const place = { namespace, name };
    const source = await sourceOf(environment, place, `i-${namespace}`);
    const make: Readonly<Record<SourceKind, () => Promise<unknown>>> = {
      // The missing state is readiness: making a ready instance from nothing takes two writes.
      instance: () => setInstanceReady(kyma, source),
      binding: () => putBinding(kyma, source),
      secret: () => putSecret(kyma, source),
      config: () => putClusterID(kyma, place, id),
    };
    const lacks = KINDS[index % KINDS.length] ?? 'instance';
    awaited.add(collectionIn(groupResource(TYPES[lacks]), namespace));
    await putInstance(kyma, source);
    await Promise.all(KINDS.filter((kind) => kind !== lacks).map((kind) => make[kind]()));
    const kubeconfig = kubeconfigOf(index);
    const mapping = mappingOf({ name, population: labels, source: place, kubeconfig, clusterID: place });
    await put(management, kymaInstanceMappings, mapping);
    return {
      name,
      bring: async () => {
        await make[lacks]();
      },
    };
  });
  return { ...labels, mappings, awaited };
}

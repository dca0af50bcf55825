/**
 * Many mappings, as a team has them: databases on Kyma clusters, each with one binding and mapped to several
 * namespaces. Everything the mappings refer to exists, so a provider can make them Ready.
 */
import {
  type KymaInstanceMapping,
  kymaInstanceMappings,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { namespaces } from '../../../internal/kube/object/resource-type.ts';
import { namespaceManifest } from '../../../test/environment/manifests.ts';
import { inParallel, range } from '../measure/in-parallel.ts';
import type { BenchEnvironment } from './environment.ts';
import {
  type Labelled,
  mappingOf,
  POPULATION_LABEL,
  put,
  putBinding,
  putClusterID,
  putInstance,
  putKubeconfig,
  putSecret,
  SHARD_LABEL,
  setInstanceReady,
  sourceOf,
} from './sources.ts';

/** The label selector of the mappings of these populations. */
export const selectorOf = (populations: readonly Pick<Labelled, 'label'>[]): string =>
  `${POPULATION_LABEL} in (${populations.map(({ label }) => label).join(',')})`;

/**
 * The label selector of a provider that reconciles the population and all those beside it. It is the same in each run:
 * another selector is another shard, and acquiring the resources of another shard costs writes.
 */
export const shardOf = ({ shard }: Labelled): string => `${SHARD_LABEL}=${shard}`;

export interface Scale {
  readonly mappings: number;
  /** Mappings that share an instance and its binding, and thus credentials. */
  readonly perInstance: number;
  /** Kubeconfigs, each a Kyma cluster to the provider; all of them lead to one control plane. */
  readonly clusters: number;
  /** Namespaces of each cluster that hold its databases; default: one for all databases of all clusters. */
  readonly namespacesPerCluster?: number;
  /** Whether each database has a ConfigMap with the cluster ID of its own; default: all of one cluster have the same. */
  readonly ownClusterIDs?: boolean;
}

export interface Population extends Scale, Labelled {
  readonly names: readonly string[];
  /**
   * Creates the mappings.
   *
   * @param onCreated called for each when the API server has responded; the next create waits for the returned promise
   * @param atOnce number of concurrent requests; default 32
   */
  create(onCreated: (name: string) => void | Promise<void>, atOnce?: number): Promise<void>;
  /** Creates the next mapping, in the order of names, and returns its name; undefined if all exist. */
  createNext(): Promise<string | undefined>;
}

/**
 * Creates everything but the mappings.
 *
 * @param id unique in the environment; a namespace on kyma
 * @param beside a population that the same provider reconciles; default: none
 */
export async function preparePopulation(
  environment: BenchEnvironment,
  id: string,
  scale: Scale,
  beside?: Labelled,
): Promise<Population> {
  const { management, kyma } = environment;
  const labels = { label: id, shard: beside?.shard ?? id };
  const cluster = (index: number) => `${id}-cluster-${index}`;
  const { clusters, namespacesPerCluster: teams } = scale;
  const namespaceOf = (instance: number) =>
    teams === undefined
      ? id
      : `${cluster(instance % clusters)}-team-${Math.floor(instance / clusters) % teams}`;
  const database = (index: number) => ({ namespace: namespaceOf(index), name: `db-${index}` });
  const { ownClusterIDs = false } = scale;
  const clusterID = (index: number) => ({ namespace: namespaceOf(index), name: cluster(index) });
  const ownClusterID = (instance: number) => ({
    namespace: namespaceOf(instance),
    name: `${id}-id-${instance}`,
  });
  const everywhere = new Set(range(teams === undefined ? 1 : clusters * teams).map(namespaceOf));
  await inParallel([...everywhere], (name) => put(kyma, namespaces, namespaceManifest(name)));
  await inParallel(range(clusters), async (index) => {
    await putKubeconfig(environment, cluster(index));
    await putClusterID(kyma, clusterID(index), cluster(index));
  });
  await inParallel(range(Math.ceil(scale.mappings / scale.perInstance)), async (index) => {
    const source = await sourceOf(environment, database(index), `i-${id}-${index}`);
    if (ownClusterIDs) await putClusterID(kyma, ownClusterID(index), cluster(index % clusters));
    await putInstance(kyma, source);
    await setInstanceReady(kyma, source);
    await putBinding(kyma, source);
    await putSecret(kyma, source);
  });
  const mappings = range(scale.mappings).map((index) => {
    const instance = Math.floor(index / scale.perInstance);
    return mappingOf({
      name: `${id}-${index}`,
      population: labels,
      source: database(instance),
      kubeconfig: cluster(instance % clusters),
      clusterID: ownClusterIDs ? ownClusterID(instance) : clusterID(instance % clusters),
    });
  });
  const create = async (mapping: KymaInstanceMapping) => {
    await put(management, kymaInstanceMappings, mapping);
    return mapping.metadata.name;
  };
  const oneByOne = mappings.values();
  return {
    ...scale,
    ...labels,
    names: mappings.map(({ metadata }) => metadata.name),
    create: async (onCreated, atOnce) => {
      await inParallel(mappings, async (mapping) => onCreated(await create(mapping)), atOnce);
    },
    createNext: async () => {
      const { done, value } = oneByOne.next();
      return done ? undefined : create(value);
    },
  };
}

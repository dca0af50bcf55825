/**
 * Mappings in number, as a team has them: databases on Kyma clusters, each with one binding and mapped to several
 * namespaces. All that the mappings refer to is there, so that whoever reconciles them makes them Ready.
 */
import {
  type KymaInstanceMapping,
  kymaInstanceMappings,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { namespaces } from '../../../internal/kube/object/resource-type.ts';
import { namespaceManifest } from '../../../test/environment/manifests.ts';
import { inParallel, range } from '../measure/in-parallel.ts';
import type { Landscape } from './environment.ts';
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
 * The label selector of a provider that looks after the population and all those beside it: the same in each of its runs,
 * as another selector is another shard, and what another shard had is taken over with writes.
 */
export const shardOf = ({ shard }: Labelled): string => `${SHARD_LABEL}=${shard}`;

export interface Scale {
  readonly mappings: number;
  /** Mappings that share an instance and its binding, and thus credentials. */
  readonly perInstance: number;
  /** Kubeconfigs, each a Kyma cluster to the provider; all of them lead to one control plane. */
  readonly clusters: number;
  /** Namespaces of each cluster that its databases lie in; default: one for all databases of all clusters. */
  readonly namespacesPerCluster?: number;
  /** Whether each database has a ConfigMap with the cluster ID of its own; default: all of one cluster have the same. */
  readonly ownClusterIDs?: boolean;
}

export interface Population extends Scale, Labelled {
  readonly names: readonly string[];
  /**
   * Makes the mappings.
   *
   * @param onCreated told of each when the API server has answered; the next one waits for what it returns
   * @param atOnce how many requests are under way; default 32
   */
  create(onCreated: (name: string) => void | Promise<void>, atOnce?: number): Promise<void>;
  /** Makes the next mapping, in the order of names, and returns its name; undefined if all were made so. */
  createNext(): Promise<string | undefined>;
}

/**
 * Makes everything but the mappings.
 *
 * @param id of its own in the landscape; a namespace on kyma
 * @param beside a population that the same provider looks after; default: none
 */
export async function preparePopulation(
  landscape: Landscape,
  id: string,
  scale: Scale,
  beside?: Labelled,
): Promise<Population> {
  const { management, kyma } = landscape;
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
    await putKubeconfig(landscape, cluster(index));
    await putClusterID(kyma, clusterID(index), cluster(index));
  });
  await inParallel(range(Math.ceil(scale.mappings / scale.perInstance)), async (index) => {
    const source = await sourceOf(landscape, database(index), `i-${id}-${index}`);
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

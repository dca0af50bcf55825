/**
 * Many mappings, as a team has them: databases on Kyma clusters, each with one binding and mapped to several
 * namespaces. Everything the mappings refer to exists, so a provider can make them Ready; or each lacks one source.
 */
import {
  kymaInstanceMapping,
  kymaInstanceMappings,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { collectionPath, objectPath } from '../../../internal/framework/kube/client/resource-path.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import {
  configMaps,
  groupResource,
  namespaces,
  type ResourceType,
  secrets,
} from '../../../internal/framework/kube/object/resource-type.ts';
import {
  serviceBindings,
  serviceInstances,
} from '../../../internal/systems/inventory/kymainstancemapping/inputs/inputs.ts';
import {
  configMapManifest,
  type Name,
  namespaceManifest,
  provisioned,
  secretManifest,
  serviceBindingManifest,
  serviceInstanceManifest,
} from '../../../test/environment/manifests.ts';
import { collectionIn } from '../measure/api-requests.ts';
import { inParallel, range } from '../measure/in-parallel.ts';
import type { PlainClient } from '../plain/plain-client.ts';
import { ADMINS, type BenchEnvironment } from './environment.ts';

/** Identifies the mappings of one population. */
const POPULATION_LABEL = 'bench.example.org/population';
/** Identifies the mappings that one provider reconciles. */
const SHARD_LABEL = 'bench.example.org/shard';

/** Mappings with labels of their own. */
export interface Labelled {
  readonly label: string;
  /** The same for populations that one provider reconciles together. */
  readonly shard: string;
}

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
   * Creates the mappings, 32 at a time.
   *
   * @param onCreated called for each when the API server has responded
   */
  create(onCreated: (name: string) => void): Promise<void>;
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
  const { kyma } = environment;
  const { clusters, perInstance, namespacesPerCluster: teams, ownClusterIDs = false } = scale;
  const labels = { label: id, shard: beside?.shard ?? id };
  const cluster = (index: number) => `${id}-cluster-${index % clusters}`;
  const namespaceOf = (instance: number) =>
    teams === undefined ? id : `${cluster(instance)}-team-${Math.floor(instance / clusters) % teams}`;
  const database = (index: number) => ({ namespace: namespaceOf(index), name: `db-${index}` });
  /** The ConfigMap with the cluster ID. */
  const clusterID = (instance: number) =>
    ownClusterIDs
      ? { namespace: namespaceOf(instance), name: `${id}-id-${instance}` }
      : { namespace: namespaceOf(instance % clusters), name: cluster(instance) };
  await putNamespaces(kyma, range(teams === undefined ? 1 : clusters * teams).map(namespaceOf));
  await inParallel(range(clusters), async (index) => {
    await putKubeconfig(environment, cluster(index));
    if (!ownClusterIDs) await putClusterID(kyma, clusterID(index), cluster(index));
  });
  await inParallel(range(Math.ceil(scale.mappings / perInstance)), async (index) => {
    const place = database(index);
    const sources = await createInstance(environment, place, `i-${id}-${index}`);
    for (const make of [sources.instance, sources.binding, sources.secret]) await make();
    if (ownClusterIDs) await putClusterID(kyma, clusterID(index), cluster(index));
  });
  const mappings = range(scale.mappings).map((index) => {
    const instance = Math.floor(index / perInstance);
    const source = database(instance);
    return { name: `${id}-${index}`, source, kubeconfig: cluster(instance), clusterID: clusterID(instance) };
  });
  const create = async (mapping: MappingParts) => {
    await putMapping(environment, labels, mapping);
    return mapping.name;
  };
  const oneByOne = mappings.values();
  return {
    ...scale,
    ...labels,
    names: mappings.map(({ name }) => name),
    create: async (onCreated) => {
      await inParallel(mappings, async (mapping) => onCreated(await create(mapping)));
    },
    createNext: async () => {
      const { done, value } = oneByOne.next();
      return done ? undefined : create(value);
    },
  };
}

const SOURCES = { instance: serviceInstances, binding: serviceBindings, secret: secrets, config: configMaps };
const KINDS = ['instance', 'binding', 'secret', 'config'] as const;
/** What a mapping reads on its Kyma cluster. */
export const SOURCE_TYPES: readonly ResourceType[] = KINDS.map((kind) => SOURCES[kind]);

export interface WaitingPopulation extends Labelled {
  readonly names: readonly string[];
  /** Creates the missing source of one mapping, by a single write. */
  bring(name: string): Promise<void>;
  /** The collections on kyma of the missing sources, each once, in the form of `collectionIn`. */
  readonly awaited: ReadonlySet<string>;
}

/** Mappings of one namespace share the watches that wait for their sources. */
const PER_NAMESPACE = 10;

/**
 * Creates mappings with four sources of their own, of which one is missing, the four kinds in turn.
 *
 * @param clusters kubeconfigs that the namespaces are spread over
 * @param beside a population that the same provider reconciles; default: none
 */
export async function createWaiting(
  environment: BenchEnvironment,
  id: string,
  count: number,
  clusters: number,
  beside?: Labelled,
): Promise<WaitingPopulation> {
  const { kyma } = environment;
  const labels = { label: id, shard: beside?.shard ?? id };
  const groupOf = (index: number) => Math.floor(index / PER_NAMESPACE);
  const namespaceOf = (index: number) => `${id}-${groupOf(index)}`;
  const kubeconfigOf = (index: number) => `${id}-${groupOf(index) % clusters}`;
  const nameOf = (index: number) => `${id}-${index}`;
  await putNamespaces(kyma, range(count).map(namespaceOf));
  const kubeconfigs = new Set(range(count).map(kubeconfigOf));
  await inParallel([...kubeconfigs], (name) => putKubeconfig(environment, name));
  const missing = new Map<string, () => Promise<unknown>>();
  const awaited = new Set<string>();
  await inParallel(range(count), async (index) => {
    const namespace = namespaceOf(index);
    const name = nameOf(index);
    const place = { namespace, name };
    const sources = {
      ...(await createInstance(environment, place, `i-${namespace}`)),
      config: () => putClusterID(kyma, place, id),
    };
    const lacks = KINDS[index % KINDS.length] ?? 'instance';
    missing.set(name, sources[lacks]);
    awaited.add(collectionIn(groupResource(SOURCES[lacks]), namespace));
    await Promise.all(KINDS.filter((kind) => kind !== lacks).map((kind) => sources[kind]()));
    const parts = { name, source: place, kubeconfig: kubeconfigOf(index), clusterID: place };
    await putMapping(environment, labels, parts);
  });
  return {
    ...labels,
    awaited,
    names: range(count).map(nameOf),
    bring: async (name) => {
      await missing.get(name)?.();
    },
  };
}

/**
 * A ServiceInstance that HANA Cloud knows. The functions make it ready, and create a binding and a Secret with its name:
 * the state of an instance that is missing is readiness, since making a ready one from nothing takes two writes.
 */
async function createInstance({ simulator, kyma }: BenchEnvironment, name: Name, instanceID: string) {
  simulator.store.addInstance(instanceID);
  const { fields } = await simulator.credentials(instanceID);
  await put(kyma, serviceInstances, serviceInstanceManifest(name));
  return {
    instance: () =>
      kyma.send({
        method: 'PATCH',
        path: objectPath(serviceInstances, name, 'status'),
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { status: { ...provisioned, instanceID } },
      }),
    binding: () =>
      put(kyma, serviceBindings, serviceBindingManifest(name, { spec: { secretName: name.name } })),
    secret: () => put(kyma, secrets, secretManifest(name, fields)),
  };
}

export const putNamespaces = (client: PlainClient, names: readonly string[]) =>
  inParallel([...new Set(names)], (name) => put(client, namespaces, namespaceManifest(name)));

const putClusterID = (kyma: PlainClient, name: Name, clusterID: string) =>
  put(kyma, configMaps, configMapManifest(name, { CLUSTER_ID: clusterID }));

/** Where kubeconfig Secrets lie on management. */
const KUBECONFIGS = 'default';

/** A kubeconfig Secret on management: to the provider, a Kyma cluster. */
async function putKubeconfig({ management, planes }: BenchEnvironment, name: string): Promise<void> {
  // Each has a certificate of its own, so that no two count as the same cluster; in audit events all are one user.
  const kubeconfig = await planes.kyma.addUser({ name: 'provider', groups: ADMINS });
  await put(management, secrets, secretManifest({ namespace: KUBECONFIGS, name }, { kubeconfig }));
}

interface MappingParts {
  readonly name: string;
  /** The name of the database's ServiceInstance, ServiceBinding and Secret. */
  readonly source: Name;
  /** Of the kubeconfig Secret. */
  readonly kubeconfig: string;
  readonly clusterID: Name;
}

/** A mapping of the database to a namespace of the mapping's own name. */
function putMapping({ management }: BenchEnvironment, { label, shard }: Labelled, parts: MappingParts) {
  const { name, source, kubeconfig, clusterID } = parts;
  const mapping = kymaInstanceMapping({
    name,
    labels: { [POPULATION_LABEL]: label, [SHARD_LABEL]: shard },
    spec: {
      forProvider: {
        kymaConnectionRef: { secretRef: { namespace: KUBECONFIGS, name: kubeconfig } },
        serviceInstanceRef: source,
        adminBindingRef: source,
        clusterIdConfigMapRef: clusterID,
        targetNamespace: name,
      },
    },
  });
  return put(management, kymaInstanceMappings, mapping);
}

/** Creates an object. */
export function put(client: PlainClient, type: ResourceType, object: KubeObject): Promise<unknown> {
  const path = collectionPath(type, object.metadata.namespace);
  return client.send({ method: 'POST', path, body: object });
}

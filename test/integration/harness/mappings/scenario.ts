import type { KymaInstanceMappingSpec as Spec } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import {
  apiVersionOf,
  configMaps,
  namespaces,
  type ResourceType,
  secrets,
} from '../../../../internal/framework/kube/object/resource-type.ts';
import {
  serviceBindings,
  serviceInstances,
} from '../../../../internal/systems/inventory/kymainstancemapping/inputs/inputs.ts';
import {
  type KymaInstanceMapping,
  kymaInstanceMappingTypes,
} from '../../../../internal/systems/inventory/kymainstancemapping/resource.ts';
import {
  type BtpParts,
  configMapManifest,
  namespaceManifest,
  provisioned,
  secretManifest,
  serviceBindingManifest,
  serviceInstanceManifest,
} from '../../../environment/manifests.ts';
import type { Objects } from '../../../environment/objects.ts';
import type { Mapping } from '../../../simulators/hana-cloud/store.ts';
import { uniqueName } from '../control-planes/control-planes.ts';
import { type HanaInstance, hanaInstance } from './hana-instance.ts';
import { type ManagedObject, managedObject } from './managed-object.ts';
import { environmentLabel, type MappingContext } from './mapping-context.ts';

export interface ScenarioOptions {
  /** Where the sources lie. `remote`: on the kyma cluster, reached by a kubeconfig Secret. Default `remote`. */
  readonly sources?: 'local' | 'remote';
  /** Of the mapping; a namespaced one, and its kubeconfig Secret, have the namespace of the sources. Default `cluster`. */
  readonly scope?: 'cluster' | 'namespaced';
  /** Default: of an admin of the kyma cluster. */
  readonly kubeconfig?: string;
}

/** The parts of a source that tests change; the rest has valid defaults. */
export interface SourceOptions {
  /** Null: none, as before its controller reconciled it. */
  readonly status?: unknown;
  readonly spec?: unknown;
  /** Not encoded. */
  readonly data?: Readonly<Record<string, string>>;
}

export type SourceName = 'instance' | 'binding' | 'secret' | 'config';

/** One mapping with its four sources, all with names of its own; the namespace of the sources has the mapping's. */
export interface Scenario extends ManagedObject<KymaInstanceMapping> {
  readonly namespace: string;
  readonly instanceID: string;
  readonly clusterID: string;
  readonly externalName: string;
  readonly sourcePlane: Objects;
  /** How messages name the cluster of the sources. */
  readonly clusterName: string;
  /** What the kubeconfig Secret holds, not encoded; remote sources only. */
  applyKubeconfig(data: Readonly<Record<string, string>>): Promise<void>;
  removeKubeconfig(): Promise<void>;
  /** Makes or changes one source. */
  apply(source: SourceName, options?: SourceOptions): Promise<void>;
  remove(source: SourceName): Promise<void>;
  /** Makes all four, or those named. */
  applySources(names?: readonly SourceName[]): Promise<void>;
  create(over?: CreateOptions): Promise<KymaInstanceMapping>;
  /** What `create` applies. */
  manifest(over?: CreateOptions): KymaInstanceMapping;
  /** All four sources, the mapping, and the wait for it: where most tests begin. */
  createReady(over?: CreateOptions): Promise<KymaInstanceMapping>;
  /**
   * Creates another resource over the same sources.
   *
   * @param home its namespace, which must exist; null: it is cluster-scoped. Default: as the scenario's own mapping
   */
  createRival(over?: CreateOptions, home?: string | null): Promise<ManagedObject<KymaInstanceMapping>>;
  readonly hana: HanaInstance;
  /** What HANA Cloud has for this instance. */
  mappings(): Mapping[];
}

export interface CreateOptions {
  readonly forProvider?: Partial<Spec['forProvider']>;
  readonly spec?: Partial<Spec>;
  readonly annotations?: Record<string, string>;
  readonly labels?: Record<string, string>;
}

const typeIn = (home: string | undefined): ResourceType<KymaInstanceMapping> =>
  home === undefined ? kymaInstanceMappingTypes.cluster : kymaInstanceMappingTypes.namespaced;

export async function createScenario(
  { id, planes, management, kyma, simulator, made }: MappingContext,
  { sources = 'remote', scope = 'cluster', kubeconfig = planes.kyma.kubeconfig }: ScenarioOptions,
): Promise<Scenario> {
  const name = uniqueName('map');
  const namespace = name;
  const instanceID = `i-${name}`;
  const clusterID = `c-${name}`;
  const sourcePlane = sources === 'local' ? management : kyma;
  simulator.store.addInstance(instanceID);
  await sourcePlane.apply(namespaces, namespaceManifest(namespace));
  const ownHome = scope === 'namespaced' ? namespace : undefined;
  if (ownHome !== undefined) await management.apply(namespaces, namespaceManifest(ownHome));
  const applyKubeconfig = async (home: string | undefined, data: Readonly<Record<string, string>>) => {
    await management.apply(secrets, secretManifest({ namespace: home ?? 'default', name }, data));
  };
  if (sources === 'remote') await applyKubeconfig(ownHome, { kubeconfig });

  const secretRefIn = (home: string | undefined) =>
    home === undefined ? { name, namespace: 'default' } : { name };
  const forProviderIn = (home: string | undefined): Spec['forProvider'] => ({
    serviceInstanceRef: { name: 'hana', namespace },
    adminBindingRef: { name: 'hana-admin', namespace },
    clusterIdConfigMapRef: { name: 'cluster-id', namespace },
    ...(sources === 'remote' ? { kymaConnectionRef: { secretRef: secretRefIn(home) } } : {}),
  });
  const makers: Readonly<Record<SourceName, (options: SourceOptions) => Promise<void>>> = {
    instance: async ({ spec = {}, status = { instanceID, ...provisioned } }) => {
      const manifest = (parts: BtpParts) => serviceInstanceManifest({ namespace, name: 'hana' }, parts);
      await sourcePlane.apply(serviceInstances, manifest({ spec }));
      await sourcePlane.applyStatus(serviceInstances, manifest(status === null ? {} : { status }));
    },
    binding: async ({ spec = { secretName: 'hana-admin-credentials' }, status = provisioned }) => {
      const manifest = (parts: BtpParts) => serviceBindingManifest({ namespace, name: 'hana-admin' }, parts);
      await sourcePlane.apply(serviceBindings, manifest({ spec }));
      await sourcePlane.applyStatus(serviceBindings, manifest(status === null ? {} : { status }));
    },
    secret: async ({ data }) => {
      const fields = data ?? simulator.secrets(instanceID).fields;
      await sourcePlane.apply(secrets, secretManifest({ namespace, name: 'hana-admin-credentials' }, fields));
    },
    config: async ({ data = { CLUSTER_ID: clusterID } }) => {
      await sourcePlane.apply(configMaps, configMapManifest({ namespace, name: 'cluster-id' }, data));
    },
  };
  const removers: Readonly<Record<SourceName, () => Promise<void>>> = {
    instance: () => sourcePlane.delete(serviceInstances, { namespace, name: 'hana' }),
    binding: () => sourcePlane.delete(serviceBindings, { namespace, name: 'hana-admin' }),
    secret: () => sourcePlane.delete(secrets, { namespace, name: 'hana-admin-credentials' }),
    config: () => sourcePlane.delete(configMaps, { namespace, name: 'cluster-id' }),
  };
  const manifestOf = (
    of: string,
    home: string | undefined,
    { annotations, labels, spec, forProvider }: CreateOptions,
  ): KymaInstanceMapping =>
    ({
      apiVersion: apiVersionOf(typeIn(home)),
      kind: typeIn(home).kind,
      metadata: {
        name: of,
        ...(home === undefined ? {} : { namespace: home }),
        labels: { [environmentLabel]: id, ...labels },
        ...(annotations ? { annotations } : {}),
      },
      spec: { ...spec, forProvider: { ...forProviderIn(home), ...forProvider } },
    }) as KymaInstanceMapping;
  const resource = managedObject(management, typeIn(ownHome), name, ownHome);
  made(typeIn(ownHome));
  const scenario: Scenario = {
    ...resource,
    namespace,
    instanceID,
    clusterID,
    externalName: `${instanceID}/${clusterID}/${namespace}`,
    sourcePlane,
    clusterName: sources === 'local' ? 'management cluster' : `cluster ${new URL(planes.kyma.server).host}`,
    applyKubeconfig: (data) => applyKubeconfig(ownHome, data),
    removeKubeconfig: () => management.delete(secrets, { namespace: ownHome ?? 'default', name }),
    apply: (source, options = {}) => makers[source](options),
    remove: (source) => removers[source](),
    applySources: async (names = ['instance', 'binding', 'secret', 'config']) => {
      await Promise.all(names.map((source) => makers[source]({})));
    },
    manifest: (over = {}) => manifestOf(name, ownHome, over),
    create: (over = {}) => management.apply(typeIn(ownHome), scenario.manifest(over)),
    createReady: async (over) => {
      await scenario.applySources();
      await scenario.create(over);
      return scenario.untilReady();
    },
    createRival: async (over = {}, where = ownHome ?? null) => {
      const home = where ?? undefined;
      if (sources === 'remote' && home !== ownHome) await applyKubeconfig(home, { kubeconfig });
      const rival = managedObject(management, typeIn(home), uniqueName('rival'), home);
      made(typeIn(home));
      await management.apply(typeIn(home), manifestOf(rival.name, home, over));
      return rival;
    },
    hana: hanaInstance({
      simulator,
      instanceID,
      place: { platform: 'kubernetes', primaryID: clusterID, secondaryID: namespace },
    }),
    mappings: () => simulator.store.mappings(instanceID),
  };
  return scenario;
}

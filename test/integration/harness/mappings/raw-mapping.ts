import type { InstanceMappingParameters as Parameters } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { apiVersionOf, secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import {
  type InstanceMapping,
  instanceMappingTypes,
} from '../../../../internal/systems/inventory/instancemapping/resource.ts';
import { secretManifest } from '../../../environment/manifests.ts';
import type { Mapping } from '../../../simulators/hana-cloud/store.ts';
import { uniqueName } from '../control-planes/control-planes.ts';
import { type HanaInstance, hanaInstance } from './hana-instance.ts';
import { type ManagedObject, managedObject } from './managed-object.ts';
import { environmentLabel, type MappingContext } from './mapping-context.ts';

export interface RawMappingOptions {
  /** Default: an instance of its own, which is made. */
  readonly instanceID?: string;
  /** Namespace of the mapping and its Secret, which must exist. Default: a cluster-scoped one. */
  readonly home?: string;
  readonly platform?: Parameters['platform'];
  readonly primaryID?: string;
  /** Null: none. */
  readonly secondaryID?: string | null;
}

export interface RawCreateOptions {
  readonly forProvider?: Partial<Parameters>;
  readonly spec?: Partial<InstanceMapping['spec']>;
  readonly annotations?: Record<string, string>;
  readonly labels?: Record<string, string>;
}

/** One InstanceMapping with its Secret on the management cluster, in its own namespace or in `default`. */
export interface RawMapping extends ManagedObject<InstanceMapping> {
  readonly instanceID: string;
  readonly externalName: string;
  /** What the Secret holds, not encoded; default: the instance's credentials under the key `credentials`. */
  applySecret(data?: Readonly<Record<string, string>>): Promise<void>;
  removeSecret(): Promise<void>;
  create(over?: RawCreateOptions): Promise<InstanceMapping>;
  createReady(over?: RawCreateOptions): Promise<InstanceMapping>;
  readonly hana: HanaInstance;
  mappings(): Mapping[];
}

export function createRawMapping(
  { id, management, simulator, made }: MappingContext,
  options: RawMappingOptions = {},
): RawMapping {
  const name = uniqueName('raw');
  const { instanceID = `i-${name}`, platform = 'kubernetes', primaryID = `c-${name}` } = options;
  const { secondaryID = 'shop', home } = options;
  const type = home === undefined ? instanceMappingTypes.cluster : instanceMappingTypes.namespaced;
  const place = { platform, primaryID, ...(secondaryID === null ? {} : { secondaryID }) };
  if (options.instanceID === undefined) simulator.store.addInstance(instanceID);
  const resource = managedObject<InstanceMapping>(management, type, name, home);
  made(type);
  const secret = { namespace: home ?? 'default', name };
  const raw: RawMapping = {
    ...resource,
    instanceID,
    externalName: [instanceID, platform, primaryID, ...(secondaryID === null ? [] : [secondaryID])].join('/'),
    applySecret: async (data) => {
      const content = data ?? simulator.secrets(instanceID).json;
      await management.apply(secrets, secretManifest(secret, content));
    },
    removeSecret: () => management.delete(secrets, secret),
    create: ({ annotations, labels, spec, forProvider } = {}) =>
      management.apply(type, {
        apiVersion: apiVersionOf(type),
        kind: type.kind,
        metadata: {
          name,
          ...(home === undefined ? {} : { namespace: home }),
          labels: { [environmentLabel]: id, ...labels },
          ...(annotations ? { annotations } : {}),
        },
        spec: {
          ...spec,
          forProvider: {
            serviceInstanceID: instanceID,
            ...place,
            adminCredentialsSecretRef: {
              name,
              ...(home === undefined ? { namespace: secret.namespace } : {}),
              key: 'credentials',
            },
            ...forProvider,
          },
        },
      } as InstanceMapping),
    createReady: async (over) => {
      await raw.applySecret();
      await raw.create(over);
      return raw.untilReady();
    },
    hana: hanaInstance({ simulator, instanceID, place }),
    mappings: () => simulator.store.mappings(instanceID),
  };
  return raw;
}

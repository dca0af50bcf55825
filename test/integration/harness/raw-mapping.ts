import {
  type InstanceMapping,
  type InstanceMappingParameters,
  instanceMappings,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { secrets } from '../../../internal/kube/resource-type.ts';
import { secretManifest } from '../../landscape/manifests.ts';
import type { Mapping } from '../../simulators/hana-cloud/store.ts';
import { uniqueName } from './control-planes.ts';
import { type HanaSide, hanaSide } from './hana-side.ts';
import { type ManagedObject, managedObject } from './managed-object.ts';
import type { Surroundings } from './scenario.ts';
import { worldLabel } from './world.ts';

export interface RawMappingOptions {
  /** Default: an instance of its own, which is made. */
  readonly instanceID?: string;
  readonly platform?: InstanceMappingParameters['platform'];
  readonly primaryID?: string;
  /** Null: none. */
  readonly secondaryID?: string | null;
}

export interface RawCreateOptions {
  readonly forProvider?: Partial<InstanceMappingParameters>;
  readonly spec?: Partial<InstanceMapping['spec']>;
  readonly annotations?: Record<string, string>;
}

/** One InstanceMapping with its Secret, in the namespace `default` of the management cluster. */
export interface RawMapping extends ManagedObject<InstanceMapping> {
  readonly instanceID: string;
  readonly externalName: string;
  /** What the Secret holds, not encoded; default: the instance's credentials under the key `credentials`. */
  applySecret(data?: Readonly<Record<string, string>>): Promise<void>;
  removeSecret(): Promise<void>;
  create(over?: RawCreateOptions): Promise<InstanceMapping>;
  createReady(over?: RawCreateOptions): Promise<InstanceMapping>;
  readonly hana: HanaSide;
  mappings(): Mapping[];
}

export function createRawMapping(
  { id, management, simulator, made }: Surroundings,
  options: RawMappingOptions = {},
): RawMapping {
  const name = uniqueName('raw');
  const { instanceID = `i-${name}`, platform = 'kubernetes', primaryID = `c-${name}` } = options;
  const { secondaryID = 'shop' } = options;
  const place = { platform, primaryID, ...(secondaryID === null ? {} : { secondaryID }) };
  if (options.instanceID === undefined) simulator.store.addInstance(instanceID);
  const resource = managedObject<InstanceMapping>(management, instanceMappings, name);
  made(resource);
  const secret = { namespace: 'default', name };
  const raw: RawMapping = {
    ...resource,
    instanceID,
    externalName: [instanceID, platform, primaryID, ...(secondaryID === null ? [] : [secondaryID])].join('/'),
    applySecret: async (data) => {
      const content = data ?? (await simulator.credentials(instanceID)).json;
      await management.apply(secrets, secretManifest(secret, content));
    },
    removeSecret: () => management.delete(secrets, secret),
    create: ({ annotations, spec, forProvider } = {}) =>
      management.apply<InstanceMapping>(instanceMappings, {
        apiVersion: instanceMappings.apiVersion,
        kind: instanceMappings.kind,
        metadata: { name, labels: { [worldLabel]: id }, ...(annotations ? { annotations } : {}) },
        spec: {
          ...spec,
          forProvider: {
            serviceInstanceID: instanceID,
            ...place,
            adminCredentialsSecretRef: { ...secret, key: 'credentials' },
            ...forProvider,
          },
        },
      }),
    createReady: async (over) => {
      await raw.applySecret();
      await raw.create(over);
      return raw.untilReady();
    },
    hana: hanaSide({ simulator, instanceID, place }),
    mappings: () => simulator.store.mappings(instanceID),
  };
  return raw;
}

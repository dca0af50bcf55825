/** InstanceMappings of two namespaces. */
import fc from 'fast-check';
import {
  type InstanceMapping,
  instanceMappingTypes,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { secrets } from '../../../internal/framework/kube/index.ts';
import { instanceMappingKind } from '../../../internal/systems/inventory/instancemapping/instance-mapping.ts';
import { specArbitrary } from '../actions/spec-arbitrary.ts';
import { CREDENTIALS, type Described, INSTANCE, mappingCampaign } from './mapping-campaign.ts';

type MappingSpec = InstanceMapping['spec'];

const specs = specArbitrary<MappingSpec>(
  'crds/inventory.hana.m.orchestrate.cloud.sap_instancemappings.yaml',
  {
    'forProvider.serviceInstanceID': fc.constant(INSTANCE),
    'forProvider.platform': fc.constant('kubernetes'),
    'forProvider.primaryID': fc.constantFrom('c-1', 'c-2'),
    'forProvider.secondaryID': fc.constantFrom('s-1', 's-2'),
    'forProvider.adminCredentialsSecretRef': fc.constant({ name: 'admin', key: 'credentials' }),
    managementPolicies: undefined,
    providerConfigRef: undefined,
    writeConnectionSecretToRef: undefined,
  },
);

const describedBy = ({ forProvider }: MappingSpec): Described => {
  const { primaryID, secondaryID, isDefault = false } = forProvider;
  return { primaryID, isDefault, ...(secondaryID === undefined ? {} : { secondaryID }) };
};
const isSame = (one: Described, other: Described) =>
  one.primaryID === other.primaryID && one.secondaryID === other.secondaryID;

export const mappingModule = mappingCampaign<InstanceMapping, MappingSpec>({
  name: 'mappings',
  type: instanceMappingTypes.namespaced,
  places: [
    { namespace: 'shop', name: 'first' },
    { namespace: 'shop', name: 'second' },
    { namespace: 'tenant', name: 'first' },
  ],
  specs,
  objectOf: ({ namespace = '', name }, spec) => ({
    apiVersion: 'inventory.hana.m.orchestrate.cloud.sap/v1alpha1',
    kind: 'InstanceMapping',
    metadata: { namespace, name },
    spec,
  }),
  specOf: ({ spec }) => spec,
  describedBy,
  withoutDefault: (spec) => ({ ...spec, forProvider: { ...spec.forProvider, isDefault: false } }),
  accepts: (found, next) => isSame(describedBy(found.spec), describedBy(next.spec)),
  prepare: async ({ own }) => {
    for (const namespace of ['shop', 'tenant'])
      await own.create(secrets, {
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'admin' } },
        data: { credentials: Buffer.from(JSON.stringify(CREDENTIALS)).toString('base64') },
      });
  },
  kindOf: ({ own, hanaCloud, claims, visibility }) =>
    instanceMappingKind({
      ...{ type: instanceMappingTypes.namespaced, cluster: own, hanaCloud, claims, visibility },
    }),
});

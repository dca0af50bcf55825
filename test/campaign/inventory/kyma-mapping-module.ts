/** Cluster-scoped KymaInstanceMappings, whose input objects are on a remote cluster. */
import fc from 'fast-check';
import {
  type KymaInstanceMapping,
  kymaInstanceMappingTypes,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import {
  configMaps,
  type KubeClient,
  type KubeObject,
  type ResourceType,
  secrets,
} from '../../../internal/framework/kube/index.ts';
import {
  serviceBindings,
  serviceInstances,
} from '../../../internal/systems/inventory/kymainstancemapping/inputs/inputs.ts';
import type { KymaClusters } from '../../../internal/systems/inventory/kymainstancemapping/inputs/kyma-cluster.ts';
import { kymaInstanceMappingKind } from '../../../internal/systems/inventory/kymainstancemapping/kyma-instance-mapping.ts';
import { specArbitrary } from '../actions/spec-arbitrary.ts';
import { CREDENTIALS, INSTANCE, mappingCampaign } from './mapping-campaign.ts';

type KymaMappingSpec = KymaInstanceMapping['spec'];

const NAMESPACE = 'shop';
const ref = (name: string) => fc.constant({ namespace: NAMESPACE, name });

const specs = specArbitrary<KymaMappingSpec>(
  'crds/inventory.hana.orchestrate.cloud.sap_kymainstancemappings.yaml',
  {
    'forProvider.kymaConnectionRef': fc.constant({
      secretRef: { namespace: 'default', name: 'kyma' },
      kubeconfigKey: 'kubeconfig',
    }),
    'forProvider.serviceInstanceRef': ref('hana'),
    'forProvider.adminBindingRef': ref('admin'),
    // A ConfigMap has the ID that is its name.
    'forProvider.clusterIdConfigMapRef': fc.constantFrom('c-1', 'c-2').map((name) => ({
      namespace: NAMESPACE,
      name,
    })),
    'forProvider.targetNamespace': fc.constantFrom('s-1', 's-2'),
    'forProvider.credentialsSecretNamespace': undefined,
    deletionPolicy: undefined,
    managementPolicies: undefined,
    providerConfigRef: undefined,
    publishConnectionDetailsTo: undefined,
    writeConnectionSecretToRef: undefined,
  },
)
  // Without one, that of a Kyma cluster is read.
  .filter(({ forProvider }) => forProvider.clusterIdConfigMapRef !== undefined)
  .filter(({ forProvider }) => forProvider.kymaConnectionRef !== undefined)
  // The default of the CRD, which the memory client does not set.
  .map((spec) => ({ ...spec, deletionPolicy: 'Delete' as const }));

const ready = { status: { instanceID: INSTANCE, conditions: [{ type: 'Ready', status: 'True' }] } };

const objectOf = (apiVersion: string, kind: string, metadata: KubeObject['metadata'], spec: object) => {
  const object = { apiVersion, kind, metadata, spec };
  return object satisfies KubeObject & { spec: object };
};

const metadata = (name: string) => ({ namespace: NAMESPACE, name });
const service = async (inputs: KubeClient, type: ResourceType, name: string, spec: object) => {
  const created = await inputs.create(
    type,
    objectOf('services.cloud.sap.com/v1', type.kind, metadata(name), spec),
  );
  await inputs.updateStatus(type, Object.assign(created, ready));
};

/** What the users of the cluster have. */
export const KYMA_INPUTS: Readonly<Record<string, (inputs: KubeClient) => Promise<unknown>>> = {
  ServiceInstance: (inputs) => service(inputs, serviceInstances, 'hana', {}),
  ServiceBinding: (inputs) => service(inputs, serviceBindings, 'admin', { secretName: 'admin' }),
  Secret: (inputs) => {
    const texts = { baseurl: CREDENTIALS.baseurl, uaa: JSON.stringify(CREDENTIALS.uaa) };
    const encoded = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    return inputs.create(secrets, {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: metadata('admin') },
      data: Object.fromEntries(encoded),
    });
  },
  ConfigMap: async (inputs) => {
    for (const id of ['c-1', 'c-2'])
      await inputs.create(configMaps, {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata(id), data: { CLUSTER_ID: id } },
      });
  },
};

async function prepareInputs(inputs: KubeClient): Promise<void> {
  for (const create of Object.values(KYMA_INPUTS)) await create(inputs);
}

/** @param prepare creates the input objects */
export const kymaMappingCampaign = (prepare: (inputs: KubeClient) => Promise<void>) =>
  mappingCampaign<KymaInstanceMapping, KymaMappingSpec>({
    name: 'mappings of Kyma clusters',
    type: kymaInstanceMappingTypes.cluster,
    places: [{ name: 'first' }, { name: 'second' }, { name: 'third' }],
    specs,
    objectOf: ({ name }, spec) => ({
      apiVersion: 'inventory.hana.orchestrate.cloud.sap/v1alpha1',
      kind: 'KymaInstanceMapping',
      metadata: { name },
      spec,
    }),
    specOf: ({ spec }) => spec,
    describedBy: ({ forProvider }) => ({
      primaryID: forProvider.clusterIdConfigMapRef?.name ?? '',
      secondaryID: forProvider.targetNamespace || NAMESPACE,
      isDefault: forProvider.isDefault ?? false,
    }),
    mayBeContested: true,
    withoutDefault: (spec) => ({ ...spec, forProvider: { ...spec.forProvider, isDefault: false } }),
    prepare: ({ inputs }) => prepare(inputs),
    kindOf: ({ own, inputs, hanaCloud, claims, visibility }) => {
      const remote = {
        acquire: async () => ({
          cluster: inputs,
          secretTarget: { description: 'Secret default/kyma', watch: () => () => undefined },
          report: () => undefined,
          release: () => undefined,
        }),
        close: () => undefined,
      } as unknown as KymaClusters['remote'];
      const { cluster: type } = kymaInstanceMappingTypes;
      return kymaInstanceMappingKind({ type, clusters: { own, remote }, hanaCloud, claims, visibility });
    },
  });

export const kymaMappingModule = kymaMappingCampaign(prepareInputs);

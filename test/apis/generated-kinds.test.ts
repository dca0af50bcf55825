import { describe, expect, test } from '@jest/globals';
import { type Shoot, seeds, shoots, type Worker } from '../../apis/gardener/kinds.ts';
import {
  clusterProviderConfig,
  clusterProviderConfigs,
  configKinds,
  isProviderConfig,
  namespacedProviderConfigs,
  namespacedProviderConfigUsages,
  providerConfig,
  providerConfigs,
  providerConfigUsage,
  providerConfigUsages,
} from '../../apis/hana.sap.crossplane.io/v1alpha1/providerconfigs.gen.ts';
import {
  gardenerCluster,
  gardenerClusters,
} from '../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type RuntimeSpec,
  runtimes,
} from '../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import {
  instanceMapping,
  instanceMappings,
  namespacedInstanceMappings,
} from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import {
  isKymaInstanceMapping,
  type KymaInstanceMapping,
  type KymaInstanceMappingSpec,
  kymaInstanceMapping,
  kymaInstanceMappings,
  kymaInstanceMappingTypes,
  namespacedKymaInstanceMappings,
} from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import {
  apiVersionOf,
  groupResource,
  type ResourceType,
} from '../../internal/framework/kube/object/resource-type.ts';
import {
  type ConfigKinds,
  configTypes,
} from '../../internal/framework/managed/providerconfig/model/provider-config.ts';
import type { Managed } from '../../internal/framework/managed/resource/managed.ts';

// apis/ imports nothing. That it fits the interfaces of other layers is held here: by the compiler, through the
// declared types of these tables and variables, and by the assertions.

const spec: KymaInstanceMappingSpec = {
  forProvider: {
    serviceInstanceRef: { name: 'db', namespace: 'shop' },
    adminBindingRef: { name: 'admin', namespace: 'shop' },
  },
};

describe('constants', () => {
  const inNamespace = {
    'kymainstancemappings.inventory.hana.m.orchestrate.cloud.sap': namespacedKymaInstanceMappings,
    'instancemappings.inventory.hana.m.orchestrate.cloud.sap': namespacedInstanceMappings,
    'providerconfigs.hana.m.sap.crossplane.io': namespacedProviderConfigs,
    'providerconfigusages.hana.m.sap.crossplane.io': namespacedProviderConfigUsages,
  };
  const types: readonly { type: ResourceType & { apiVersion: string }; name: string; namespaced?: true }[] = [
    ...Object.entries(inNamespace).map(([name, type]) => ({ type, name, namespaced: true as const })),
    { type: clusterProviderConfigs, name: 'clusterproviderconfigs.hana.m.sap.crossplane.io' },
    { type: kymaInstanceMappings, name: 'kymainstancemappings.inventory.hana.orchestrate.cloud.sap' },
    { type: instanceMappings, name: 'instancemappings.inventory.hana.orchestrate.cloud.sap' },
    { type: providerConfigs, name: 'providerconfigs.hana.sap.crossplane.io' },
    { type: providerConfigUsages, name: 'providerconfigusages.hana.sap.crossplane.io' },
  ];

  test.each(types)('of $name serve the Kubernetes client', ({ type, name, namespaced = false }) => {
    expect(groupResource(type)).toBe(name);
    expect(apiVersionOf(type)).toBe(type.apiVersion);
    expect(type.namespaced).toBe(namespaced);
  });
});

test('the types of a kind by its scope fit one controller', () => {
  const types: Readonly<Record<string, ResourceType<KymaInstanceMapping>>> = kymaInstanceMappingTypes;
  expect(types).toEqual({ cluster: kymaInstanceMappings, namespaced: namespacedKymaInstanceMappings });
});

test('provider configurations are registered by one value', () => {
  const kinds: Readonly<Record<string, ConfigKinds>> = configKinds;
  expect(Object.values(kinds).flatMap(configTypes)).toEqual([
    providerConfigs,
    namespacedProviderConfigs,
    clusterProviderConfigs,
  ]);
});

describe('builders', () => {
  test('create objects that the client and the reconciler accept', () => {
    const mapping: Managed = kymaInstanceMapping({ name: 'a', labels: { team: 'shop' }, spec });
    expect(mapping).toEqual({
      apiVersion: 'inventory.hana.orchestrate.cloud.sap/v1alpha1',
      kind: 'KymaInstanceMapping',
      metadata: { name: 'a', labels: { team: 'shop' } },
      spec,
    });
    const raw: Managed = instanceMapping({
      name: 'b',
      spec: {
        forProvider: {
          serviceInstanceID: 'i',
          platform: 'cloudfoundry',
          primaryID: 'o',
          adminCredentialsSecretRef: { name: 's', namespace: 'n', key: 'k' },
        },
      },
    });
    expect(raw.kind).toBe('InstanceMapping');
  });

  test('create namespaced objects, whose references need no namespace', () => {
    const forProvider = { serviceInstanceRef: { name: 'db' }, adminBindingRef: { name: 'admin' } };
    const mapping: Managed = kymaInstanceMapping({
      name: 'a',
      namespace: 'shop',
      spec: { forProvider, writeConnectionSecretToRef: { name: 'out' } },
    });
    expect(mapping).toMatchObject({
      apiVersion: 'inventory.hana.m.orchestrate.cloud.sap/v1alpha1',
      metadata: { name: 'a', namespace: 'shop' },
    });
    const raw: Managed = instanceMapping({
      name: 'b',
      namespace: 'shop',
      spec: {
        forProvider: {
          serviceInstanceID: 'i',
          platform: 'cloudfoundry',
          primaryID: 'o',
          adminCredentialsSecretRef: { name: 's', key: 'k' },
        },
      },
    });
    expect(raw.apiVersion).toBe('inventory.hana.m.orchestrate.cloud.sap/v1alpha1');
  });

  test('keep a status, so that tests can state an observed one', () => {
    const status = { atProvider: { hana: { ready: true } } };
    expect(kymaInstanceMapping({ name: 'a', spec, status }).status).toEqual(status);
  });

  test('know kinds that have no spec', () => {
    const usage: KubeObject = providerConfigUsage({
      name: 'uid',
      providerConfigRef: { name: 'default' },
      resourceRef: { apiVersion: 'v1', kind: 'K', name: 'n' },
    });
    expect(usage).toEqual({
      apiVersion: 'hana.sap.crossplane.io/v1alpha1',
      kind: 'ProviderConfigUsage',
      metadata: { name: 'uid' },
      providerConfigRef: { name: 'default' },
      resourceRef: { apiVersion: 'v1', kind: 'K', name: 'n' },
    });
    const config: KubeObject = providerConfig({ name: 'default', spec: { credentials: { source: 'None' } } });
    expect(config.metadata).toEqual({ name: 'default' });
    expect(config.apiVersion).toBe('hana.sap.crossplane.io/v1alpha1');
  });
});

test('a configuration of namespaced resources is one of a namespace or of the cluster', () => {
  const spec = { credentials: { source: 'None' } } as const;
  const group = { apiVersion: 'hana.m.sap.crossplane.io/v1alpha1' };
  const own = providerConfig({ name: 'own', namespace: 'shop', spec });
  const shared = clusterProviderConfig({ name: 'shared', spec });
  expect(own).toMatchObject({ ...group, kind: 'ProviderConfig' });
  expect(shared).toMatchObject({ ...group, kind: 'ClusterProviderConfig' });
  expect([own, shared].map(isProviderConfig)).toEqual([true, true]);
});

describe('type guards', () => {
  const mapping: unknown = kymaInstanceMapping({ name: 'a', spec });

  test('narrow to the kind', () => {
    if (!isKymaInstanceMapping(mapping)) throw new Error('not recognised');
    const narrowed: KymaInstanceMapping = mapping;
    expect(narrowed.spec.forProvider.serviceInstanceRef.name).toBe('db');
  });

  test('narrow to the kind in either scope', () => {
    expect(isKymaInstanceMapping(kymaInstanceMapping({ name: 'a', namespace: 'shop', spec }))).toBe(true);
  });

  test.each([
    {
      reason: 'another group may have a kind of this name',
      value: { apiVersion: 'v1', kind: 'KymaInstanceMapping' },
    },
    {
      reason: 'another kind of this group',
      value: { ...kymaInstanceMapping({ name: 'a', spec }), kind: 'Other' },
    },
    { reason: 'nothing at all', value: null },
    { reason: 'a plain value', value: 'KymaInstanceMapping' },
  ])('reject an object of another kind: $reason', ({ value }) => {
    expect(isKymaInstanceMapping(value)).toBe(false);
  });
});

describe('kinds of Gardener and of the infrastructure manager', () => {
  test('are served where Gardener and the Go program serve them', () => {
    const types: readonly (ResourceType & { apiVersion: string })[] = [
      shoots,
      seeds,
      runtimes,
      gardenerClusters,
    ];
    expect(types.map((type) => `${groupResource(type)} ${apiVersionOf(type)} ${type.namespaced}`)).toEqual([
      'shoots.core.gardener.cloud core.gardener.cloud/v1beta1 true',
      'seeds.core.gardener.cloud core.gardener.cloud/v1beta1 false',
      'runtimes.infrastructuremanager.kyma-project.io infrastructuremanager.kyma-project.io/v1 true',
      'gardenerclusters.infrastructuremanager.kyma-project.io infrastructuremanager.kyma-project.io/v1 true',
    ]);
    expect(types.every((type) => type.apiVersion === apiVersionOf(type))).toBe(true);
  });

  test('a worker of a Runtime is a worker of a Shoot', () => {
    const workers: RuntimeSpec['shoot']['provider']['workers'] = [
      { name: 'one', machine: { type: 'm6i.large' }, minimum: 1, maximum: 3, maxSurge: 1 },
    ];
    const ofShoot: Worker[] = workers;
    const shoot: KubeObject & Pick<Shoot, 'spec'> = {
      apiVersion: shoots.apiVersion,
      kind: shoots.kind,
      metadata: { name: 'one', namespace: 'garden-kyma' },
      spec: { region: 'eu-central-1', kubernetes: {}, provider: { type: 'aws', workers: ofShoot } },
    };
    expect(shoot.spec?.provider.workers).toBe(workers);
  });

  test('the builder of GardenerCluster fills in apiVersion and kind', () => {
    const secret = { name: 'kubeconfig-1', namespace: 'kcp-system', key: 'config' };
    const spec = { shoot: { name: 'one' }, kubeconfig: { secret } };
    expect(gardenerCluster({ name: '1', namespace: 'kcp-system', spec })).toEqual({
      apiVersion: 'infrastructuremanager.kyma-project.io/v1',
      kind: 'GardenerCluster',
      metadata: { name: '1', namespace: 'kcp-system' },
      spec,
    });
  });
});

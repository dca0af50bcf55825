import { runtimes } from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { namespacedKymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { kymaClusterTypes } from '../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import type { ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';

export const definitions: ResourceType<KubeObject> = {
  group: 'apiextensions.crossplane.io',
  version: 'v2',
  kind: 'CompositeResourceDefinition',
  plural: 'compositeresourcedefinitions',
  namespaced: false,
};

export const compositions: ResourceType<KubeObject> = {
  group: 'apiextensions.crossplane.io',
  version: 'v1',
  kind: 'Composition',
  plural: 'compositions',
  namespaced: false,
};

export interface KymaRuntime extends KubeObject {
  readonly spec: object;
  readonly status?: {
    readonly runtime?: string;
    readonly kyma?: string;
    readonly clusterID?: string;
    readonly instanceID?: string;
    readonly mapping?: string;
    readonly message?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

export const kymaRuntimes: ResourceType<KymaRuntime> = {
  group: 'platform.example.org',
  version: 'v1alpha1',
  kind: 'KymaRuntime',
  plural: 'kymaruntimes',
  namespaced: true,
};

const remoteObjects: ResourceType<KubeObject> = {
  group: 'kubernetes.m.crossplane.io',
  version: 'v1alpha1',
  kind: 'Object',
  plural: 'objects',
  namespaced: true,
};

const remoteProviderConfigs: ResourceType<KubeObject> = {
  ...remoteObjects,
  kind: 'ProviderConfig',
  plural: 'providerconfigs',
};

const usages: ResourceType<KubeObject> = {
  group: 'protection.crossplane.io',
  version: 'v1beta1',
  kind: 'Usage',
  plural: 'usages',
  namespaced: true,
};

/** Of the resources that the Composition composes. */
export const composedTypes: readonly ResourceType<KubeObject>[] = [
  runtimes as ResourceType,
  kymaClusterTypes.namespaced as ResourceType,
  remoteProviderConfigs,
  remoteObjects,
  namespacedKymaInstanceMappings as ResourceType,
  usages,
];

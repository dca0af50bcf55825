import { expect } from '@jest/globals';
import {
  providerConfigs,
  providerConfigUsages,
} from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfigs.gen.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import { apiVersionOf, type ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import type {
  ProviderConfig,
  ProviderConfigUsage,
} from '../../../internal/framework/managed/providerconfig/model/provider-config.ts';
import { hanaConfigKinds } from '../../../internal/systems/inventory/config/provider-configs.ts';
import { eventually } from '../../environment/eventually.ts';
import type { Objects } from '../../environment/objects.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';

/** One provider configuration with the actions of its users. */
export interface ConfigObject {
  readonly name: string;
  create(): Promise<void>;
  find(): Promise<ProviderConfig | undefined>;
  delete(): Promise<void>;
  usages(): Promise<ProviderConfigUsage[]>;
  /** Waits until the status shows this number of users. */
  untilUsers(users: number): Promise<ProviderConfig>;
  untilGone(): Promise<void>;
}

/** The garbage collector, which removes usages, discovers new kinds every half minute only. */
const often = { intervalMs: 50, timeoutMs: 60_000 };

/** Which of the kinds of configurations, and in which namespace. */
export interface ConfigPlace {
  readonly type: ResourceType<ProviderConfig>;
  readonly usages: ResourceType<ProviderConfigUsage>;
  readonly namespace?: string;
}

/** What cluster-scoped resources refer to. */
const legacyPlace: ConfigPlace = { type: providerConfigs, usages: providerConfigUsages };

/** A configuration of one test. */
export function configObject(
  objects: Objects,
  { type, usages, namespace }: ConfigPlace = legacyPlace,
  name: string = uniqueName('config'),
): ConfigObject {
  const key = namespace === undefined ? { name } : { name, namespace };
  const config: ConfigObject = {
    name,
    create: async () => {
      await objects.apply(type, {
        apiVersion: apiVersionOf(type),
        kind: type.kind,
        metadata: { ...key },
        spec: { credentials: { source: 'None' } },
      });
    },
    find: () => objects.find(type, key),
    delete: () => objects.delete(type, key),
    usages: async () => {
      const all = await objects.list(usages, namespace);
      return all.filter(({ providerConfigRef }) => providerConfigRef.name === name);
    },
    untilUsers: (users) =>
      eventually(async () => {
        const found = await config.find();
        expect(found?.status).toMatchObject({ users });
        return found as ProviderConfig;
      }, often),
    untilGone: () => eventually(async () => expect(await config.find()).toBeUndefined(), often),
  };
  return config;
}

export async function createConfig(
  objects: Objects,
  place?: ConfigPlace,
  name?: string,
): Promise<ConfigObject> {
  const config = configObject(objects, place, name);
  await config.create();
  return config;
}

/** The usage of a resource. */
export function usageOf(
  objects: Objects,
  { metadata: { uid: name = '', namespace } }: KubeObject,
): Promise<ProviderConfigUsage | undefined> {
  return namespace === undefined
    ? objects.find(providerConfigUsages, { name })
    : objects.find(hanaConfigKinds.namespaced.usage, { name, namespace });
}

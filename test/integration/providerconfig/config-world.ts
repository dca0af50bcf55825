import { expect } from '@jest/globals';
import {
  type ProviderConfig,
  providerConfigs,
} from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfig.gen.ts';
import {
  type ProviderConfigUsage,
  providerConfigUsages,
} from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfigusage.gen.ts';
import type { KubeObject } from '../../../internal/kube/object.ts';
import { eventually } from '../../landscape/eventually.ts';
import type { Objects } from '../../landscape/objects.ts';
import { uniqueName } from '../harness/control-planes.ts';

/** One ProviderConfig as its users see and treat it. */
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

/** The garbage collector, which removes usages, looks for new kinds every half minute only. */
const often = { intervalMs: 50, timeoutMs: 60_000 };

/** A ProviderConfig that nobody else uses. */
export function configObject(objects: Objects): ConfigObject {
  const name = uniqueName('config');
  const config: ConfigObject = {
    name,
    create: async () => {
      await objects.apply<KubeObject & Pick<ProviderConfig, 'spec'>>(providerConfigs, {
        apiVersion: providerConfigs.apiVersion,
        kind: providerConfigs.kind,
        metadata: { name },
        spec: { credentials: { source: 'None' } },
      });
    },
    find: () => objects.find<ProviderConfig>(providerConfigs, { name }),
    delete: () => objects.delete(providerConfigs, { name }),
    usages: async () => {
      const all = await objects.list<ProviderConfigUsage>(providerConfigUsages);
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

export async function createConfig(objects: Objects): Promise<ConfigObject> {
  const config = configObject(objects);
  await config.create();
  return config;
}

/** The usage of a resource. */
export function usageOf(objects: Objects, resource: KubeObject): Promise<ProviderConfigUsage | undefined> {
  return objects.find<ProviderConfigUsage>(providerConfigUsages, { name: resource.metadata.uid ?? '' });
}

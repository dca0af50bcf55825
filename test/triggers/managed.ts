import {
  type KymaInstanceMapping,
  kymaInstanceMappingTypes,
} from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import {
  type KymaCluster,
  kymaClusterTypes,
} from '../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import { createDeps } from '../../internal/framework/base/deps.ts';
import { createFakeClock } from '../../internal/framework/base/time/fake-clock.ts';
import type { GatedKind } from '../../internal/framework/controller/index.ts';
import { createInformers } from '../../internal/framework/kube/cache/informers.ts';
import { createMemoryClient } from '../../internal/framework/kube/fakes/memory-client.ts';
import { keyOf, keyString, type ResourceType } from '../../internal/framework/kube/index.ts';
import { apiVersionOf } from '../../internal/framework/kube/object/resource-type.ts';
import { createFakeRecorder } from '../../internal/framework/managed/fakes/index.ts';
import type { ConfigKinds, Managed, ManagedKind } from '../../internal/framework/managed/index.ts';
import { controllerName } from '../../internal/framework/managed/kind/managed-kind.ts';
import { configTypes } from '../../internal/framework/managed/providerconfig/model/provider-config.ts';
import { createProviderConfigs } from '../../internal/framework/managed/providerconfig/provider-configs.ts';
import { newUsage } from '../../internal/framework/managed/providerconfig/usage/usage.ts';
import { reconciledManagedKind } from '../../internal/framework/managed/reconciled-kind.ts';
import { hanaConfigKinds } from '../../internal/systems/inventory/config/provider-configs.ts';
import type { HanaCloud } from '../../internal/systems/inventory/hana-cloud/client.ts';
import type { InputCluster } from '../../internal/systems/inventory/input/read-input.ts';
import { instanceMappingKind } from '../../internal/systems/inventory/instancemapping/instance-mapping.ts';
import {
  type InstanceMapping,
  instanceMappingTypes,
} from '../../internal/systems/inventory/instancemapping/resource.ts';
import { rawMappingKind } from '../../internal/systems/inventory/instancemapping/status.ts';
import type { KymaClusters } from '../../internal/systems/inventory/kymainstancemapping/inputs/kyma-cluster.ts';
import { kymaInstanceMappingKind } from '../../internal/systems/inventory/kymainstancemapping/kyma-instance-mapping.ts';
import { kymaMappingKind } from '../../internal/systems/inventory/kymainstancemapping/status.ts';
import { createMappingClaims } from '../../internal/systems/inventory/mapping/claims/mapping-claims.ts';
import { mappingOf, shownAnswer } from '../../internal/systems/inventory/mapping/mapping.fixture.ts';
import type { MappingKind } from '../../internal/systems/inventory/mapping/mapping-kind.ts';
import { createVisibilityRecords } from '../../internal/systems/inventory/mapping/visibility-records.ts';
import { createMothershipTokens } from '../../internal/systems/reconciler/client/oauth-tokens.ts';
import { fakeCluster } from '../../internal/systems/reconciler/kyma-cluster/kyma-cluster.fixture.ts';
import { kymaClusterKind } from '../../internal/systems/reconciler/kyma-cluster/kyma-cluster.ts';
import { mothershipConfigKinds } from '../../internal/systems/reconciler/kyma-cluster/provider-configs.ts';
import { observeTriggers, type TriggerRow, type TriggerRows, type TriggerWorld } from './observe-triggers.ts';

/** A program with kinds of managed resources and their provider configurations. */
function startWorld() {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const users = client.otherProgram();
  const deps = createDeps({ clock, random: () => 0.5 });
  const informers = createInformers({ ...deps, client });
  const triggers = observeTriggers();
  const common = { ...deps, client, informers, recorderFor: () => createFakeRecorder() };
  const kinds: GatedKind[] = [];
  const rows: Record<string, TriggerRows> = {};
  /** @param others rows of the sources that the kind has itself */
  const addKind = <R extends Managed>(
    kind: ManagedKind<R>,
    configKinds: ConfigKinds,
    [first, second]: readonly [R, R],
    others: readonly TriggerRow[] = [],
  ) => {
    const { usage } = configKinds;
    const configs = createProviderConfigs({ ...common, kinds: configKinds });
    const key = keyOf(first);
    const reconciles = keyString(key);
    const held = client.seed(usage, newUsage(first, usage, { name: 'default' }, true));
    rows[controllerName(kind.type)] = [
      {
        what: 'itself',
        change: () => users.mergePatch(kind.type, key, { metadata: { labels: { changed: 'true' } } }),
        reconciles,
      },
      { what: 'its usage, which is deleted', change: () => users.delete(usage, keyOf(held)), reconciles },
      ...others,
    ];
    for (const type of configTypes(configKinds)) {
      const name = `default-${type.kind.toLowerCase()}`;
      const place = type.namespaced ? { namespace: first.metadata.namespace ?? '', name } : { name };
      client.seed(type, { apiVersion: apiVersionOf(type), kind: type.kind, metadata: place });
      const ref = configKinds.scope === 'Cluster' ? { name } : { name, kind: type.kind };
      const { metadata, ...used } = newUsage(second, usage, ref, false);
      rows[`providerconfig/${type.kind}.${type.group}`.toLowerCase()] = [
        {
          what: 'itself',
          change: () => users.mergePatch(type, place, { spec: { changed: 'true' } }),
          reconciles: keyString(place),
        },
        {
          what: 'a new user',
          change: () => users.create(usage, { ...used, metadata: { ...metadata, name: `user-of-${name}` } }),
          reconciles: keyString(place),
        },
      ];
    }
    const managed = { ...kind, configUse: configs.useOf(kind.type, { readsConfig: true }) };
    kinds.push(
      triggers.build(reconciledManagedKind(managed, { ...deps, client }), common),
      ...configs.kinds.map((each) => triggers.build(each, common)),
    );
  };
  const start = async (): Promise<TriggerWorld> => {
    const runs = kinds.map((kind) => kind.build());
    const ends = runs.map((run) => run.start());
    for (const { controller } of runs) {
      controller.watch();
      controller.work();
    }
    await clock.advance(10);
    return {
      ...{ triggers, rows, wait: (ms) => clock.advance(ms) },
      stop: async () => {
        await Promise.all(runs.map(({ controller }) => controller.stop()));
        for (const end of ends) end();
      },
    };
  };
  return { client, users, deps, addKind, start };
}

export async function inventoryTriggers(): Promise<TriggerWorld> {
  const { client, users, deps, addKind, start } = startWorld();
  const claims = createMappingClaims(deps);
  const hanaCloud = { resume: () => undefined } as unknown as HanaCloud;
  const shared = { hanaCloud, claims, visibility: createVisibilityRecords() };
  /** Of each kind another one: claims of both are in one index. */
  const identityOf = (type: ResourceType) => mappingOf(type.kind);
  /** Both have the mapping, so that the second one waits for the first. */
  const claimed = <R extends Managed>(
    of: MappingKind<R>,
    type: ResourceType<R>,
    [first, second]: readonly [R, R],
  ): TriggerRow => ({
    what: 'the claim of an older resource to its mapping',
    change: async () => {
      for (const each of [first, second]) claims.of(of).state(each, shownAnswer(identityOf(type)));
      await users.delete(type, keyOf(first));
    },
    reconciles: keyString(keyOf(second)),
  });
  const seeded = <R extends Managed>(type: ResourceType<R>, place: object, spec: object): readonly [R, R] => {
    const seed = (name: string) =>
      client.seed(type, {
        ...{
          apiVersion: apiVersionOf(type),
          kind: type.kind,
          metadata: { ...place, name, uid: `${type.kind}-${name}` },
          spec,
        },
      } as unknown as R);
    return [seed('first'), seed('second')];
  };
  const raw = instanceMappingTypes.namespaced;
  const { serviceInstanceID, platform, primaryID } = identityOf(raw);
  const mappings = seeded<InstanceMapping>(
    raw,
    { namespace: 'shop' },
    {
      forProvider: {
        ...{ serviceInstanceID, platform, primaryID },
        adminCredentialsSecretRef: { name: 'admin', key: 'credentials' },
      },
    },
  );
  const cluster = { client } as unknown as InputCluster;
  addKind(instanceMappingKind({ ...shared, type: raw, cluster }), hanaConfigKinds.namespaced, mappings, [
    claimed(rawMappingKind, raw, mappings),
  ]);
  const ofKyma = kymaInstanceMappingTypes.cluster;
  const ref = { namespace: 'shop', name: 'hana' };
  const kymaMappings = seeded<KymaInstanceMapping>(
    ofKyma,
    {},
    { forProvider: { serviceInstanceRef: ref, adminBindingRef: ref, clusterIdConfigMapRef: ref } },
  );
  const clusters = { own: { client } } as unknown as KymaClusters;
  addKind(
    kymaInstanceMappingKind({ ...shared, type: ofKyma, clusters }),
    hanaConfigKinds.cluster,
    kymaMappings,
    [claimed(kymaMappingKind, ofKyma, kymaMappings)],
  );
  return start();
}

export async function reconcilerTriggers(): Promise<TriggerWorld> {
  const { client, deps, addKind, start } = startWorld();
  const type = kymaClusterTypes.namespaced;
  const seed = (name: string) =>
    client.seed(type, {
      ...{ apiVersion: apiVersionOf(type), kind: type.kind, metadata: { namespace: 'shop', name } },
      spec: { forProvider: { runtimeID: name } },
    } as unknown as KymaCluster);
  const kind = kymaClusterKind({
    ...{ client, cluster: fakeCluster, scope: 'namespaced', deps, env: {}, readOnly: false },
    ...{ flags: { allowPrivateEndpoints: false }, tokens: createMothershipTokens(deps) },
  });
  addKind(kind, mothershipConfigKinds.namespaced, [seed('first'), seed('second')]);
  return start();
}

import { expect } from '@jest/globals';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import type { ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import type { Managed } from '../../../internal/framework/managed/resource/managed.ts';
import { hanaConfigKinds } from '../../../internal/systems/inventory/config/provider-configs.ts';
import { eventually } from '../../environment/eventually.ts';
import type { StoredObject, StoredState } from '../../upgrade/stored-state.ts';
import { type ManagedObject, managedObject } from '../harness/mappings/managed-object.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { controllerMetric, controllerOf } from '../safe-start/kind-states.ts';
import { putStored, typeOf } from './etcd.ts';
import { instanceOf, type UpgradeEnvironment } from './upgrade-environment.ts';

type ApiAnswer = Awaited<ReturnType<UpgradeEnvironment['plane']['request']>>;

/** A recorded state, restored into an environment. */
export interface Restored {
  /** What the API server shows of a recorded object now. */
  current(object: StoredObject): Promise<StoredObject>;
  /** Sends a dry run that stores an object as it is, and its status; returns the responses. */
  storeAgain(object: StoredObject): Promise<ApiAnswer[]>;
  /** The only managed resource of that name. */
  managed(name: string): ManagedObject<Managed>;
  /** Waits until the provider has reconciled every managed resource and every configuration. */
  untilReconciled(provider: ProviderProcess): Promise<void>;
}

/** Puts objects, mappings and what lies around them where they were. */
export async function restore(
  environment: UpgradeEnvironment,
  { crds, objects, mappings }: StoredState,
): Promise<Restored> {
  const { simulator, management, plane } = environment;
  const typeFor = <T extends KubeObject>(object: StoredObject): ResourceType<T> => ({
    ...typeOf(crds, object),
    namespaced: object.metadata.namespace !== undefined,
  });
  for (const [instance, found] of Object.entries(mappings)) {
    environment.addInstance(instance.slice(instanceOf('').length));
    for (const mapping of found) simulator.store.addMapping(instance, mapping);
  }
  for (const object of objects) await prepareEnvironment(environment, object);
  // The owners of usages first, or the garbage collector takes the usages away.
  const isUsage = ({ kind }: StoredObject) => kind === hanaConfigKinds.cluster.usage.kind;
  for (const object of [...objects.filter((one) => !isUsage(one)), ...objects.filter(isUsage)]) {
    await putStored(plane, crds, object);
    await eventually(() => management.get(typeFor(object), object.metadata));
  }
  return {
    current: (object) => management.get(typeFor<StoredObject>(object), object.metadata),
    storeAgain: (object) => {
      const { group, version, plural } = typeOf(crds, object);
      const { name, namespace } = object.metadata;
      const home = namespace === undefined ? '' : `/namespaces/${namespace}`;
      const path = `/apis/${group}/${version}${home}/${plural}/${name}`;
      const parts = object.status === undefined ? [''] : ['', '/status'];
      const query = '?dryRun=All&fieldValidation=Strict';
      return Promise.all(
        parts.map((part) => plane.request(`${path}${part}${query}`, { method: 'PUT', body: object })),
      );
    },
    managed: (name) => {
      const found = objects.find(({ kind, metadata }) => /Mapping$/.test(kind) && metadata.name === name);
      if (found === undefined) throw new Error(`${name} is not recorded`);
      return managedObject(management, typeFor<Managed>(found), name, found.metadata.namespace);
    },
    untilReconciled: (provider) =>
      eventually(
        async () => {
          for (const crd of crds) {
            const { group, names } = crd.spec;
            const own = objects.filter((one) => one.kind === names.kind && typeFor(one).group === group);
            if (own.length === 0 || own.some(isUsage)) continue;
            const controller = controllerOf(crd);
            const total = 'controller_runtime_reconcile_total';
            expect(await controllerMetric(provider, total, controller)).toBeGreaterThanOrEqual(own.length);
            const active = 'controller_runtime_active_workers';
            expect(await controllerMetric(provider, active, controller)).toBe(0);
          }
        },
        { timeoutMs: 120_000 },
      ),
  };
}

/** The objects that owner, user and SAP's operator had created for a resource when it was recorded. */
async function prepareEnvironment(
  environment: UpgradeEnvironment,
  { kind, metadata, spec }: StoredObject,
): Promise<void> {
  const { name, namespace = 'default' } = metadata;
  if (kind === 'InstanceMapping') await environment.giveRawCredentials(name, namespace);
  if (namespace !== 'default') await environment.giveNamespace(namespace);
  if (kind !== 'KymaInstanceMapping' || isWaitingForAll(name)) return;
  await environment.giveSources(name);
  if (metadata.deletionTimestamp !== undefined) await environment.takeCredentials(name);
  const { forProvider } = spec as { forProvider: object };
  if ('kymaConnectionRef' in forProvider) await environment.giveKubeconfig(name);
}

/** Recorded before its sources existed. */
const isWaitingForAll = (name: string) => name === 'returns';

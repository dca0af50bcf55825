/** What service objects, Service Manager and Secrets should be like at the end. */

import type { MemoryClient } from '../../../internal/framework/kube/fakes/memory-client.ts';
import { keyOf, keyString, secrets } from '../../../internal/framework/kube/index.ts';
import type { FakeServiceManager } from '../../../internal/systems/btp/fixtures/fake-service-manager/fake-service-manager.fixture.ts';
import {
  type ServiceBinding,
  type ServiceBindingSpec,
  serviceBindings,
} from '../../../internal/systems/btp/servicebinding/resource.ts';
import {
  type ServiceInstance,
  type ServiceInstanceSpec,
  serviceInstances,
} from '../../../internal/systems/btp/serviceinstance/resource.ts';
import { conditionsOf } from '../../../internal/systems/btp/status/conditions.ts';
import {
  externalNameOf,
  type ServiceResource,
} from '../../../internal/systems/btp/status/service-resource.ts';
import type { UserObjects } from '../actions/user-objects.ts';
import { isFixed } from './refusing-service-manager.ts';
import { CLUSTER } from './service-process.ts';
import { FOREIGN_NAMES, PARAMETER_SECRETS } from './service-specs.ts';

/** The longest backoff is a minute. */
export const SETTLE_MS = 10 * 60_000;

export interface ServiceWorld {
  readonly client: MemoryClient;
  readonly serviceManager: FakeServiceManager;
  readonly instances: UserObjects<ServiceInstance, ServiceInstanceSpec>;
  readonly bindings: UserObjects<ServiceBinding, ServiceBindingSpec>;
  readonly wait: (ms: number) => Promise<void>;
}

/** Ready, and as its spec says. */
export const isSettled = (object: ServiceResource): boolean =>
  object.status?.ready === 'True' &&
  conditionsOf(object).some(
    ({ type, status, observedGeneration }) =>
      type === 'Succeeded' && status === 'True' && observedGeneration === object.metadata.generation,
  );

/**
 * What only users can end: a name that others have, content that Service Manager refuses, bindings of instances that are deleted. A
 * refused edit is taken back; what was never ready gets a spec that nothing can be wrong with.
 */
export async function endConflicts(
  world: ServiceWorld,
  ready: ReadonlyMap<number, ServiceInstanceSpec>,
): Promise<void> {
  const { instances, bindings, wait } = world;
  await recreateFailed(world);
  const isRefused = refusals(world);
  for (const [at, spec] of ready) {
    const found = await instances.find(at);
    if (found && !isSettled(found) && instances.wanted().has(at) && isRefused(found))
      await instances.set(at, spec);
  }
  await wait(SETTLE_MS);
  const names = new Set<string>();
  for (const at of [...instances.wanted().keys()]) {
    const found = await instances.find(at);
    const isTaken = found && names.has(externalNameOf(found));
    if (found && !isSettled(found) && (isTaken || isRefused(found))) {
      await instances.perform({ do: 'delete', at });
      await wait(SETTLE_MS);
      await instances.set(at, safeInstance(at));
    }
    if (found) names.add(externalNameOf(found));
  }
  await wait(SETTLE_MS);
  for (const at of [...bindings.wanted().keys()]) {
    const found = await bindings.find(at);
    if (found === undefined || isSettled(found)) continue;
    const instance = [...instances.wanted().keys()].find((each) => {
      const { namespace, name } = instances.keyAt(each);
      return namespace === found.metadata.namespace && name === found.spec.serviceInstanceName;
    });
    if (instance === undefined) await bindings.perform({ do: 'delete', at });
    else if (isRefused(found)) {
      const { serviceInstanceName } = found.spec;
      const free = { serviceInstanceName, externalName: `free-${at}`, secretName: `free-${at}` };
      if (await bindings.set(at, free)) continue;
      // It was restored and could not be adopted, as another binding has its name: users give up what was restored.
      await bindings.perform({ do: 'delete', at });
      await wait(SETTLE_MS);
      await bindings.set(at, free);
    }
  }
  await wait(SETTLE_MS);
}

/** What was found in Service Manager with a create that failed stays as it is until its user acts. */
async function recreateFailed({ serviceManager, instances, bindings, wait }: ServiceWorld): Promise<void> {
  const isFailed = (id: string | undefined) => {
    const kept = serviceManager.instances.get(id ?? '') ?? serviceManager.bindings.get(id ?? '');
    return kept?.lastOperation?.type === 'create' && kept.lastOperation.state === 'failed';
  };
  for (const at of [...instances.wanted().keys()]) {
    const found = await instances.find(at);
    if (isFailed(found?.status?.instanceID)) await instances.perform({ do: 'recreate', at });
  }
  await wait(SETTLE_MS);
  for (const at of [...bindings.wanted().keys()]) {
    const found = await bindings.find(at);
    if (isFailed(found?.status?.bindingID)) await bindings.perform({ do: 'recreate', at });
  }
  await wait(SETTLE_MS);
}

const safeInstance = (at: number): ServiceInstanceSpec => ({
  ...{ serviceOfferingName: 'xsuaa', servicePlanName: 'application' },
  externalName: `free-${at}`,
});

/** Whether users are the cause that the object is not ready: they alone know how Service Manager refuses. */
function refusals({ client, serviceManager }: ServiceWorld): (object: ServiceResource) => boolean {
  const { instances } = serviceManager;
  return (object) => {
    const { parameters = {} } = object.spec;
    if ('refused' in parameters) return true;
    if (object.kind === 'ServiceInstance') {
      const { instanceID = '' } = (object.status as NonNullable<ServiceInstance['status']>) ?? {};
      const own = instances.get(instanceID);
      const name = externalNameOf(object);
      const isTaken = [...instances.values()].some((each) => each.name === name && each.id !== instanceID);
      return isTaken || isFixed(own);
    }
    const others = client
      .peekAll(serviceBindings)
      .filter((other) => keyString(keyOf(other)) !== keyString(keyOf(object)));
    return others.some(
      (other) =>
        other.metadata.namespace === object.metadata.namespace &&
        (secretOf(other) === secretOf(object as ServiceBinding) ||
          externalNameOf(other) === externalNameOf(object)),
    );
  };
}

const secretOf = ({ spec, metadata }: ServiceBinding): string => spec.secretName || metadata.name;

/** Objects that are not ready, or not gone. */
export function unsettledOf({ client, instances, bindings }: ServiceWorld): readonly string[] {
  const wanted = new Set<string>(
    [...instances.wanted().keys()]
      .map((at) => `ServiceInstance ${keyString(instances.keyAt(at))}`)
      .concat([...bindings.wanted().keys()].map((at) => `ServiceBinding ${keyString(bindings.keyAt(at))}`)),
  );
  const all: readonly ServiceResource[] = [
    ...client.peekAll(serviceInstances),
    ...client.peekAll(serviceBindings),
  ];
  const named = all.map(
    (object) => [`${object.kind} ${keyString(keyOf(object))}` as string, object] as const,
  );
  const found = new Set(named.map(([name]) => name));
  return [
    ...named.flatMap(([name, object]) => {
      if (!wanted.has(name)) return [`${name} is not gone: ${shown(object)}`];
      return isSettled(object) ? [] : [`${name} is not ready: ${shown(object)}`];
    }),
    ...[...wanted].filter((name) => !found.has(name)).map((name) => `${name} is gone`),
  ];
}

const shown = (object: ServiceResource): string =>
  conditionsOf(object)
    .map(({ type, status, reason, message }) => `${type}=${status} ${reason} ${message ?? ''}`.trimEnd())
    .join('; ');

const isForeign = ({ id }: { readonly id: string }) => FOREIGN_NAMES.some((name) => name === id);

/** By the names that objects of this cluster have in Service Manager, and Secrets. */
export function worldOf({ client, serviceManager }: ServiceWorld): unknown {
  const kept = [...serviceManager.instances.values()].filter((instance) => !isForeign(instance));
  const bound = [...serviceManager.bindings.values()];
  const names = new Map([...kept, ...bound].map(({ id, name }) => [id, name]));
  const readable = (text: string) => text.replaceAll(/\b(id|b)-\d+\b/g, (id) => names.get(id) ?? id);
  return {
    instances: Object.fromEntries(
      kept
        .map(
          ({ name, servicePlanID, parameters, shared, identity }) =>
            [
              `${identity.namespace}/${identity.name}`,
              { name, servicePlanID, shared, ...(sendsParameters(client, identity) && { parameters }) },
            ] as const,
        )
        .sort(),
    ),
    bindings: Object.fromEntries(
      bound
        .map(
          ({ name, serviceInstanceID, parameters, identity }) =>
            [
              `${identity.namespace}/${identity.name}`,
              { name, parameters, instance: names.get(serviceInstanceID) },
            ] as const,
        )
        .sort(),
    ),
    secrets: Object.fromEntries(
      ownSecrets(client).map((secret) => [
        keyString(keyOf(secret)),
        Object.fromEntries(
          Object.entries(secret.data ?? {})
            .map(([key, value]) => [key, readable(Buffer.from(value, 'base64').toString())] as const)
            .sort(),
        ),
      ]),
    ),
  };
}

/** Without parameters an update has none, and the service keeps those that it has: so does the operator of SAP. */
function sendsParameters(
  client: MemoryClient,
  { namespace, name }: { namespace: string; name: string },
): boolean {
  const { parameters = {}, parametersFrom = [] } =
    client.peek(serviceInstances, { namespace, name })?.spec ?? {};
  return Object.keys(parameters).length > 0 || parametersFrom.length > 0;
}

const ownSecrets = (client: MemoryClient) =>
  client.peekAll(secrets).filter(({ metadata }) => !PARAMETER_SECRETS.some((name) => name === metadata.name));

/** Of this cluster, in Service Manager and in Kubernetes. */
export function leftOf(world: ServiceWorld): readonly string[] {
  const { client, serviceManager } = world;
  const kept = [...serviceManager.instances.values(), ...serviceManager.bindings.values()];
  return [
    ...unsettledOf(world),
    ...kept
      .filter((object) => !isForeign(object) && object.identity.clusterID === CLUSTER)
      .map(({ id, name }) => `${id} ${name} is left in Service Manager`),
    ...ownSecrets(client).map((secret) => `Secret ${keyString(keyOf(secret))} is left`),
  ];
}

/** Service objects of two namespaces in one Service Manager, where others have instances too. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { createFakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../../internal/framework/kube/fakes/memory-client.ts';
import type { AdmissionRequest } from '../../../internal/framework/kube/fakes/memory-store.ts';
import { keyOf, type ObjectKey, secrets } from '../../../internal/framework/kube/index.ts';
import { createFakeServiceManager } from '../../../internal/systems/btp/fixtures/fake-service-manager/fake-service-manager.fixture.ts';
import {
  type ServiceBinding,
  type ServiceBindingSpec,
  serviceBindings,
} from '../../../internal/systems/btp/servicebinding/resource.ts';
import { unknownSpec } from '../../../internal/systems/btp/serviceinstance/decisions.ts';
import {
  type ServiceInstance,
  type ServiceInstanceSpec,
  serviceInstances,
} from '../../../internal/systems/btp/serviceinstance/resource.ts';
import { type ProcessAction, processActions, userActions } from '../actions/arbitraries.ts';
import { driveClock } from '../actions/drive-clock.ts';
import { kubernetesLink } from '../actions/kubernetes-link.ts';
import { createSurroundings } from '../actions/surroundings.ts';
import { createUserObjects, type UserAction } from '../actions/user-objects.ts';
import { mostWrites } from '../actions/write-rate.ts';
import type { CampaignModule, CampaignSystem, Violation } from '../runner/campaign-module.ts';
import {
  addForeign,
  endOperations,
  refusingServiceManager,
  serviceManagerLink,
} from './refusing-service-manager.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { bindingOf, bindingSpecs, instanceOf, instanceSpecs, PARAMETER_SECRETS } from './service-specs.ts';
import { endConflicts, isSettled, leftOf, SETTLE_MS, unsettledOf, worldOf } from './service-world.ts';

const KUBERNETES = 'kubernetes';
const SERVICE_MANAGER = 'Service Manager';
const INSTANCES: readonly ObjectKey[] = [
  { namespace: 'shop', name: 'orders' },
  { namespace: 'shop', name: 'other' },
  { namespace: 'tenant', name: 'orders' },
];
const BINDINGS: readonly ObjectKey[] = [
  { namespace: 'shop', name: 'first' },
  { namespace: 'shop', name: 'second' },
  { namespace: 'tenant', name: 'first' },
];

export type ServiceAction =
  | { readonly of: 'instance'; readonly user: UserAction<ServiceInstanceSpec> }
  | { readonly of: 'binding'; readonly user: UserAction<ServiceBindingSpec> }
  | { readonly of: 'process'; readonly process: ProcessAction }
  /** Of a user, in all namespaces. */
  | { readonly of: 'secret'; readonly name: string; readonly value: number }
  /** Service Manager answers with operations, which end in this way. */
  | {
      readonly of: 'broker';
      readonly type: 'create' | 'update' | 'delete';
      readonly state: 'succeeded' | 'failed' | 'synchronous';
    }
  | { readonly of: 'comparison' };

const action: fc.Arbitrary<ServiceAction> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      of: fc.constant('instance' as const),
      user: userActions(instanceSpecs, INSTANCES.length),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      of: fc.constant('binding' as const),
      user: userActions(bindingSpecs, BINDINGS.length),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      of: fc.constant('process' as const),
      process: processActions([KUBERNETES, SERVICE_MANAGER]),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      of: fc.constant('secret' as const),
      name: fc.constantFrom(...PARAMETER_SECRETS.slice(1)),
      value: fc.constantFrom(1, 2),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      of: fc.constant('broker' as const),
      type: fc.constantFrom('create' as const, 'update' as const, 'delete' as const),
      state: fc.constantFrom('succeeded' as const, 'failed' as const, 'synchronous' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ of: fc.constant('comparison' as const) }) },
);

/**
 * As the rules of the CRD: a binding that is bound cannot be changed, except for its template and rotation, and for the names in its
 * Secret until it was written.
 */
function admitBinding({ operation, part, old, next, refuse }: AdmissionRequest) {
  if (operation !== 'update' || part !== 'object' || old === undefined) return next;
  const { status, spec } = old as unknown as ServiceBinding;
  if (!status?.bindingID) return next;
  const isWritten = status.ready !== 'False' || Boolean(status.secretVersion);
  const fixed = ({ secretTemplate: _, credentialsRotationPolicy: __, ...rest }: ServiceBindingSpec) => {
    const { secretName, secretKey, secretRootKey, ...others } = rest;
    return isWritten ? rest : others;
  };
  if (!isDeepStrictEqual(fixed(spec), fixed((next as unknown as ServiceBinding).spec)))
    refuse(422, 'Invalid', 'updating service bindings is not supported');
  return next;
}

async function start(): Promise<CampaignSystem<ServiceAction>> {
  const clock = createFakeClock();
  const client = createMemoryClient({
    clock,
    admission: (type) => (type.kind === 'ServiceBinding' ? { admit: admitBinding } : undefined),
  });
  const users = client.otherProgram();
  const serviceManager = refusingServiceManager(createFakeServiceManager());
  const violations: Violation[] = [];
  const wait = (ms: number) => clock.advance(ms);
  const surroundings = createSurroundings({ clock, advance: wait, servers: [client] });
  const { network } = surroundings;
  const foreign = addForeign(serviceManager);
  const theirs = structuredClone(foreign);
  const putSecret = async (namespace: string, name: string, value: number) => {
    const data = { parameters: Buffer.from(JSON.stringify({ [name]: value })).toString('base64') };
    const key = { namespace, name };
    if (client.peek(secrets, key)) await users.mergePatch(secrets, key, { data });
    else await users.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: key, data });
  };
  const values = new Map<string, number>();
  const putSecrets = async (name: string, value: number) => {
    values.set(name, value);
    for (const namespace of ['shop', 'tenant']) await putSecret(namespace, name, value);
  };
  for (const name of PARAMETER_SECRETS) await putSecrets(name, 1);
  const instances = createUserObjects<ServiceInstance, ServiceInstanceSpec>({
    ...{ client: users, type: serviceInstances, places: INSTANCES, objectOf: instanceOf, wait },
    specOf: ({ spec }) => spec,
    isAdopted: ({ status }) => Boolean(status?.instanceID),
  });
  const bindings = createUserObjects<ServiceBinding, ServiceBindingSpec>({
    ...{ client: users, type: serviceBindings, places: BINDINGS, objectOf: bindingOf, wait },
    specOf: ({ spec }) => spec,
    isAdopted: ({ status }) => Boolean(status?.bindingID),
    // A binding keeps what it was bound with, and Service Manager shows no parameters.
    restoresEdited: false,
    collect: async ({ metadata }) => {
      for (const secret of client.peekAll(secrets))
        if (secret.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid))
          await users.delete(secrets, keyOf(secret));
    },
  });
  const statusOf = (id: string) =>
    client.peekAll(serviceInstances).find(({ status }) => status?.instanceID === id)?.status;
  const isRequested = (id: string) => statusOf(id)?.forceReconcile === true;
  const isDoubtful = (id: string) => statusOf(id)?.acceptedSpec === unknownSpec;
  let process: ServiceProcess | undefined;
  await surroundings.start(async ({ process: alive, fence }) => {
    process = startServiceProcess({
      clock,
      fence,
      client: network.connect(alive, kubernetesLink(KUBERNETES), client),
      serviceManager: network.connect(
        alive,
        serviceManagerLink(SERVICE_MANAGER, serviceManager, { violations, isRequested, isDoubtful }),
        serviceManager.client,
      ),
    });
    return process;
  });
  await wait(10);
  const compare = () => driveClock(clock, process?.compare() ?? Promise.resolve());
  const perform = async (action: ServiceAction) => {
    switch (action.of) {
      case 'instance':
        return instances.perform(action.user);
      case 'binding':
        return bindings.perform(action.user);
      case 'process':
        return surroundings.perform(action.process);
      case 'secret':
        return putSecrets(action.name, action.value);
      case 'broker':
        if (action.state === 'synchronous') serviceManager.sync(action.type);
        else serviceManager.async(action.type, { polls: 1, state: action.state });
        return;
      case 'comparison':
        return compare();
      default:
        return action satisfies never;
    }
  };
  const everything = { client, serviceManager, instances, bindings, wait };
  /** By place: the specs that were ready last. */
  const ready = new Map<number, ServiceInstanceSpec>();
  const noteReady = async () => {
    for (const [at, spec] of instances.wanted()) {
      const found = await instances.find(at);
      if (found !== undefined && isDeepStrictEqual(found.spec, spec) && isSettled(found)) ready.set(at, spec);
    }
  };
  /**
   * What was restored adopts its instance as it is, and Service Manager shows no parameters: its user sends them
   * (docs/service-operator/troubleshooting.md).
   */
  const sendRestored = async () => {
    for (const [at, how] of instances.imported()) {
      if (how !== 'restore') continue;
      const found = await instances.find(at);
      if (found === undefined || found.metadata.deletionTimestamp !== undefined) continue;
      const status = { forceReconcile: true };
      await users.mergePatch(serviceInstances, instances.keyAt(at), { status }, { subresource: 'status' });
    }
    await wait(SETTLE_MS);
  };
  return {
    perform: async (action) => {
      await perform(action);
      await wait(10);
      if (action.of === 'process') await endOperations(serviceManager);
      await surroundings.revive();
      await noteReady();
    },
    settle: async (changesLast) => {
      await surroundings.heal();
      for (const type of ['create', 'update', 'delete'] as const) serviceManager.sync(type);
      await endOperations(serviceManager);
      await wait(SETTLE_MS);
      await sendRestored();
      await noteReady();
      if (changesLast)
        for (const name of PARAMETER_SECRETS.slice(1)) await putSecrets(name, values.get(name) === 1 ? 2 : 1);
      await endConflicts(everything, ready);
    },
    unsettled: () => unsettledOf(everything),
    world: () => worldOf(everything),
    shortest: () => [
      ...[...values].map(([name, value]) => ({ of: 'secret' as const, name, value })),
      ...[...instances.wanted()].map(([at, spec]) => ({
        of: 'instance' as const,
        user: { do: 'set' as const, at, spec },
      })),
      ...[...bindings.wanted()].map(([at, spec]) => ({
        of: 'binding' as const,
        user: { do: 'set' as const, at, spec },
      })),
    ],
    rest: () => {
      const before = network.writes.length;
      return surroundings.rest(async () => {
        await wait(SETTLE_MS);
        await compare();
        // Settled instances are observed again after ten hours. A system that writes has not settled, and would write all that time.
        if (network.writes.length === before) await wait(11 * 3_600_000);
      });
    },
    remove: async () => {
      await bindings.deleteAll();
      await instances.deleteAll();
      await wait(SETTLE_MS);
      return leftOf(everything);
    },
    violations: () => [
      ...violations,
      ...mostWrites(network.writes),
      ...(isDeepStrictEqual(foreign, theirs)
        ? []
        : [{ invariant: 'ownership' as const, what: `instances of others are ${JSON.stringify(foreign)}` }]),
    ],
    stop: () => surroundings.stop(),
  };
}

export const btpModule: CampaignModule<ServiceAction> = { name: 'service objects', action, start };

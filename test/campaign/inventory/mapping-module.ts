/** InstanceMappings of two namespaces in one HANA Cloud instance, in memory. test/integration/model has all kinds on real servers. */
import fc from 'fast-check';
import {
  type InstanceMapping,
  instanceMappingTypes,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { createDeps } from '../../../internal/base/deps.ts';
import { ProviderError } from '../../../internal/base/errors/errors.ts';
import { createFakeClock } from '../../../internal/base/time/fake-clock.ts';
import type { HanaCloud, HanaCloudClient } from '../../../internal/clients/hana-cloud/client.ts';
import { instanceMappingKind } from '../../../internal/controllers/inventory/instancemapping/instance-mapping.ts';
import { createVisibilityRecords } from '../../../internal/controllers/inventory/mapping/access/visibility-records.ts';
import { createMappingClaims } from '../../../internal/controllers/inventory/mapping/claims/mapping-claims.ts';
import { fakeHana } from '../../../internal/controllers/inventory/mapping/mapping.fixture.ts';
import { createSharedReads } from '../../../internal/kube/client/shared-reads.ts';
import { createMemoryClient } from '../../../internal/kube/fakes/memory-client.ts';
import { type ObjectKey, secrets } from '../../../internal/kube/index.ts';
import { createObjectWatcher } from '../../../internal/kube/watched-objects/object-watcher.ts';
import { reconciledManagedKind } from '../../../internal/managed/reconciled-kind.ts';
import { createStore, type Mapping, type Store } from '../../simulators/hana-cloud/store.ts';
import { type ProcessAction, processActions, userActions } from '../actions/arbitraries.ts';
import { kubernetesLink } from '../actions/kubernetes-link.ts';
import { isSettled, PAUSE, unsettledManaged } from '../actions/managed-objects.ts';
import { startManagedProcess } from '../actions/managed-process.ts';
import type { LinkOptions } from '../actions/network.ts';
import { specArbitrary } from '../actions/spec-arbitrary.ts';
import { createSurroundings } from '../actions/surroundings.ts';
import { createUserObjects, type UserAction } from '../actions/user-objects.ts';
import { mostWrites } from '../actions/write-rate.ts';
import type { CampaignModule, CampaignSystem, Violation } from '../runner/campaign-module.ts';

type MappingSpec = InstanceMapping['spec'];

const KUBERNETES = 'kubernetes';
const HANA_CLOUD = 'HANA Cloud';
const INSTANCE = 'i-1';
const PLACES: readonly ObjectKey[] = [
  { namespace: 'shop', name: 'first' },
  { namespace: 'shop', name: 'second' },
  { namespace: 'tenant', name: 'first' },
];
/** Of others, in the same instance. */
const FOREIGN: Mapping = {
  platform: 'kubernetes',
  primaryID: 'c-1',
  secondaryID: 'theirs',
  isDefault: false,
};
/** The longest backoff is a minute, and a poll another. */
const SETTLE_MS = 10 * 60_000;

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

export type MappingAction =
  | { readonly of: 'mapping'; readonly user: UserAction<MappingSpec> }
  | { readonly of: 'process'; readonly process: ProcessAction };

const action: fc.Arbitrary<MappingAction> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      of: fc.constant('mapping' as const),
      user: fc.oneof(
        { weight: 12, arbitrary: userActions(specs, PLACES.length) },
        {
          weight: 1,
          arbitrary: fc.record({
            do: fc.constant('annotate' as const),
            at: fc.nat({ max: PLACES.length - 1 }),
            annotations: fc.constantFrom(PAUSE.on, PAUSE.off),
          }),
        },
      ),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      of: fc.constant('process' as const),
      process: processActions([KUBERNETES, HANA_CLOUD]),
    }),
  },
);

const mappingAt = ({ namespace = '', name }: ObjectKey, spec: MappingSpec): InstanceMapping => ({
  apiVersion: 'inventory.hana.m.orchestrate.cloud.sap/v1alpha1',
  kind: 'InstanceMapping',
  metadata: { namespace, name },
  spec,
});

const identityOf = ({ primaryID, secondaryID }: Pick<Mapping, 'primaryID' | 'secondaryID'>): string =>
  `${primaryID}/${secondaryID ?? ''}`;

/** HANA Cloud in memory. */
const hanaOn = (store: Store): HanaCloudClient =>
  fakeHana(
    {},
    {
      listMappings: async (id) => ({ state: 'listed', mappings: store.mappings(id) }),
      createMapping: async (id, mapping, { fence }) => {
        fence?.();
        return store.addMapping(id, mapping as Mapping) ? 'created' : 'exists';
      },
      deleteMapping: async (id, key, { fence }) => {
        fence?.();
        store.removeMapping(id, key);
        return 'deleted';
      },
    },
  ).client;

/**
 * The connection to HANA Cloud, which notes operations whose target is the present state.
 *
 * @param isContested whether several resources describe the mapping: the younger may create it while the list of the older is under way
 */
const hanaLink = (
  store: Store,
  violations: Violation[],
  isContested: (identity: string) => boolean,
): LinkOptions => ({
  name: HANA_CLOUD,
  lost: () => new ProviderError('transient', 'HANA Cloud does not answer'),
  refused: (status) => new ProviderError('transient', `HANA Cloud answered ${status}`),
  writes: new Set(['createMapping', 'deleteMapping']),
  subject: (_method, [, given]) => identityOf(given as Mapping),
  onWrite: (method, [id, given], isCertain) => {
    const identity = identityOf(given as Mapping);
    const isPresent = store.mappings(String(id)).some((each) => identityOf(each) === identity);
    if (isCertain && isPresent === (method === 'createMapping') && !isContested(identity))
      violations.push({ invariant: 'commands', what: `${method} of ${identity}, which is so` });
  },
});

async function start(): Promise<CampaignSystem<MappingAction>> {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const users = client.otherProgram();
  const store = createStore();
  store.addInstance(INSTANCE);
  store.addMapping(INSTANCE, FOREIGN);
  const violations: Violation[] = [];
  const advance = (ms: number) => clock.advance(ms);
  const surroundings = createSurroundings({ clock, advance, servers: [client] });
  const { network } = surroundings;
  const credentials = {
    baseurl: 'https://api.example.org',
    uaa: { url: 'https://uaa.example.org', clientid: 'client', clientsecret: 'secret-value' },
  };
  for (const namespace of ['shop', 'tenant'])
    await users.create(secrets, {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'admin' } },
      data: { credentials: Buffer.from(JSON.stringify(credentials)).toString('base64') },
    });
  const objects = createUserObjects<InstanceMapping, MappingSpec>({
    ...{ client: users, type: instanceMappingTypes.namespaced, places: PLACES, wait: advance },
    objectOf: mappingAt,
    specOf: ({ spec }) => spec,
    accepts: (found, next) => identityOf(found.spec.forProvider) === identityOf(next.spec.forProvider),
  });
  const found = () => client.peekAll(instanceMappingTypes.namespaced);
  const isContested = (identity: string) =>
    found().filter(({ spec }) => identityOf(spec.forProvider) === identity).length > 1;
  await surroundings.start(async ({ process, fence }) => {
    const own = network.connect(process, kubernetesLink(KUBERNETES), client);
    const hana = network.connect(process, hanaLink(store, violations, isContested), hanaOn(store));
    const deps = createDeps({ clock, random: () => 0.5 });
    const reads = createSharedReads({ client: own, clock });
    const objectWatcher = createObjectWatcher({ ...deps, client: own });
    const hanaCloud: HanaCloud = {
      connect: () => hana,
      resume: () => undefined,
      reopen: () => undefined,
      limitKeysOf: () => [],
      close: async () => undefined,
    };
    const kind = instanceMappingKind({
      type: instanceMappingTypes.namespaced,
      cluster: {
        ...{ client: own, reads, objectWatcher },
        polledReads: { ...reads, versionOf: async () => undefined },
      },
      hanaCloud,
      claims: createMappingClaims(deps),
      visibility: createVisibilityRecords(),
    });
    const replica = startManagedProcess({
      ...{ clock, client: own, fence },
      kinds: (build, options) => [build(reconciledManagedKind(kind, { ...deps, client: own }), options)],
    });
    return {
      stop: async () => {
        await replica.stop();
        objectWatcher.close();
      },
    };
  });
  await advance(10);
  const mappings = () => store.mappings(INSTANCE).filter((each) => identityOf(each) !== identityOf(FOREIGN));
  /** Those that are not settled are the younger ones. */
  const endConflicts = async () => {
    const all = await Promise.all(
      [...objects.wanted().keys()].map(async (at) => ({ at, object: await objects.find(at) })),
    );
    const identities = new Set<string>();
    const defaults = new Set<string>();
    const settledFirst = all.toSorted(
      (one, other) =>
        Number(other.object !== undefined && isSettled(other.object)) -
        Number(one.object !== undefined && isSettled(one.object)),
    );
    for (const { at, object } of settledFirst) {
      if (object === undefined) continue;
      const { forProvider } = object.spec;
      const { primaryID, isDefault } = forProvider;
      if (identities.has(identityOf(forProvider))) await objects.perform({ do: 'delete', at });
      else if (isDefault && defaults.has(primaryID))
        await objects.set(at, { ...object.spec, forProvider: { ...forProvider, isDefault: false } });
      else if (isDefault) defaults.add(primaryID);
      identities.add(identityOf(forProvider));
    }
  };
  return {
    perform: async (given) => {
      if (given.of === 'mapping') await objects.perform(given.user);
      else await surroundings.perform(given.process);
      await advance(10);
      await surroundings.revive();
    },
    settle: async () => {
      await surroundings.heal();
      for (const at of PLACES.keys()) await objects.perform({ do: 'annotate', at, annotations: PAUSE.off });
      await advance(SETTLE_MS);
      await endConflicts();
      await advance(SETTLE_MS);
    },
    unsettled: () => unsettledManaged(found(), objects),
    world: () => mappings().toSorted((one, other) => (identityOf(one) < identityOf(other) ? -1 : 1)),
    shortest: () =>
      [...objects.wanted()].map(([at, spec]) => ({ of: 'mapping', user: { do: 'set', at, spec } }) as const),
    rest: async () => {
      const before = network.writes.length;
      await surroundings.restart();
      await advance(SETTLE_MS);
      return network.writes.slice(before).map(({ text }) => text);
    },
    remove: async () => {
      await objects.deleteAll();
      await advance(SETTLE_MS);
      return [
        ...unsettledManaged(found(), objects),
        ...mappings().map((each) => `mapping ${identityOf(each)} is left`),
      ];
    },
    violations: () => [
      ...violations,
      ...mostWrites(network.writes),
      ...(store.mappings(INSTANCE).some((each) => identityOf(each) === identityOf(FOREIGN))
        ? []
        : [{ invariant: 'ownership' as const, what: 'the mapping of others is gone' }]),
    ],
    stop: () => surroundings.stop(),
  };
}

export const mappingModule: CampaignModule<MappingAction> = { name: 'mappings', action, start };

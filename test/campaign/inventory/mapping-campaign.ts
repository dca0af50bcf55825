/** Mappings of one HANA Cloud instance, in memory. test/integration/model has all kinds on real servers. */
import fc from 'fast-check';
import { createDeps } from '../../../internal/framework/base/deps.ts';
import { ProviderError } from '../../../internal/framework/base/errors/errors.ts';
import { createFakeClock, type FakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import { createSharedReads, versionOf } from '../../../internal/framework/kube/client/shared-reads.ts';
import {
  createMemoryClient,
  type MemoryClient,
} from '../../../internal/framework/kube/fakes/memory-client.ts';
import type { KubeClient, ObjectKey, ResourceType } from '../../../internal/framework/kube/index.ts';
import { createObjectWatcher } from '../../../internal/framework/kube/watched-objects/object-watcher.ts';
import { precedes } from '../../../internal/framework/managed/claims/claims.ts';
import type { Managed, ManagedKind } from '../../../internal/framework/managed/index.ts';
import { reconciledManagedKind } from '../../../internal/framework/managed/reconciled-kind.ts';
import type { HanaCloud, HanaCloudClient } from '../../../internal/systems/inventory/hana-cloud/client.ts';
import { errorOfHanaCloud } from '../../../internal/systems/inventory/hana-cloud/mappings-api.ts';
import type { InputCluster } from '../../../internal/systems/inventory/input/read-input.ts';
import {
  createMappingClaims,
  type MappingClaimsIndex,
} from '../../../internal/systems/inventory/mapping/claims/mapping-claims.ts';
import { fakeHana } from '../../../internal/systems/inventory/mapping/mapping.fixture.ts';
import {
  createVisibilityRecords,
  type VisibilityRecords,
} from '../../../internal/systems/inventory/mapping/visibility-records.ts';
import { createStore, type Mapping, type Store } from '../../simulators/hana-cloud/store.ts';
import { type ProcessAction, pausingActions, processActions } from '../actions/arbitraries.ts';
import { kubernetesLink } from '../actions/kubernetes-link.ts';
import { isSettled, PAUSE, unsettledManaged } from '../actions/managed-objects.ts';
import { startManagedProcess } from '../actions/managed-process.ts';
import type { LinkOptions } from '../actions/network.ts';
import { createSurroundings } from '../actions/surroundings.ts';
import { createUserObjects, type UserAction } from '../actions/user-objects.ts';
import { mostWrites } from '../actions/write-rate.ts';
import type { CampaignModule, CampaignSystem, Violation } from '../runner/campaign-module.ts';

const KUBERNETES = 'kubernetes';
/** The cluster with the input objects of a mapping, if it is another one. */
const INPUTS = 'Kyma cluster';
const HANA_CLOUD = 'HANA Cloud';
const EXTERNAL_NAME = 'crossplane.io/external-name';
export const INSTANCE = 'i-1';
/** Of others, in the same instance. */
const FOREIGN: Mapping = {
  platform: 'kubernetes',
  primaryID: 'c-1',
  secondaryID: 'theirs',
  isDefault: false,
};
/** The longest backoff is a minute, and a poll another. */
const SETTLE_MS = 10 * 60_000;

/** Credentials of the instance, as a binding has them. */
export const CREDENTIALS = {
  baseurl: 'https://api.example.org',
  uaa: { url: 'https://uaa.example.org', clientid: 'client', clientsecret: 'secret-value' },
};

/** The mapping that a spec describes. */
export interface Described extends Pick<Mapping, 'primaryID' | 'secondaryID'> {
  readonly isDefault: boolean;
}

/** What a process has of the world. */
export interface ProcessParts {
  readonly own: InputCluster;
  readonly inputs: InputCluster;
  readonly hanaCloud: HanaCloud;
  readonly claims: MappingClaimsIndex;
  readonly visibility: VisibilityRecords;
}

/** A kind of mappings. */
export interface MappingKindOptions<R extends Managed, S> {
  readonly name: string;
  readonly type: ResourceType<R>;
  readonly places: readonly ObjectKey[];
  readonly specs: fc.Arbitrary<S>;
  readonly objectOf: (key: ObjectKey, spec: S) => R;
  readonly specOf: (object: R) => S;
  readonly describedBy: (spec: S) => Described;
  readonly withoutDefault: (spec: S) => S;
  /**
   * Whether an edit may name the mapping of another object: HANA Cloud answers the second creation then that it exists. Default false.
   */
  readonly mayBeContested?: boolean;
  /** A rule of the CRD. Default: every edit is accepted. */
  readonly accepts?: (found: R, next: R) => boolean;
  /** What others have created before. */
  readonly prepare: (clusters: { readonly own: KubeClient; readonly inputs: KubeClient }) => Promise<void>;
  readonly kindOf: (parts: ProcessParts) => ManagedKind<R>;
}

export type MappingAction<S> =
  | { readonly of: 'mapping'; readonly user: UserAction<S> }
  | { readonly of: 'process'; readonly process: ProcessAction };

export function mappingCampaign<R extends Managed, S>(
  options: MappingKindOptions<R, S>,
): CampaignModule<MappingAction<S>> {
  return { name: options.name, action: actionsOf(options), start: () => start(options) };
}

function actionsOf<R extends Managed, S>({
  specs,
  places,
}: MappingKindOptions<R, S>): fc.Arbitrary<MappingAction<S>> {
  return fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        of: fc.constant('mapping' as const),
        user: pausingActions(specs, places.length),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        of: fc.constant('process' as const),
        process: processActions([KUBERNETES, INPUTS, HANA_CLOUD]),
      }),
    },
  );
}

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

const claimantOf = ({ metadata: { uid = '', creationTimestamp: createdAt = '' } }: Managed) => ({
  uid,
  createdAt,
});

interface Owners {
  readonly violations: Violation[];
  /** Whether several resources describe the mapping: the younger may create it while the list of the older is under way. */
  isContested(identity: string): boolean;
  /** Whether a resource that is not deleted has it, as its spec says, and no older one describes it, which may take it over. */
  isWanted(mapping: Mapping): boolean;
}

/** The connection to HANA Cloud. It notes operations whose target is the present state, and deletions of what another resource has. */
const hanaLink = (store: Store, { violations, isContested, isWanted }: Owners): LinkOptions => ({
  name: HANA_CLOUD,
  lost: () => new ProviderError('transient', 'HANA Cloud does not answer'),
  refused: (status) => new ProviderError('transient', `HANA Cloud answered ${status}`),
  gateway: (response, method) =>
    errorOfHanaCloud(response, { route: method, scrub: (text) => text, nowMs: 0 }),
  writes: new Set(['createMapping', 'deleteMapping']),
  subject: (_method, [, given]) => identityOf(given as Mapping),
  onWrite: (method, [id, given], isCertain) => {
    const identity = identityOf(given as Mapping);
    const present = store.mappings(String(id)).find((each) => identityOf(each) === identity);
    const isPresent = present !== undefined;
    if (method === 'deleteMapping' && present !== undefined && isWanted(present))
      violations.push({
        invariant: 'ownership',
        what: `mapping ${identity} is deleted, and the object that has it is not`,
      });
    if (isCertain && isPresent === (method === 'createMapping') && !isContested(identity))
      violations.push({ invariant: 'commands', what: `${method} of ${identity}, which is so` });
  },
});

/** As the program has a cluster. */
const inputClusterOf = (
  client: KubeClient,
  clock: FakeClock,
): InputCluster & { readonly close: () => void } => {
  const reads = createSharedReads({ client, clock });
  const objectWatcher = createObjectWatcher({ ...createDeps({ clock, random: () => 0.5 }), client });
  // As if each namespace had many objects, without the age of a list.
  const polledReads: InputCluster['polledReads'] = {
    ...reads,
    versionOf: async (type, key, signal) => {
      try {
        return versionOf(await client.getMetadata(type, key, { signal }));
      } catch {
        return undefined;
      }
    },
  };
  return { client, reads, polledReads, objectWatcher, close: () => objectWatcher.close() };
};

async function start<R extends Managed, S>({
  type,
  places,
  objectOf,
  specOf,
  describedBy,
  withoutDefault,
  mayBeContested = false,
  accepts = () => true,
  prepare,
  kindOf,
}: MappingKindOptions<R, S>): Promise<CampaignSystem<MappingAction<S>>> {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const inputs: MemoryClient = createMemoryClient({ clock, clusterName: INPUTS });
  const users = client.otherProgram();
  const store = createStore();
  store.addInstance(INSTANCE);
  store.addMapping(INSTANCE, FOREIGN);
  const violations: Violation[] = [];
  const advance = (ms: number) => clock.advance(ms);
  const surroundings = createSurroundings({ clock, advance, servers: [client, inputs] });
  const { network } = surroundings;
  await prepare({ own: users, inputs: inputs.otherProgram() });
  const objects = createUserObjects<R, S>({
    ...{ client: users, type, places, wait: advance, objectOf, specOf, accepts, restoresEdited: false },
    isAdopted: ({ status }) => (status?.conditions ?? []).length > 0,
  });
  /** By identity: the places of the objects that have described it so far. What one of them has left may still be there. */
  const describers = new Map<string, Set<number>>();
  /** By identity. */
  const specs = new Map<string, S>();
  const noteDescribers = () => {
    for (const [at, spec] of objects.wanted()) {
      const identity = identityOf(describedBy(spec));
      specs.set(identity, spec);
      describers.set(identity, (describers.get(identity) ?? new Set()).add(at));
    }
  };
  const found = () => client.peekAll(type);
  const countDescribing = (identity: string) =>
    found().filter((each) => identityOf(describedBy(specOf(each))) === identity).length;
  const isContested = (identity: string) =>
    countDescribing(identity) > 1 || (mayBeContested && (describers.get(identity)?.size ?? 0) > 1);
  const isWanted = (mapping: Mapping) =>
    found().some((each) => {
      const described = describedBy(specOf(each));
      return (
        each.metadata.deletionTimestamp === undefined &&
        isSettled(each) &&
        identityOf(described) === identityOf(mapping) &&
        described.isDefault === mapping.isDefault &&
        !found().some(
          (other) =>
            identityOf(describedBy(specOf(other))) === identityOf(mapping) &&
            precedes(claimantOf(other), claimantOf(each)),
        )
      );
    });
  await surroundings.start(async ({ process, fence }) => {
    const own = network.connect(process, kubernetesLink(KUBERNETES), client);
    const clusters = {
      own: inputClusterOf(own, clock),
      inputs: inputClusterOf(network.connect(process, kubernetesLink(INPUTS), inputs), clock),
    };
    const owners = { violations, isContested, isWanted };
    const hana = network.connect(process, hanaLink(store, owners), hanaOn(store));
    const deps = createDeps({ clock, random: () => 0.5 });
    const hanaCloud: HanaCloud = {
      connect: () => hana,
      resume: () => undefined,
      reopen: () => undefined,
      limitKeysOf: () => [],
      close: async () => undefined,
    };
    const kind = kindOf({
      ...{ ...clusters, hanaCloud },
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
        for (const cluster of [clusters.own, clusters.inputs]) cluster.close();
      },
    };
  });
  await advance(10);
  const mappings = () => store.mappings(INSTANCE).filter((each) => identityOf(each) !== identityOf(FOREIGN));
  /**
   * An object that was copied or restored, and edited before it was reconciled, names another mapping than it describes. Its user does as
   * the message says: a copy gets a name of its own, what was restored describes its mapping again.
   */
  const correctNames = async () => {
    for (const [at, how] of objects.imported()) {
      const object = await objects.find(at);
      if (object === undefined || isSettled(object)) continue;
      const name = object.metadata.annotations?.[EXTERNAL_NAME];
      const spec = how === 'restore' ? specs.get(name?.replace(`${INSTANCE}/`, '') ?? '') : undefined;
      if (spec !== undefined) await objects.set(at, spec);
      else await objects.perform({ do: 'annotate', at, annotations: { [EXTERNAL_NAME]: null } });
    }
  };
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
      const described = describedBy(specOf(object));
      const { primaryID, isDefault } = described;
      if (identities.has(identityOf(described))) await objects.perform({ do: 'delete', at });
      else if (isDefault && defaults.has(primaryID)) await objects.set(at, withoutDefault(specOf(object)));
      else if (isDefault) defaults.add(primaryID);
      identities.add(identityOf(described));
    }
  };
  return {
    perform: async (given) => {
      if (given.of === 'mapping') {
        await objects.perform(given.user);
        noteDescribers();
      } else await surroundings.perform(given.process);
      await advance(10);
      await surroundings.revive();
    },
    settle: async () => {
      await surroundings.heal();
      for (const at of places.keys()) await objects.perform({ do: 'annotate', at, annotations: PAUSE.off });
      await advance(SETTLE_MS);
      await correctNames();
      await advance(SETTLE_MS);
      await endConflicts();
      await advance(SETTLE_MS);
    },
    unsettled: () => unsettledManaged(found(), objects),
    world: () => mappings().toSorted((one, other) => (identityOf(one) < identityOf(other) ? -1 : 1)),
    shortest: () =>
      [...objects.wanted()].map(([at, spec]) => ({ of: 'mapping', user: { do: 'set', at, spec } }) as const),
    rest: () => surroundings.rest(() => advance(SETTLE_MS)),
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

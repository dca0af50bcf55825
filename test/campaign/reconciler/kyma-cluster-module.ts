/** KymaClusters of two namespaces in the inventory of one mothership, where others have registered clusters too. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import {
  type KymaCluster,
  kymaClusterTypes,
} from '../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import { createDeps } from '../../../internal/framework/base/deps.ts';
import { ProviderError } from '../../../internal/framework/base/errors/errors.ts';
import { createFakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../../internal/framework/kube/fakes/memory-client.ts';
import { secrets } from '../../../internal/framework/kube/index.ts';
import { annotationExternalName } from '../../../internal/framework/managed/index.ts';
import { reconciledManagedKind } from '../../../internal/framework/managed/reconciled-kind.ts';
import { ownerRecord } from '../../../internal/framework/ownership/ownership.ts';
import {
  type ClusterDocument,
  errorOfMothership,
} from '../../../internal/systems/reconciler/client/mothership-client.ts';
import { createMothershipTokens } from '../../../internal/systems/reconciler/client/oauth-tokens.ts';
import { ownerOf, runtimeIDOf } from '../../../internal/systems/reconciler/kyma-cluster/document.ts';
import {
  createFakeMothership,
  type FakeMothership,
} from '../../../internal/systems/reconciler/kyma-cluster/fake-mothership.fixture.ts';
import { readKubeconfig } from '../../../internal/systems/reconciler/kyma-cluster/kubeconfig.ts';
import { fakeCluster } from '../../../internal/systems/reconciler/kyma-cluster/kyma-cluster.fixture.ts';
import {
  createExternalClient,
  isOwnerGone,
  kymaClusterKind,
} from '../../../internal/systems/reconciler/kyma-cluster/kyma-cluster.ts';
import { type ProcessAction, pausingActions, processActions } from '../actions/arbitraries.ts';
import { kubernetesLink } from '../actions/kubernetes-link.ts';
import { PAUSE, unsettledManaged } from '../actions/managed-objects.ts';
import { startManagedProcess } from '../actions/managed-process.ts';
import type { LinkOptions } from '../actions/network.ts';
import { createSurroundings } from '../actions/surroundings.ts';
import { createUserObjects, type UserAction } from '../actions/user-objects.ts';
import { mostWrites } from '../actions/write-rate.ts';
import type { CampaignModule, CampaignSystem, Violation } from '../runner/campaign-module.ts';
import {
  FOREIGN,
  type KymaClusterSpec,
  kymaClusterAt,
  kymaClusterSpecs,
  PLACES,
} from './kyma-cluster-specs.ts';

const KUBERNETES = 'kubernetes';
const MOTHERSHIP = 'mothership';

export type KymaClusterAction =
  | { readonly of: 'cluster'; readonly user: UserAction<KymaClusterSpec> }
  | { readonly of: 'process'; readonly process: ProcessAction }
  | { readonly of: 'kubeconfig'; readonly value: string }
  /** A run of the mothership over the cluster. */
  | { readonly of: 'run'; readonly runtimeID: string; readonly status: 'reconciling' | 'error' };

const action: fc.Arbitrary<KymaClusterAction> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      of: fc.constant('cluster' as const),
      user: pausingActions(kymaClusterSpecs, PLACES.length),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      of: fc.constant('process' as const),
      process: processActions([KUBERNETES, MOTHERSHIP]),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ of: fc.constant('kubeconfig' as const), value: fc.constantFrom('one', 'two') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      of: fc.constant('run' as const),
      runtimeID: fc.constantFrom('r-1', 'r-2'),
      status: fc.constantFrom('reconciling' as const, 'error' as const),
    }),
  },
);

const STEP_MS = 20_000;
/** The longest backoff is a minute, and a poll another. */
const SETTLE_MS = 10 * 60_000;

/** What the mothership does alone: runs end, and clusters are deleted. */
function endRuns({ clusters, becomes }: FakeMothership): void {
  for (const [runtimeID, { status }] of clusters)
    if (status === 'delete_pending') clusters.delete(runtimeID);
    else if (status !== 'ready') becomes(runtimeID, 'ready');
}

interface Owners {
  readonly violations: Violation[];
  /** Whether the object that has registered the cluster is wanted. */
  isWanted(registered: ClusterDocument | undefined): boolean;
  /** Whether several objects have the id: each registers its own content then. */
  isContested(runtimeID: string): boolean;
}

/** The connection to the mothership. It notes registrations that change nothing, and deletions of what another object has. */
const mothershipLink = (
  { clusters }: FakeMothership,
  { violations, isWanted, isContested }: Owners,
): LinkOptions => ({
  name: MOTHERSHIP,
  lost: () => new ProviderError('transient', 'the mothership does not answer'),
  refused: (status) => new ProviderError('transient', `the mothership answered ${status}`),
  gateway: (response, method) =>
    errorOfMothership(response, { route: method, scrub: (text) => text, nowMs: 0 }),
  writes: new Set(['putCluster', 'deleteCluster']),
  subject: (_method, [given]) => (typeof given === 'string' ? given : (given as ClusterDocument).runtimeID),
  onWrite: (method, [given], isCertain) => {
    if (method === 'deleteCluster') {
      const { document } = clusters.get(String(given)) ?? {};
      if (isWanted(document))
        violations.push({
          invariant: 'ownership',
          what: `cluster ${given} is deleted, and ${document?.runtimeInput?.name} is not`,
        });
      return;
    }
    const document = given as ClusterDocument;
    const { document: present, status } = clusters.get(document.runtimeID) ?? {};
    const isSame = status !== 'delete_pending' && isDeepStrictEqual(present, document);
    if (isSame && isCertain && !isContested(document.runtimeID))
      violations.push({
        invariant: 'commands',
        what: `cluster ${document.runtimeID} is registered as it is`,
      });
  },
});

async function start(): Promise<CampaignSystem<KymaClusterAction>> {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const users = client.otherProgram();
  const mothership = createFakeMothership();
  const violations: Violation[] = [];
  const advance = async (ms: number) => {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await clock.advance(Math.min(left, STEP_MS));
      if (ms >= STEP_MS) endRuns(mothership);
    }
  };
  const surroundings = createSurroundings({ clock, advance, servers: [client] });
  const { network } = surroundings;
  let kubeconfig = 'one';
  const putKubeconfigs = async (value: string) => {
    kubeconfig = value;
    const data = { config: Buffer.from(`kubeconfig: ${value}`).toString('base64') };
    for (const namespace of ['team', 'tenant']) {
      const key = { namespace, name: 'kubeconfig' };
      if (client.peek(secrets, key)) await users.mergePatch(secrets, key, { data });
      else await users.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: key, data });
    }
  };
  await putKubeconfigs(kubeconfig);
  const theirs: ClusterDocument = {
    runtimeID: FOREIGN,
    runtimeInput: { name: 'elsewhere/foreign', description: '' },
    kymaConfig: { version: '1.0', profile: '', administrators: [], components: [] },
    metadata: {},
  } as unknown as ClusterDocument;
  await mothership.client.putCluster(theirs, { signal: new AbortController().signal });
  const objects = createUserObjects<KymaCluster, KymaClusterSpec>({
    ...{ client: users, type: kymaClusterTypes.namespaced, places: PLACES, wait: advance },
    objectOf: kymaClusterAt,
    specOf: ({ spec }) => spec,
    accepts: (found, next) => found.spec.forProvider.runtimeID === next.spec.forProvider.runtimeID,
    // Else the id is the uid, which the restored object does not have.
    isNamed: ({ spec, metadata }) =>
      spec.forProvider.runtimeID !== undefined ||
      metadata.annotations?.[annotationExternalName] !== undefined,
  });
  /** Those that users want, as they are stored. */
  const present = () =>
    client
      .peekAll(kymaClusterTypes.namespaced)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  // Several may have one id and one name; the record of the owner has a uid.
  const isWanted: Owners['isWanted'] = (registered) =>
    present().some(
      (cluster) =>
        runtimeIDOf(cluster) === registered?.runtimeID &&
        registered.runtimeInput?.description?.endsWith(ownerRecord(ownerOf(cluster))),
    );
  const isContested = (runtimeID: string) =>
    client.peekAll(kymaClusterTypes.namespaced).filter((each) => runtimeIDOf(each) === runtimeID).length > 1;
  const deps = createDeps({ clock, random: () => 0.5 });
  await surroundings.start(async ({ process, fence }) => {
    const own = network.connect(process, kubernetesLink(KUBERNETES), client);
    const called = network.connect(
      process,
      mothershipLink(mothership, { violations, isWanted, isContested }),
      mothership.client,
    );
    const parts = { client: own, cluster: fakeCluster };
    const kind = kymaClusterKind({
      ...{ ...parts, scope: 'namespaced', deps, env: {}, flags: { allowPrivateEndpoints: false } },
      ...{ readOnly: false, tokens: createMothershipTokens(deps) },
    });
    const connector = {
      connect: async (resource: KymaCluster, { signal }: { readonly signal: AbortSignal }) =>
        createExternalClient(
          called,
          () => readKubeconfig(parts, resource, signal),
          (owner) => isOwnerGone(own, owner, signal),
        ),
    };
    return startManagedProcess({
      ...{ clock, client: own, fence },
      kinds: (build, options) => [
        build(reconciledManagedKind({ ...kind, connector }, { ...deps, client: own }), options),
      ],
    });
  });
  await advance(10);
  let performed = 0;
  /** One of them, since a registration has all content. */
  const changeLast = async () => {
    if (performed % 2 === 0) return putKubeconfigs(kubeconfig === 'one' ? 'two' : 'one');
    for (const [at, { forProvider, ...spec }] of objects.wanted()) {
      const version = forProvider.version === '1.0' ? '2.0' : '1.0';
      await objects.set(at, { ...spec, forProvider: { ...forProvider, version } });
    }
  };
  const perform = async (given: KymaClusterAction) => {
    performed++;
    switch (given.of) {
      case 'cluster':
        return objects.perform(given.user);
      case 'process':
        return surroundings.perform(given.process);
      case 'kubeconfig':
        return putKubeconfigs(given.value);
      case 'run':
        if (mothership.clusters.get(given.runtimeID)?.status === 'ready')
          mothership.becomes(given.runtimeID, given.status);
        return;
      default:
        return given satisfies never;
    }
  };
  const registered = () =>
    [...mothership.clusters.values()].filter(({ document }) => document.runtimeID !== FOREIGN);
  return {
    perform: async (given) => {
      await perform(given);
      await advance(10);
      await surroundings.revive();
    },
    settle: async (changesLast) => {
      await surroundings.heal();
      for (const at of PLACES.keys()) await objects.perform({ do: 'annotate', at, annotations: PAUSE.off });
      await advance(SETTLE_MS);
      // The id of an object is in its spec, or in an annotation that was copied.
      const taken = new Set<string>([FOREIGN]);
      for (const at of PLACES.keys()) {
        const found = await objects.find(at);
        if (found === undefined) continue;
        const id = runtimeIDOf(found);
        if (taken.has(id)) await objects.perform({ do: 'delete', at });
        taken.add(id);
      }
      if (changesLast) await changeLast();
      await advance(SETTLE_MS);
    },
    unsettled: () => unsettledManaged(client.peekAll(kymaClusterTypes.namespaced), objects),
    world: () => ({
      clusters: registered()
        .map(({ document: { runtimeID: _, ...document } }) => ({
          ...document,
          // The record of the owner ends with its uid, which is another one in each system.
          runtimeInput: { name: document.runtimeInput?.name },
        }))
        // Several may have one name.
        .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
    }),
    shortest: () => [
      { of: 'kubeconfig', value: kubeconfig } as const,
      ...[...objects.wanted()].map(
        ([at, spec]) => ({ of: 'cluster', user: { do: 'set', at, spec } }) as const,
      ),
    ],
    rest: () => surroundings.rest(() => advance(SETTLE_MS)),
    remove: async () => {
      await objects.deleteAll();
      await advance(SETTLE_MS);
      return [
        ...unsettledManaged(client.peekAll(kymaClusterTypes.namespaced), objects),
        ...registered().map(({ document }) => `cluster ${document.runtimeInput?.name} is left`),
      ];
    },
    violations: () => [
      ...violations,
      ...mostWrites(network.writes),
      ...(isDeepStrictEqual(mothership.clusters.get(FOREIGN)?.document, theirs)
        ? []
        : [{ invariant: 'ownership' as const, what: 'the cluster of others was changed' }]),
    ],
    stop: () => surroundings.stop(),
  };
}

export const kymaClusterModule: CampaignModule<KymaClusterAction> = { name: 'KymaClusters', action, start };

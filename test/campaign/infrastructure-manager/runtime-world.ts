/** What Runtimes, Shoots, clusters and Secrets should be like at the end. */
import { type Shoot, shoots } from '../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  type RuntimeSpec,
  runtimes,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { MemoryClient } from '../../../internal/framework/kube/fakes/memory-client.ts';
import { configMaps, keyOf, keyString, secrets } from '../../../internal/framework/kube/index.ts';
import { canonicalValue } from '../../../internal/systems/infrastructure-manager/gardener/canonical-value.ts';
import {
  clusterRoleBindings,
  openIdConnectType,
} from '../../../internal/systems/infrastructure-manager/runtime/cluster/access.ts';
import type { SimulatedGardener } from '../../simulators/gardener/simulated-gardener.ts';
import type { UserObjects } from '../actions/user-objects.ts';

export interface RuntimeWorld {
  readonly client: MemoryClient;
  readonly gardener: SimulatedGardener;
  /** By the name of the Shoot. */
  readonly clusters: ReadonlyMap<string, MemoryClient>;
  readonly objects: UserObjects<Runtime, RuntimeSpec>;
}

export const isReady = ({ status }: Runtime): boolean =>
  status?.state === 'Ready' && (status.conditions ?? []).every((condition) => condition.status === 'True');

export function unsettledOf({ client, objects }: RuntimeWorld): readonly string[] {
  const wanted = new Set([...objects.wanted().keys()].map((at) => keyString(objects.keyAt(at))));
  const found = client.peekAll(runtimes);
  const names = new Set(found.map((runtime) => keyString(keyOf(runtime))));
  return [
    ...found.flatMap((runtime) => {
      const name = `Runtime ${keyString(keyOf(runtime))}`;
      if (!wanted.has(keyString(keyOf(runtime)))) return [`${name} is not gone: ${shown(runtime)}`];
      return isReady(runtime) ? [] : [`${name} is not ready: ${shown(runtime)}`];
    }),
    ...[...wanted].filter((name) => !names.has(name)).map((name) => `Runtime ${name} is gone`),
  ];
}

const shown = ({ status }: Runtime): string =>
  [
    status?.state,
    ...(status?.conditions ?? [])
      .filter((condition) => condition.status !== 'True')
      .map(({ type, reason, message }) => `${type} ${reason} ${message}`),
  ].join('; ');

/** What Gardener writes, and when something was last done. */
const VOLATILE = [
  'shoot.gardener.cloud/tasks',
  'confirmation.gardener.cloud/deletion',
  'deletion.gardener.cloud/confirmed-by',
  'infrastructuremanager.kyma-project.io/runtime-generation',
  // With the generation.
  'infrastructuremanager.kyma-project.io/applied-fields',
];
/** Gardener sets them, and the simulation keeps those of what is no more. */
const OF_EXTENSIONS = '.extensions.gardener.cloud/';

export function worldOf({ client, gardener, clusters }: RuntimeWorld): unknown {
  const found = gardener.client.peekAll(shoots);
  return {
    shoots: Object.fromEntries(found.map((shoot) => [shoot.metadata.name, contentOf(shoot)])),
    authentication: gardener.client
      .peekAll(configMaps)
      .filter(({ metadata }) => !metadata.name.endsWith('.ca-cluster'))
      .map(({ metadata, data }) => [metadata.name, data]),
    clusters: Object.fromEntries(found.map(({ metadata: { name } }) => [name, accessOf(clusters.get(name))])),
    gardenerClusters: client.peekAll(gardenerClusters).map(({ metadata, spec }) => ({
      name: metadata.name,
      labels: metadata.labels,
      spec,
    })),
    secrets: client.peekAll(secrets).map(({ metadata, data = {} }) => [metadata.name, Object.keys(data)]),
  };
}

function contentOf({ metadata: { labels = {}, annotations = {} }, spec }: Shoot): unknown {
  const lasting = Object.entries(annotations).filter(([name]) => !VOLATILE.includes(name));
  const own = Object.entries(labels).filter(([name]) => !name.includes(OF_EXTENSIONS));
  const metadata = { labels: Object.fromEntries(own), annotations: Object.fromEntries(lasting) };
  // Gardener does the same for an extension that is disabled and for none.
  // Their order is that in which they came.
  const extensions = spec?.extensions
    ?.filter(({ disabled }) => disabled !== true)
    .sort((one, other) => (one.type < other.type ? -1 : 1));
  // Durations may have other forms.
  const canonical = canonicalValue({ ...spec, extensions }, 'spec', '');
  return withoutEmpty(JSON.parse(JSON.stringify({ ...metadata, spec: canonical })));
}

/** Go leaves out what is empty. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const filled = Object.entries(value)
    .map(([name, member]) => [name, withoutEmpty(member)] as const)
    .filter(([, member]) => member !== '' && !isEmptyObject(member));
  return Object.fromEntries(filled);
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

function accessOf(cluster: MemoryClient | undefined): unknown {
  const administrators = cluster
    ?.peekAll(clusterRoleBindings)
    .flatMap(({ subjects = [] }) => subjects.map(({ name }) => name))
    .sort();
  const providers = cluster
    ?.peekAll(openIdConnectType)
    .map(({ spec }) => spec)
    .sort((one, other) => ((one?.issuerURL ?? '') < (other?.issuerURL ?? '') ? -1 : 1));
  return { administrators, providers };
}

export function leftOf(world: RuntimeWorld): readonly string[] {
  const { client, gardener } = world;
  const left = [
    ...gardener.client.peekAll(shoots),
    ...client.peekAll(gardenerClusters),
    ...client.peekAll(secrets),
    ...gardener.client.peekAll(configMaps),
  ];
  return [
    ...unsettledOf(world),
    ...left.map((object) => `${object.kind} ${keyString(keyOf(object))} is left`),
  ];
}

/**
 * Gardener in memory: its API server, as far as the infrastructure manager can notice, with a gardenlet. The table of cases in
 * test/contract/gardener runs against it and against the real gardener-apiserver.
 */
import { type AdminKubeconfigRequest, type Shoot, seeds, shoots } from '../../../apis/gardener/kinds.ts';
import type { Clock } from '../../../internal/framework/base/time/clock.ts';
import { formatTimestamp } from '../../../internal/framework/base/time/formats.ts';
import {
  createMemoryClient,
  type MemoryClient,
} from '../../../internal/framework/kube/fakes/memory-client.ts';
import { groupResource, type ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import { PROVIDERS, type ProviderType } from '../../environment/gardener/catalog.ts';
import { DEFAULT_DOMAIN, readySeedStatus, seed } from '../../environment/gardener/landscape.ts';
import { type Gardenlet, type ShootApiServer, startGardenlet } from './gardenlet/gardenlet.ts';
import { createShootAuthority, type IssuingShootAuthority } from './gardenlet/shoot-authority.ts';
import { configMaps, GARDENER_KINDS } from './kinds.ts';
import { adminKubeconfig } from './rules/admin-kubeconfig.ts';
import { shootAdmission } from './rules/admission.ts';
import { shootStructure } from './rules/structure.ts';

export interface SimulatedGardenerOptions {
  readonly clock: Clock;
  /** Without `garden-`; default `kyma`. */
  readonly project?: string;
  /** The user of all requests; default `infrastructure-manager`. */
  readonly user?: string;
  /** The user in the kubeconfigs of a Shoot; default: that of the requests. */
  readonly userOf?: (shoot: Shoot) => string;
  /** Whether Shoots may name only regions, zones, versions, machines and so on of the landscape of tests; default false. */
  readonly catalog?: boolean;
  /** Milliseconds between the stages of an operation; default 0. Infinity: by `gardenlet.step` only. */
  readonly stageMs?: number;
  /** Seeds, as provider and region; default: one in eu-central-1 for aws, and one for each other provider. */
  readonly seeds?: readonly { readonly type: ProviderType; readonly region: string }[];
  /** Default: a server that does not exist. */
  readonly apiServerOf?: (shoot: Shoot) => ShootApiServer;
  /** The most that adminkubeconfig grants, in seconds; default a day, as Gardener's. */
  readonly maxKubeconfigSeconds?: number;
  /** Events of a kind that are kept for watches; default 20,000. Fewer for thousands of Shoots. */
  readonly maxEvents?: number;
}

export interface SimulatedGardener {
  /** As the infrastructure manager has it. */
  readonly client: MemoryClient;
  readonly gardenlet: Gardenlet;
  readonly authority: IssuingShootAuthority;
  readonly project: string;
  /** Of the project. */
  readonly namespace: string;
  /** Resolves when no certificate is being signed, which takes real time: a test with a fake clock waits for it. */
  signed(): Promise<void>;
  /** What the gardenlet could not do. A test should find none. */
  readonly errors: readonly unknown[];
  stop(): Promise<void>;
}

const DEFAULT_SEEDS: readonly { readonly type: ProviderType; readonly region: string }[] = [
  { type: 'aws', region: 'eu-central-1' },
  { type: 'azure', region: 'westeurope' },
  { type: 'gcp', region: 'europe-west3' },
  { type: 'openstack', region: 'eu-de-1' },
];

const isShoots = (type: ResourceType): boolean => groupResource(type) === groupResource(shoots);

/** Of all in this process, since its key takes a tenth of a second of processor time. */
let shootAuthority: Promise<IssuingShootAuthority> | undefined;

export async function startSimulatedGardener(options: SimulatedGardenerOptions): Promise<SimulatedGardener> {
  const {
    clock,
    project = 'kyma',
    user = 'infrastructure-manager',
    maxKubeconfigSeconds = 86_400,
    catalog = false,
  } = options;
  const namespace = `garden-${project}`;
  shootAuthority ??= createShootAuthority();
  const authority = await shootAuthority;
  const admission = shootAdmission({ project, user, defaultDomain: DEFAULT_DOMAIN, catalog });
  const client = createMemoryClient({
    clock,
    clusterName: 'cluster gardener',
    kinds: GARDENER_KINDS,
    ...(options.maxEvents === undefined ? {} : { maxEvents: options.maxEvents }),
    structure: (type) => (isShoots(type) ? shootStructure : undefined),
    admission: (type) => (isShoots(type) ? admission : undefined),
  });
  for (const { type, region } of options.seeds ?? DEFAULT_SEEDS)
    client.seed(seeds, { ...seed(type, region), status: readySeedStatus(formatTimestamp(client.now())) });
  const signing = new Set<Promise<unknown>>();
  client.onSubresource(shoots, 'adminkubeconfig', (key, body, refuse) => {
    const shoot = client.peek(shoots, key);
    if (shoot === undefined) return refuse(404, 'NotFound', 'not found');
    const clusterAuthorityOf = ({ metadata: { name } }: Shoot) =>
      client.peek(configMaps, { namespace, name: `${name}.ca-cluster` })?.data?.['ca.crt'];
    const issuing = {
      authority,
      user: options.userOf?.(shoot) ?? user,
      now: client.now,
      maxSeconds: () => maxKubeconfigSeconds,
      clusterAuthorityOf,
    };
    const answer = adminKubeconfig(shoot, body as AdminKubeconfigRequest, issuing, refuse);
    signing.add(answer);
    return answer.finally(() => signing.delete(answer));
  });
  const signed = async () => void (await Promise.allSettled(signing));
  const errors: unknown[] = [];
  const own = client.otherProgram();
  const gardenlet = startGardenlet({
    client: own,
    // The memory client has one subresource with a body of its own, the status.
    bind: async (shoot, seedName) => {
      const { name } = shoot.metadata;
      await own.mergePatch(shoots, { namespace, name }, { spec: { seedName } });
    },
    clock,
    project,
    authority,
    seedOf: ({ spec }) =>
      PROVIDERS.includes(spec?.provider.type as ProviderType)
        ? client.peekAll(seeds).find((found) => found.spec?.provider.type === spec?.provider.type)?.metadata
            .name
        : undefined,
    ...(options.apiServerOf === undefined ? {} : { apiServerOf: options.apiServerOf }),
    ...(options.stageMs === undefined ? {} : { stageMs: options.stageMs }),
    report: (error) => void errors.push(error),
  });
  return { client, gardenlet, authority, project, namespace, errors, signed, stop: gardenlet.stop };
}

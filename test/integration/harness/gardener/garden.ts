import { randomBytes } from 'node:crypto';
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import {
  accessControlPlane,
  type ControlPlaneAccess,
} from '../../../../hack/control-planes/access/access.ts';
import { systemClock } from '../../../../internal/framework/base/time/clock.ts';
import type { RestClient } from '../../../../internal/framework/kube/client/rest-client.ts';
import { type ForeignCopies, placeForeignCopies } from '../../../environment/foreign-copies.ts';
import { installProject, SEEDS } from '../../../environment/gardener/install-landscape.ts';
import {
  type Gardenlet,
  type ShootApiServer,
  startGardenlet,
} from '../../../simulators/gardener/gardenlet/gardenlet.ts';
import {
  createShootAuthority,
  type IssuingShootAuthority,
} from '../../../simulators/gardener/gardenlet/shoot-authority.ts';
import { connect } from '../../kube/connect.ts';
import { gardenerObjects } from '../foreign-copies.ts';
import { gardenAddress } from './garden-service.ts';

/**
 * The garden that all test files of a run share: a real gardener-apiserver. The first file that asks for it waits for its
 * start, of five to twenty seconds. Each test has a project of its own.
 */
export async function sharedGarden(): Promise<ControlPlaneAccess> {
  return accessControlPlane(await gardenAddress());
}

export interface GardenProject {
  /** Without `garden-`. Names of Shoots have at most twelve characters beside it. */
  readonly project: string;
  readonly namespace: string;
  /** An administrator of the garden. */
  readonly client: RestClient;
  /** Handles the Shoots of this project. */
  readonly gardenlet: Gardenlet;
  readonly authority: IssuingShootAuthority;
  /** What the gardenlet could not do. A test should find none. */
  readonly errors: readonly unknown[];
  /** Beside the objects of the program: copies of another owner, which it must not touch. */
  readonly copies: Pick<ForeignCopies, 'isCopy' | 'count'>;
  /** @throws if such a copy was changed or deleted */
  stop(): Promise<void>;
}

export interface GardenProjectOptions {
  /** Milliseconds between the stages of an operation; default 0. */
  readonly stageMs?: number;
  readonly apiServerOf?: (shoot: Shoot) => ShootApiServer;
}

/** A project of a test's own with a gardenlet. Stop it. */
export async function openProject(
  garden: ControlPlaneAccess,
  options: GardenProjectOptions = {},
): Promise<GardenProject> {
  const project = `p${randomBytes(4).toString('hex')}`;
  const namespace = `garden-${project}`;
  const [authority] = await Promise.all([createShootAuthority(), installProject(garden, project)]);
  const client = connect(garden.kubeconfig);
  const errors: unknown[] = [];
  const copies = placeForeignCopies({ client, kinds: gardenerObjects(namespace) });
  const gardenlet = startGardenlet({
    client,
    bind: (shoot, seedName) => bind(garden, shoot, seedName),
    clock: systemClock,
    project,
    authority,
    // Nobody else writes them.
    handles: ({ metadata }) => !copies.isCopy(metadata.name),
    seedOf: ({ spec }) => {
      const found = SEEDS.find(({ type }) => type === spec?.provider.type);
      return found && `${found.type}-${found.region}`;
    },
    ...options,
    report: (error) => void errors.push(error),
  });
  return {
    ...{ project, namespace, client, gardenlet, authority, errors, copies },
    stop: async () => {
      try {
        await gardenlet.stop();
        await copies.stop();
      } finally {
        await client.close();
      }
    },
  };
}

/** As Gardener's scheduler does it. */
async function bind(garden: ControlPlaneAccess, shoot: Shoot, seedName: string): Promise<void> {
  const { namespace, name } = shoot.metadata;
  const { group, version, plural } = shoots;
  const { status, body } = await garden.request(
    `/apis/${group}/${version}/namespaces/${namespace}/${plural}/${name}/binding`,
    { method: 'PUT', body: { ...shoot, spec: { ...shoot.spec, seedName } } },
  );
  if (status !== 200) throw new Error(`cannot bind Shoot ${name} to ${seedName}: ${JSON.stringify(body)}`);
}

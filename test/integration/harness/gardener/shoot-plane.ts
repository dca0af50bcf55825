import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES } from '../../../../hack/control-planes/access/access.ts';
import { type ControlPlane, startControlPlane } from '../../../../hack/control-planes/control-plane.ts';
import type { ForeignCopies } from '../../../environment/foreign-copies.ts';
import { openIdConnectCrd } from '../../../environment/gardener/open-id-connect-crd.ts';
import { registryCacheCrds } from '../../../environment/gardener/registry-cache-crds.ts';
import { installCrds } from '../../../environment/install-crds.ts';
import type { ShootApiServer } from '../../../simulators/gardener/gardenlet/gardenlet.ts';
import { accessObjects, placeCopiesOn } from '../foreign-copies.ts';
import { type GardenProject, type GardenProjectOptions, openProject, sharedGarden } from './garden.ts';

export interface ProjectWithClusters {
  readonly project: GardenProject;
  /** The cluster of all Shoots of the project: a real API server, which accepts the kubeconfigs that Gardener issues. */
  readonly shootPlane: ControlPlane;
  /** Beside what the program creates in the cluster. */
  readonly copies: Pick<ForeignCopies, 'isCopy'>;
  /** @throws if a copy of another owner was changed or deleted */
  stop(): Promise<void>;
}

export interface ProjectWithClustersOptions extends Omit<GardenProjectOptions, 'apiServerOf'> {
  /** What Gardener gives as the address of the API server; default: its own. */
  readonly before?: (shootPlane: ControlPlane) => Promise<ShootApiServer>;
}

const serverOf = async ({ server, directory }: ControlPlane): Promise<ShootApiServer> => ({
  url: server,
  ca: await readFile(join(directory, FILES.authority), 'utf8'),
});

/** A project of a test's own whose Shoots have an API server. Stop it. */
export async function openProjectWithClusters({
  before = serverOf,
  ...options
}: ProjectWithClustersOptions = {}): Promise<ProjectWithClusters> {
  let server: ShootApiServer | undefined;
  const project = await openProject(await sharedGarden(), {
    ...options,
    apiServerOf: () => {
      if (server === undefined) throw new Error('the cluster of Shoots has not started');
      return server;
    },
  });
  const shootPlane = await startControlPlane({
    name: 'shoot',
    clientAuthorities: [project.authority.certificate],
  });
  await installCrds(shootPlane, [openIdConnectCrd, ...registryCacheCrds]);
  server = await before(shootPlane);
  const copies = placeCopiesOn(shootPlane, accessObjects);
  return {
    project,
    shootPlane,
    copies,
    stop: async () => {
      try {
        await copies.stop();
      } finally {
        await project.stop().finally(() => shootPlane.stop());
      }
    },
  };
}

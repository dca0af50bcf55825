/** The module infrastructure-manager as users run it: the program, with the rights of its manifest and its flags. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import {
  type Runtime,
  runtimes,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import { namespaces } from '../../../internal/framework/kube/object/resource-type.ts';
import { pool, runtimeOf, zonesOf } from '../../contract/gardener/rendering/choices.ts';
import { writeConverterFiles } from '../../contract/gardener/rendering/converter-files.ts';
import { eventually } from '../../environment/eventually.ts';
import { infrastructureManagerCrds, installCrds } from '../../environment/install-crds.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { kubeconfigSecrets, placeCopiesOn } from '../harness/foreign-copies.ts';
import { type GardenProject, openProject, sharedGarden } from '../harness/gardener/garden.ts';
import type { ProjectWithClusters } from '../harness/gardener/shoot-plane.ts';
import { type ProviderProcess, providerProcesses } from '../harness/provider/provider-process.ts';

/** Of the Runtimes. */
export const NAMESPACE = 'kcp-system';
const ACCOUNT = `system:serviceaccount:${NAMESPACE}:infrastructure-manager`;

export interface ModuleEnvironment {
  readonly plane: ControlPlane;
  readonly garden: ControlPlaneAccess;
  readonly project: GardenProject;
  readonly objects: Objects;
  /** With the files that the flags name. */
  readonly folder: string;
  /** The flags of a Deployment of the Kyma infrastructure manager, with changes. */
  flags(change?: Readonly<Record<string, string>>): string[];
  /**
   * Starts the program.
   *
   * @param kubeconfigs of the control plane, default: with the rights of the manifest; and of Gardener
   */
  start(kubeconfigs: { readonly management?: string; readonly garden: string }): Promise<ProviderProcess>;
  /** A Runtime with one worker pool. */
  create(name: string, namespace?: string): Promise<void>;
  /** `state status reason` of the condition Provisioned. */
  provisioned(name: string, namespace?: string): Promise<string>;
  completed(name: string, reason?: string): Promise<void>;
  /** @throws if a copy of a Secret was changed or deleted */
  stop(): Promise<void>;
}

export interface ModuleEnvironmentOptions {
  /**
   * The project whose Shoots have a cluster, which is the control plane of the Runtimes too; default: a project whose Shoots have
   * none, so that no Runtime gets Ready, and a control plane of the environment's own. The caller stops it after the environment.
   */
  readonly clusters?: ProjectWithClusters;
  /** Flags, other than those of a Deployment of the Kyma infrastructure manager. */
  readonly flags?: Readonly<Record<string, string>>;
}

export async function startModuleEnvironment({
  clusters,
  flags: ownFlags = {},
}: ModuleEnvironmentOptions = {}): Promise<ModuleEnvironment> {
  const state = clusters === undefined ? 'Pending' : 'Ready';
  const folder = await mkdtemp(join(tmpdir(), 'kyma-infrastructure-'));
  const file = (each: string) => join(folder, each);
  const garden = await sharedGarden();
  const [plane, project] =
    clusters === undefined
      ? await Promise.all([startControlPlane({ name: 'kcp' }), openProject(garden)])
      : [clusters.shootPlane, clusters.project];
  const objects = objectsOf(plane);
  await objects.apply(namespaces, namespaceManifest(NAMESPACE));
  await installCrds(plane, await infrastructureManagerCrds());
  await applyRights(objects);
  await writeConverterFiles(folder, project.project);
  const copies = placeCopiesOn(plane, kubeconfigSecrets);
  const processes = await providerProcesses('');
  const flags: ModuleEnvironment['flags'] = (change = {}) =>
    Object.entries({
      'gardener-kubeconfig-path': file('garden.kubeconfig'),
      'gardener-project-name': project.project,
      'converter-config-filepath': file('converter.json'),
      'gardener-request-timeout': '10s',
      'audit-log-mandatory': 'false',
      'leader-elect': 'false',
      ...ownFlags,
      ...change,
    }).map(([flag, value]) => `--${flag}=${value}`);
  const zones = zonesOf('aws').slice(0, 1);
  const provisioned: ModuleEnvironment['provisioned'] = async (runtime, namespace = NAMESPACE) => {
    const { status } = await objects.get(runtimes, { namespace, name: runtime });
    const condition = status?.conditions?.find(({ type }) => type === 'Provisioned');
    return `${status?.state} ${condition?.status} ${condition?.reason}`;
  };
  return {
    plane,
    garden,
    project,
    objects,
    folder,
    flags,
    start: async (kubeconfigs) => {
      await writeFile(file('garden.kubeconfig'), kubeconfigs.garden);
      return processes.start({
        kubeconfig: kubeconfigs.management ?? (await plane.addUser({ name: ACCOUNT })),
        args: ['--controllers=infrastructure-manager', ...flags()],
      });
    },
    create: async (runtime, namespace = NAMESPACE) => {
      const { metadata, ...rest } = runtimeOf('aws', runtime, [pool('aws', zones)]);
      await objects.apply(runtimes, { ...rest, metadata: { ...metadata, namespace } } as Runtime);
    },
    provisioned,
    completed: (runtime, reason = 'ShootCreationCompleted') =>
      eventually(async () => expect(await provisioned(runtime)).toBe(`${state} True ${reason}`), {
        timeoutMs: 60_000,
      }),
    stop: async () => {
      await processes.stop();
      await rm(folder, { recursive: true, force: true });
      try {
        await copies.stop();
      } finally {
        if (clusters === undefined) await project.stop().finally(() => plane.stop());
      }
    },
  };
}

async function applyRights(objects: Objects): Promise<void> {
  const manifest = new URL('../../../package/infrastructure-manager/chart/files/rbac.yaml', import.meta.url);
  for (const document of parseAllDocuments(await readFile(manifest, 'utf8'))) {
    const object = document.toJS() as KubeObject;
    const [group = '', version = ''] = object.apiVersion.includes('/')
      ? object.apiVersion.split('/')
      : ['', object.apiVersion];
    const plural = `${object.kind.toLowerCase()}s`;
    const namespaced = object.metadata.namespace !== undefined;
    await objects.apply({ group, version, kind: object.kind, plural, namespaced }, object);
  }
}

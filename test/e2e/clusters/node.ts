import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFiles } from '../../../hack/bundle/bundle.ts';
import {
  CROSSPLANE_IMAGE,
  CROSSPLANE_VERSION,
  ensureCrossplane,
} from '../../../hack/crossplane/crossplane.ts';
import { ensureFunction, findFunction } from '../../../hack/crossplane/functions.ts';
import { ensureHelm } from '../../../hack/helm/helm.ts';
import { type KubernetesNode, startNode } from '../../../hack/node/node.ts';
import { ensurePrograms } from '../../../hack/node/programs/ensure-programs.ts';
import { imageName } from '../../../hack/node/registry/node-images.ts';
import { requireMachine } from '../../../hack/node/requirements.ts';
import { NODE_NAME, REGISTRY } from '../../../hack/node/settings.ts';
import { writeDockerArchive } from '../../../hack/xpkg/images/docker-archive.ts';
import { type ContainerImage, createLayer, extendImage } from '../../../hack/xpkg/images/image.ts';
import { readOciLayout } from '../../../hack/xpkg/images/oci-layout.ts';
import { ownProgram } from '../../../hack/xpkg/own-program.ts';
import { runtimeImage } from '../../../hack/xpkg/runtime-image.ts';
import { tool } from '../../environment/tool.ts';
import { nodeBaseImage } from '../../integration/harness/provider/node-base-image.ts';
import { addArgoCd } from './node-argocd.ts';
import { postgresImage } from './postgres-image.ts';
import { rewriteRegistry } from './rewrite-registry.ts';
import { DEFAULT_CROSSPLANE, POSTGRES_IMAGE, type TestCluster } from './test-cluster.ts';

const ROOT = join(import.meta.dirname, '../../..');
const BUNDLE = join(ROOT, 'dist/provider-kyma.mjs');
const PACKAGE = 'registry.example.org/e2e/provider-kyma';

export interface NodeClusterOptions {
  readonly report: (line: string) => void;
  /** Nothing is downloaded or built: functions that are in no cache cannot be had. Default false. */
  readonly cachedOnly?: boolean;
  /** Default: startNode. */
  readonly start?: typeof startNode;
}

/** A node without Docker and without the internet (hack/node): needs root on Linux. */
export function nodeCluster({
  report,
  cachedOnly = false,
  start = startNode,
}: NodeClusterOptions): TestCluster {
  let node: KubernetesNode | undefined;
  let bin: string | undefined;
  let volumes: string | undefined;
  let base: Promise<ContainerImage> | undefined;
  const running = (): KubernetesNode => {
    if (node === undefined) throw new Error('the node is not started');
    return node;
  };
  const rewrite = (host: string) => rewriteRegistry(host, `${REGISTRY}/${host}`);
  const publish = async (reference: string, images: readonly ContainerImage[]) =>
    running().images.publish(imageName(reference), images);

  return {
    name: 'node',
    prepare: async () => {
      await requireMachine();
      const { kubectl } = await ensurePrograms({ report });
      const helm = await ensureHelm({ report });
      await ensureCrossplane({ report });
      bin = await mkdtemp(join(tmpdir(), 'kyma-bin-'));
      await symlink(kubectl, join(bin, 'kubectl'));
      await symlink(helm, join(bin, 'helm'));
      process.env.PATH = `${bin}:${process.env.PATH}`;
      // Nothing of it stays in the home folder.
      process.env.KUBECACHEDIR = join(bin, 'cache');
    },
    start: async () => {
      node = await start({ name: 'node', report });
      process.env.KUBECONFIG = node.kubeconfigPath;
    },
    kubeconfig: async () => running().kubeconfig,
    crossplaneChart: async (range) => {
      if (range !== DEFAULT_CROSSPLANE)
        throw new Error(`the node has Crossplane ${CROSSPLANE_VERSION}, not ${range}`);
      const { image, chart } = await ensureCrossplane({ report });
      await publish(CROSSPLANE_IMAGE, await readOciLayout(image));
      return [chart, '--set', `image.tag=v${CROSSPLANE_VERSION}`];
    },
    addProgram: async (image, folder) => {
      base ??= nodeBaseImage();
      const files = await readdir(folder, { recursive: true, withFileTypes: true });
      const members = await Promise.all(
        files
          .filter((file) => file.isFile())
          .map(async ({ parentPath, name }) => {
            const path = join(parentPath, name);
            return { name: `app${path.slice(folder.length)}`, bytes: await readFile(path) };
          }),
      );
      const layer = await createLayer(members, { createdBy: image });
      const program = extendImage(await base, [layer], (config) => ({
        ...config,
        User: '65532:65532',
        Entrypoint: ['/nodejs/bin/node', '/app/main.mjs'],
      }));
      await publish(image, [program]);
    },
    addPackage: async ({ directory, version, root = ROOT, reference = `${PACKAGE}:v${version}` }) => {
      base ??= nodeBaseImage();
      const archive = join(directory, 'base.tar');
      await mkdir(directory, { recursive: true });
      await writeFile(archive, await writeDockerArchive(await base));
      const build = ['--base-image', archive, '--version', version, '--output', directory];
      await tool(process.execPath, ['hack/xpkg/main.ts', ...build], { cwd: root });
      await publish(reference, await readOciLayout(join(directory, 'oci')));
      await rewrite(imageName(reference).host);
      return reference;
    },
    addRuntimeImage: async (reference) => {
      base ??= nodeBaseImage();
      await publish(reference, [await runtimeImage(await base, await ownProgram(await bundleFiles(BUNDLE)))]);
    },
    addPostgres: async () => publish(POSTGRES_IMAGE, [await postgresImage()]),
    addVolume: async () => {
      volumes ??= await mkdtemp(join(tmpdir(), 'kyma-volumes-'));
      await tool('kubectl', ['create', '--filename', '-'], {
        input: JSON.stringify(localVolume(await mkdtemp(join(volumes, 'volume-')))),
      });
    },
    addFunction: async (reference) => {
      if (cachedOnly && (await findFunction(reference)) === undefined) {
        throw new Error(`${reference} is in no cache; \`make e2e ARGS='--on node'\` provides it`);
      }
      await publish(reference, await ensureFunction(reference, { report }));
      await rewrite(imageName(reference).host);
    },
    addArgoCd: async (wanted) => {
      if (cachedOnly) throw new Error("Argo CD is part of `make e2e ARGS='--on node'`");
      return addArgoCd(wanted, { publish, report });
    },
    isolatePods: () => running().isolatePods(),
    stop: async () => {
      await node?.stop();
      for (const folder of [bin, volumes]) {
        if (folder !== undefined) await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** A PersistentVolume in a folder of this machine. */
const localVolume = (path: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { generateName: 'volume-' },
  spec: {
    capacity: { storage: '2Gi' },
    accessModes: ['ReadWriteOnce'],
    local: { path },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [NODE_NAME] }] },
        ],
      },
    },
  },
});

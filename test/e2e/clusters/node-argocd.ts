/**
 * Argo CD in pods of a node, with an OCI repository in the node's registry: the node has no git server, and the image of
 * Argo CD no git.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ARGOCD_VERSION, type ArgoCd, ensureArgoCd } from '../../../hack/argocd/argocd.ts';
import { programImage } from '../../../hack/node/registry/program-image.ts';
import { REGISTRY } from '../../../hack/node/settings.ts';
import { type ContainerImage, createLayer, extendImage } from '../../../hack/xpkg/images/image.ts';
import {
  type KubernetesDocument,
  parseDocuments,
  readDocuments,
} from '../../../hack/xpkg/kubernetes-documents.ts';
import { listOf } from '../../environment/manifests.ts';
import { nodeManifests, PROGRAM } from './argocd-manifests.ts';
import type { ArgoCdInstallation, ArgoCdWanted } from './test-cluster.ts';

const ROOT = join(import.meta.dirname, '../../..');
const REPOSITORY = 'registry.example.org/e2e/manifests';
const REVISION = 'v1';
/** Of Argo CD's own image. */
const USER = '999';

export interface NodeRegistry {
  readonly publish: (reference: string, images: readonly ContainerImage[]) => Promise<void>;
  readonly report: (line: string) => void;
}

/** @throws if it cannot be had, or another version or repository is asked for */
export async function addArgoCd(
  { version = `v${ARGOCD_VERSION}`, repository, folder, directory }: ArgoCdWanted,
  { publish, report }: NodeRegistry,
): Promise<ArgoCdInstallation> {
  if (version !== `v${ARGOCD_VERSION}`)
    throw new Error(`the node has Argo CD v${ARGOCD_VERSION}, not ${version}`);
  if (repository !== undefined) throw new Error(`the node has no way to ${repository.url}`);
  const argocd = await ensureArgoCd({ report });
  const documents = parseDocuments(argocd.manifests, await readFile(argocd.manifests, 'utf8'));
  const { objects, images } = nodeManifests(documents.map(({ content }) => content));
  await publish(images.argocd, [await argoCdImage(argocd)]);
  await publish(images.redis, [await redisImage(argocd)]);
  await publish(`${REPOSITORY}:${REVISION}`, [await folderImage(folder)]);
  const manifests = join(directory, 'argocd.json');
  await mkdir(directory, { recursive: true });
  await writeFile(manifests, listOf(objects));
  const repoURL = `oci://${REGISTRY}/${REPOSITORY}`;
  return {
    manifests,
    source: { repoURL, targetRevision: REVISION, path: '.' },
    objects: [repositorySecret(repoURL)],
  };
}

/** Without git, Helm and GnuPG. */
const argoCdImage = ({ program }: ArgoCd): Promise<ContainerImage> =>
  programImage({
    path: PROGRAM,
    file: program,
    config: { User: USER, Env: ['PATH=/usr/local/bin', 'HOME=/home/argocd', 'ARGOCD_GPG_ENABLED=false'] },
  });

const redisImage = ({ redis }: ArgoCd): Promise<ContainerImage> =>
  programImage({ path: '/redis', file: redis, config: { User: USER } });

/** The files of a folder as one layer, as Argo CD reads it. It runs nothing. */
async function folderImage(folder: string): Promise<ContainerImage> {
  const files = new Set(
    (await readDocuments(ROOT, `${folder}/**/*.yaml`)).map(({ path }: KubernetesDocument) => path),
  );
  const members = [...files].map(async (path) => ({
    name: relative(folder, path),
    bytes: await readFile(join(ROOT, path)),
  }));
  const layer = await createLayer(await Promise.all(members), { createdBy: folder });
  const empty = { architecture: '', os: '', config: {}, rootfs: { type: 'layers', diff_ids: [] } } as const;
  return extendImage({ config: empty, layers: [] }, [layer], (config) => config);
}

/** That the registry is spoken to by plain HTTP. */
const repositorySecret = (url: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'e2e-repository', labels: { 'argocd.argoproj.io/secret-type': 'repository' } },
  stringData: { type: 'oci', name: 'e2e', url, insecureOCIForceHttp: 'true' },
});

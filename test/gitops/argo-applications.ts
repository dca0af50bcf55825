/** The Applications of examples/argocd, and the objects that each of them syncs. */
import { glob } from 'node:fs/promises';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { exampleManifests } from './example-manifests.ts';

export interface Application extends KubeObject {
  readonly kind: 'Application';
  readonly spec: {
    readonly source: { readonly path: string };
    readonly destination: { readonly namespace?: string };
    readonly syncPolicy?: {
      readonly syncOptions?: readonly string[];
      readonly retry?: { readonly limit?: number; readonly refresh?: boolean };
    };
  };
}

const folder = new URL('../../examples/argocd/', import.meta.url);

export async function argoApplications(): Promise<Application[]> {
  const objects = await manifestsOf('**/*.yaml');
  return objects.filter((object): object is Application => object.kind === 'Application');
}

/** Empty where the source of the Application is no folder of examples/argocd. */
export async function syncedObjects({ spec }: Application): Promise<KubeObject[]> {
  return manifestsOf(`${spec.source.path}/*.yaml`);
}

async function manifestsOf(pattern: string): Promise<KubeObject[]> {
  const paths: string[] = [];
  for await (const path of glob(pattern, { cwd: folder })) paths.push(path);
  const manifests = await Promise.all(paths.sort().map((path) => exampleManifests(`argocd/${path}`)));
  return manifests.flat();
}

/** Argo CD applies waves in ascending order and deletes them in descending order. */
export const syncWaveOf = ({ metadata }: KubeObject): number =>
  Number(metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? 0);

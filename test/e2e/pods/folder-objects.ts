import { readDocuments } from '../../../hack/xpkg/kubernetes-documents.ts';
import { tool } from '../../environment/tool.ts';
import { applyManifests } from './apply-manifests.ts';
import { ROOT } from './pods-options.ts';

/** An object of an example. */
export interface ExampleObject {
  /** Of its file, relative to the repository. */
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly content: unknown;
}

/** All objects of a folder of examples; none if it is not there. */
export async function folderObjects(folder: string): Promise<ExampleObject[]> {
  const documents = await readDocuments(ROOT, `examples/${folder}/**/*.yaml`).catch(() => []);
  return documents.map(({ path, apiVersion, kind, name, content }) => {
    const { metadata } = content as { metadata?: { namespace?: string } };
    return { path, apiVersion, kind, name, namespace: metadata?.namespace, content };
  });
}

/** As `kubectl apply --server-side` does, including the namespaces. */
export async function applyObjects(objects: readonly ExampleObject[]): Promise<void> {
  const needed = new Set(objects.flatMap(({ namespace }) => (namespace === undefined ? [] : [namespace])));
  const namespaces = [...needed].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  await applyManifests([...namespaces, ...objects.map(({ content }) => content)]);
}

/** Waits for a condition of each. */
export async function waitForObjects(objects: readonly ExampleObject[], condition: string): Promise<void> {
  for (const object of objects) {
    await tool('kubectl', ['wait', ...naming(object), `--for=condition=${condition}`, '--timeout=10m']);
  }
}

/** Deletes each and waits until it is gone. */
export async function deleteObjects(objects: readonly ExampleObject[]): Promise<void> {
  for (const object of objects) await tool('kubectl', ['delete', ...naming(object), '--timeout=10m']);
}

/** How kubectl names an object, unmistakably: `teamdatabase.v1alpha1.platform.example.org/orders`. */
function naming({ apiVersion, kind, name, namespace }: ExampleObject): string[] {
  const [group, version] = apiVersion.split('/');
  const type = version === undefined ? kind.toLowerCase() : `${kind.toLowerCase()}.${version}.${group}`;
  return [`${type}/${name}`, ...(namespace === undefined ? [] : [`--namespace=${namespace}`])];
}

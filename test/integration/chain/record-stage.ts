/** With RECORD=1, what Crossplane observes at stages of the chain is recorded, for `make render-compositions`. */
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import {
  kymaRuntime,
  readObjects,
  recordObserved,
  renderedPath,
  type Stage,
} from '../../compositions/stages.ts';
import { asRecorded } from '../../gitops/recorded-objects.ts';
import type { ChainEnvironment } from './chain-environment.ts';
import { composedTypes } from './kinds.ts';

const partOf = ({ metadata }: KubeObject) =>
  metadata.annotations?.['crossplane.io/composition-resource-name'] ?? '';

/** The composed resources, in the order of their names in the Composition. */
async function composedResources(
  { objects }: Pick<ChainEnvironment, 'objects'>,
  namespace: string,
): Promise<KubeObject[]> {
  const found = await Promise.all(composedTypes.map((type) => objects.list(type, namespace)));
  return found
    .flat()
    .filter((object) => partOf(object) !== '')
    .sort((a, b) => (partOf(a) < partOf(b) ? -1 : 1));
}

/** @param names of this run, and their names in the record */
export async function recordStage(
  environment: Pick<ChainEnvironment, 'objects'>,
  stage: Exclude<Stage, 'composed'>,
  names: Readonly<Record<string, string>>,
): Promise<void> {
  if (process.env.RECORD !== '1') return;
  const { name } = kymaRuntime;
  const [composite, first] = await readObjects(renderedPath(name, 'composed'));
  const owner = first?.metadata.ownerReferences?.[0]?.uid ?? '';
  const composed = await composedResources(environment, composite?.metadata.namespace ?? '');
  const recorded = composed.map((object) => {
    const [{ uid = '' } = {}] = object.metadata.ownerReferences ?? [];
    const found = withoutVolatile(asRecorded(object, { ...names, [uid]: owner }));
    const { labels = {} } = object.metadata;
    return { ...found, metadata: { ...found.metadata, labels } };
  });
  await recordObserved(kymaRuntime, stage, recorded);
}

interface WithManifest extends KubeObject {
  readonly status?: { readonly atProvider?: { readonly manifest?: KubeObject } };
}

/** Without what the API server of the runtime adds to an object that provider-kubernetes shows. */
function withoutVolatile(object: WithManifest): KubeObject {
  const { manifest, ...atProvider } = object.status?.atProvider ?? {};
  if (manifest === undefined) return object;
  const { managedFields: _m, uid: _u, resourceVersion: _r, ...metadata } = manifest.metadata;
  const status = { ...object.status, atProvider: { ...atProvider, manifest: { ...manifest, metadata } } };
  return { ...object, status } as KubeObject;
}

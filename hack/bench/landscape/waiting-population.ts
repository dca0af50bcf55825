import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { namespaces } from '../../../internal/kube/resource-type.ts';
import { namespaceManifest } from '../../../test/landscape/manifests.ts';
import { inParallel, range } from '../measure/in-parallel.ts';
import type { Landscape } from './landscape.ts';
import type { Labelled } from './population.ts';
import {
  mappingOf,
  put,
  putBinding,
  putClusterID,
  putInstance,
  putKubeconfig,
  putSecret,
  setInstanceReady,
  sourceOf,
} from './sources.ts';

const KINDS = ['instance', 'binding', 'secret', 'config'] as const;
type SourceKind = (typeof KINDS)[number];

/** A mapping with four sources of its own, of which one is not there yet. */
export interface WaitingMapping {
  readonly name: string;
  /** Makes the source that is missing, by a single write. */
  bring(): Promise<void>;
}

export interface WaitingPopulation extends Labelled {
  readonly mappings: readonly WaitingMapping[];
}

/** Those of one namespace share the watches that wait for their sources. */
const PER_NAMESPACE = 10;

/** Makes mappings that lack one source each, the four kinds by turns, and all that they do not lack. */
export async function createWaiting(
  landscape: Landscape,
  id: string,
  count: number,
): Promise<WaitingPopulation> {
  const { management, kyma } = landscape;
  const namespaceOf = (index: number) => `${id}-${Math.floor(index / PER_NAMESPACE)}`;
  const all = new Set(range(count).map(namespaceOf));
  await inParallel([...all], (name) => put(kyma, namespaces, namespaceManifest(name)));
  await putKubeconfig(landscape, id);
  const mappings = await inParallel(range(count), async (index): Promise<WaitingMapping> => {
    const namespace = namespaceOf(index);
    const name = `${id}-${index}`;
    const place = { namespace, name };
    const source = await sourceOf(landscape, place, `i-${namespace}`);
    const make: Readonly<Record<SourceKind, () => Promise<unknown>>> = {
      // What is missing is that it is ready: it takes two writes to make a ready instance out of nothing.
      instance: () => setInstanceReady(kyma, source),
      binding: () => putBinding(kyma, source),
      secret: () => putSecret(kyma, source),
      config: () => putClusterID(kyma, place, id),
    };
    const lacks = KINDS[index % KINDS.length] ?? 'instance';
    await putInstance(kyma, source);
    await Promise.all(KINDS.filter((kind) => kind !== lacks).map((kind) => make[kind]()));
    const mapping = mappingOf({ name, label: id, source: place, kubeconfig: id, clusterID: place });
    await put(management, kymaInstanceMappings, mapping);
    return {
      name,
      bring: async () => {
        await make[lacks]();
      },
    };
  });
  return { label: id, mappings };
}

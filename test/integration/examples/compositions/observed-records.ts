/**
 * The composed resources that the functions get as observed: what the provider leaves. With RECORD=1 they are recorded,
 * for `make render-compositions`; otherwise they must equal the records.
 */
import { expect } from '@jest/globals';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import {
  type CompositionExample,
  observedPath,
  readObjects,
  recordObserved,
  renderedPath,
  type Stage,
} from '../../../compositions/stages.ts';
import { eventually } from '../../../environment/eventually.ts';
import { asRecorded } from '../../../gitops/recorded-objects.ts';

/** What is rendered of what this run observes comes after it. */
export const recording = process.env.RECORD === '1';

export interface Observed {
  readonly objects: readonly KubeObject[];
  /** Names of this run, and their names in the records. The UID of the composite resource needs no entry. */
  readonly names?: Readonly<Record<string, string>>;
}

/** @param observe reads the objects; called until they equal the record */
export async function expectObserved(
  example: CompositionExample,
  stage: Exclude<Stage, 'composed'>,
  observe: () => Promise<Observed>,
): Promise<void> {
  const { name } = example;
  const [, first] = await readObjects(renderedPath(name, 'composed'));
  const ownerUID = first?.metadata.ownerReferences?.[0]?.uid ?? '';
  const now = async () => {
    const { objects, names = {} } = await observe();
    return objects.map((object) => {
      const [owner] = object.metadata.ownerReferences ?? [];
      const recorded = asRecorded(object, { ...names, ...(owner ? { [owner.uid]: ownerUID } : {}) });
      const { labels = {} } = object.metadata;
      return { ...recorded, metadata: { ...recorded.metadata, labels } };
    });
  };
  if (recording) await recordObserved(example, stage, await now());
  const recorded = await readObjects(observedPath(name, stage));
  await eventually(async () => expect(await now()).toEqual(recorded));
}

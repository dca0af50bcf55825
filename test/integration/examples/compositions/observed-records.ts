/**
 * The composed resources that the functions get as observed: what the provider leaves. With RECORD=1 they are recorded,
 * for `make render-compositions`; otherwise they must equal the records.
 */
import { writeFile } from 'node:fs/promises';
import { expect } from '@jest/globals';
import { stringify } from 'yaml';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import { observedPath, readObjects, renderedPath, type Stage } from '../../../compositions/stages.ts';
import { eventually } from '../../../environment/eventually.ts';
import { asRecorded } from '../../../gitops/recorded-objects.ts';

/** What is rendered of what this run observes comes after it. */
export const recording = process.env.RECORD === '1';

const root = new URL('../../../../', import.meta.url);

export interface Observed {
  readonly objects: readonly KubeObject[];
  /** Names of this run, and their names in the records. The UID of the composite resource needs no entry. */
  readonly names?: Readonly<Record<string, string>>;
}

/** @param observe reads the objects; called until they equal the record */
export async function expectObserved(
  { name }: { readonly name: string },
  stage: Exclude<Stage, 'composed'>,
  observe: () => Promise<Observed>,
): Promise<void> {
  const path = observedPath(name, stage);
  const [, first] = await readObjects(renderedPath(name, 'composed'));
  const ownerUID = first?.metadata.ownerReferences?.[0]?.uid ?? '';
  const now = async () => {
    const { objects, names = {} } = await observe();
    return objects.map((object) => {
      const [owner] = object.metadata.ownerReferences ?? [];
      const recorded = asRecorded(object, { ...names, ...(owner ? { [owner.uid]: ownerUID } : {}) });
      return { ...recorded, metadata: { ...recorded.metadata, labels: object.metadata.labels } };
    });
  };
  if (recording) {
    const text = (await now()).map((object) => stringify(object, { lineWidth: 0 })).join('---\n');
    await writeFile(new URL(path, root), `# Recorded by \`make render-compositions\`. Do not edit.\n${text}`);
  }
  const recorded = await readObjects(path);
  await eventually(async () => expect(await now()).toEqual(recorded));
}

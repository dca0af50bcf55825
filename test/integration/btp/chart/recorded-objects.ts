/** What the chart renders with each of the files in `values`. */
import { writeFile } from 'node:fs/promises';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import { readRecord, recordText } from '../../../environment/object-records.ts';

export const RECORDED_VALUES = ['default', 'namespaced', 'gardener'] as const;

export type RecordedValues = (typeof RECORDED_VALUES)[number];

const fileOf = (values: RecordedValues) => new URL(`recorded/${values}.yaml`, import.meta.url);
const idOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.namespace ?? ''} ${metadata.name}`;

export const sorted = (objects: readonly KubeObject[]) =>
  objects.toSorted((a, b) => idOf(a).localeCompare(idOf(b), 'en'));

export const recordedObjects = (values: RecordedValues) => readRecord(fileOf(values));

export async function recordObjects(values: RecordedValues, objects: readonly KubeObject[]): Promise<void> {
  const before = values === 'default' ? undefined : 'default.yaml';
  await writeFile(fileOf(values), await recordText(fileOf(values), objects, before));
}

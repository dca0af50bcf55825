/** What the chart renders with each of the files in `values`. */
import { readFile, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';

export const RECORDED_VALUES = ['default', 'namespaced', 'gardener'] as const;

export type RecordedValues = (typeof RECORDED_VALUES)[number];

const fileOf = (values: RecordedValues) => new URL(`recorded/${values}.yaml`, import.meta.url);
const idOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.namespace ?? ''} ${metadata.name}`;

export const sorted = (objects: readonly KubeObject[]) =>
  objects.toSorted((a, b) => idOf(a).localeCompare(idOf(b), 'en'));

const documentsOf = async (values: RecordedValues): Promise<KubeObject[]> =>
  parseAllDocuments(await readFile(fileOf(values), 'utf8')).map((document) => document.toJS());

/** Other files than `default.yaml` have what differs from it: first the objects that are absent, then those that are new or changed. */
export async function recordedObjects(values: RecordedValues): Promise<KubeObject[]> {
  const [first, ...others] = await documentsOf(values);
  if (values === 'default' || first === undefined) return documentsOf('default');
  const { absent } = first as KubeObject & { absent: readonly string[] };
  const replaced = new Set([...absent, ...others.map(idOf)]);
  const same = (await documentsOf('default')).filter((object) => !replaced.has(idOf(object)));
  return sorted([...same, ...others]);
}

export async function recordObjects(values: RecordedValues, objects: readonly KubeObject[]): Promise<void> {
  const standard = values === 'default' ? [] : await documentsOf('default');
  const ids = new Set(objects.map(idOf));
  const absent = standard.map(idOf).filter((id) => !ids.has(id));
  const others = objects.filter((object) => !standard.some((known) => isDeepStrictEqual(known, object)));
  const documents = values === 'default' ? objects : [{ absent }, ...others];
  await writeFile(fileOf(values), documents.map((document) => stringify(document)).join('---\n'));
}

/**
 * Managed resources in each of their phases, as a real control plane stored them while the provider ran. `make
 * record-objects` takes them anew (test/integration/examples/gitops).
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { withoutShardOwner } from '../../internal/framework/controller/sharding/shard-ownership.ts';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import type { Managed } from '../../internal/framework/managed/resource/managed.ts';
import type { Phase } from './phases.ts';

export type RecordedObjects = Readonly<Partial<Record<Phase, Managed>>>;

export const RECORDED_KINDS = [
  'kymainstancemapping-cluster',
  'kymainstancemapping-namespaced',
  'instancemapping-cluster',
  'instancemapping-namespaced',
] as const;

export type RecordedKind = (typeof RECORDED_KINDS)[number];

const fileOf = (kind: RecordedKind) =>
  new URL(`recorded-objects/${kind.replace(/-.*/, '')}.yaml`, import.meta.url);

/** Objects of the scope of the cluster are those of namespaces with another group: their phases and conditions are the same. */
export async function readRecordedObjects(kind: RecordedKind): Promise<RecordedObjects> {
  const text = await readFile(fileOf(kind), 'utf8');
  return parse(
    kind.endsWith('-cluster') ? text.replaceAll(/^( {2}apiVersion: inventory\.hana)\.m\./gm, '$1.') : text,
  );
}

/** Those of namespaces are stored. */
export async function writeRecordedObjects(kind: RecordedKind, objects: RecordedObjects): Promise<void> {
  if (kind.endsWith('-cluster')) return;
  const comment = '# Recorded from a real control plane by `make record-objects`. Do not edit.\n';
  await writeFile(fileOf(kind), comment + stringify(objects, { lineWidth: 0, aliasDuplicateObjects: false }));
}

/** Fields of statuses of service objects whose values differ between runs, and say nothing to others. */
const DIGESTS: ReadonlySet<string> = new Set(['viewer', 'acceptedSpec', 'instanceData']);

/**
 * The object without what differs between runs and providers, such as selectors.
 *
 * @param names names of this run, and their names in the records
 */
export function asRecorded<T extends KubeObject>(object: T, names: Readonly<Record<string, string>>): T {
  const {
    managedFields,
    uid = '',
    resourceVersion,
    labels,
    ...metadata
  } = withoutShardOwner(object).metadata;
  let text = JSON.stringify({ ...object, metadata });
  // The intent to create names the object by its UID.
  if (uid !== '') text = text.replaceAll(uid, 'uid');
  for (const [name, recorded] of Object.entries(names)) text = text.replaceAll(name, recorded);
  return JSON.parse(
    text
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '2026-01-01T00:00:00Z')
      // A keyed hash of credentials.
      .replace(/(\/seen-by":"[^"]*\/)[^"/]*"/g, '$1fingerprint"')
      .replace(/(127\.0\.0\.1|localhost):\d+/g, 'cluster.example.org:443'),
    (field, value) => (DIGESTS.has(field) ? undefined : value),
  );
}

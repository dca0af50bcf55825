/**
 * A managed resource in each of its phases, as a real control plane stored it while the provider ran: what GitOps tools read of it.
 * `make record-objects` takes it anew (test/integration/examples/gitops), from all kinds, which are alike in this.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { withoutShardOwner } from '../../internal/framework/controller/reconcile/shard-ownership.ts';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { apiVersionOf } from '../../internal/framework/kube/object/resource-type.ts';
import type { Managed } from '../../internal/framework/managed/resource/managed.ts';
import { annotationPaused } from '../../internal/framework/managed/resource/meta.ts';
import { instanceMappingTypes } from '../../internal/systems/inventory/instancemapping/resource.ts';
import { kymaInstanceMappingTypes } from '../../internal/systems/inventory/kymainstancemapping/resource.ts';
import type { Phase } from './phases.ts';

export type RecordedObjects = Readonly<Partial<Record<Phase, Managed>>>;

const TYPES = {
  'kymainstancemapping-cluster': kymaInstanceMappingTypes.cluster,
  'kymainstancemapping-namespaced': kymaInstanceMappingTypes.namespaced,
  'instancemapping-cluster': instanceMappingTypes.cluster,
  'instancemapping-namespaced': instanceMappingTypes.namespaced,
} as const;

export type RecordedKind = keyof typeof TYPES;

export const RECORDED_KINDS = Object.keys(TYPES) as readonly RecordedKind[];

const FILE = new URL('recorded-objects.yaml', import.meta.url);

export async function readRecordedObjects(kind: RecordedKind): Promise<RecordedObjects> {
  const type = TYPES[kind];
  const objects: Readonly<Record<string, KubeObject>> = parse(await readFile(FILE, 'utf8'));
  return Object.fromEntries(
    Object.entries(objects).map(([phase, object]) => [
      phase,
      { ...object, apiVersion: apiVersionOf(type), kind: type.kind },
    ]),
  );
}

/** @param objects of one kind */
export async function writeRecordedObjects(objects: RecordedObjects): Promise<void> {
  const comment = '# Recorded from a real control plane by `make record-objects`. Do not edit.\n';
  const read = Object.entries(objects).map(([phase, object]) => [phase, readByTools(object)]);
  await writeFile(
    FILE,
    comment + stringify(Object.fromEntries(read), { lineWidth: 0, aliasDuplicateObjects: false }),
  );
}

/** An object without what no tool reads. */
function readByTools({ metadata, spec, status }: Managed): object {
  const { name, generation, deletionTimestamp, annotations } = metadata;
  const paused = annotations?.[annotationPaused];
  return {
    metadata: {
      ...{ name, generation, deletionTimestamp },
      ...(paused === undefined ? {} : { annotations: { [annotationPaused]: paused } }),
    },
    spec: { managementPolicies: spec.managementPolicies },
    ...(status === undefined
      ? {}
      : { status: { conditions: status.conditions, observedGeneration: status.observedGeneration } }),
  };
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

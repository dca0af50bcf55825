import { type Breather, createBreather } from '../../../../framework/base/concurrency/breather.ts';
import { type Deps, ProviderError, sleep, valueAt } from '../../../../framework/base/index.ts';
import { inParts, type PartWork } from '../../../../framework/base/json/in-parts.ts';
import { maxNesting, tooDeep } from '../../../../framework/base/json/json-value.ts';
import type { KubeObject, ResourceType } from '../../../../framework/kube/index.ts';
import type { Kinds, Manifest, ManifestObject } from '../model/component.ts';
import { KindsUnknownError } from '../model/kinds-unknown-error.ts';
import { isCrd, isNamespace } from './known-types.ts';
import { groupOf, identityOf, nameOf, type PreparedObject } from './prepared-object.ts';

export interface PrepareOptions extends Pick<Deps, 'clock'> {
  readonly kinds: Pick<Kinds, 'find' | 'forget'>;
  /** Of namespaced objects without one. */
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** Discoveries before a kind counts as unknown; the delay between them doubles from 1 s. Default 5. */
  readonly tries?: number;
}

const TRIES = 5;
const DELAY_MS = 1000;

/** The cluster does not serve kinds of a manifest. It may later: their CRDs can belong to another component. */
class UnknownKindError extends ProviderError {
  constructor(objects: readonly ManifestObject[]) {
    const names = objects.map(
      ({ object, source }) => `${nameOf(object)} of ${object.apiVersion} in ${source}`,
    );
    super('transient', `the cluster does not serve the kinds of ${names.join(', ')}`);
  }
}

/**
 * The objects of the manifest with their kinds, as copies; and those of kinds that the cluster does not serve.
 *
 * @throws KindsUnknownError
 */
export async function resolveManifest(
  manifest: Manifest,
  options: PrepareOptions,
): Promise<{ readonly prepared: readonly PreparedObject[]; readonly unknown: readonly ManifestObject[] }> {
  const { kinds, namespace, signal } = options;
  const own = kindsOfCrds(manifest);
  const unknown: ManifestObject[] = [];
  const prepared: PreparedObject[] = [];
  const found = new Map<string, ResourceType | undefined>();
  const breathe = createBreather(options.clock);
  for (const each of manifest) {
    await breathe();
    const { apiVersion, kind } = checked(each);
    const name = `${apiVersion} ${kind}`;
    if (!found.has(name)) found.set(name, own.get(name) ?? (await kinds.find(apiVersion, kind, { signal })));
    const type = found.get(name);
    if (type === undefined) unknown.push(each);
    else
      prepared.push({
        object: inNamespace(await cleaned(each.object, breathe), type, namespace),
        type,
        source: each.source,
      });
  }
  return { prepared: withoutRepetitions(prepared), unknown };
}

/**
 * The same, for a manifest all of whose kinds must be known.
 *
 * @throws UnknownKindError, KindsUnknownError
 */
export async function prepareManifest(
  manifest: Manifest,
  options: PrepareOptions,
): Promise<readonly PreparedObject[]> {
  const { kinds, signal, clock, tries = TRIES } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      const { prepared, unknown } = await resolveManifest(manifest, options);
      if (unknown.length === 0) return prepared;
      if (attempt >= tries) throw new UnknownKindError(unknown);
    } catch (error) {
      // The server of an API may start with the component that has its APIService.
      if (attempt >= tries || !(error instanceof KindsUnknownError)) throw error;
    }
    await sleep(clock, DELAY_MS * 2 ** (attempt - 1), signal);
    kinds.forget();
  }
}

/** @throws `terminal` for an object without apiVersion, kind or name */
function checked({ object, source }: ManifestObject): KubeObject {
  const isText = (path: readonly string[]) => {
    const value = valueAt(object, path);
    return typeof value === 'string' && value !== '';
  };
  for (const path of [['apiVersion'], ['kind'], ['metadata', 'name']])
    if (!isText(path)) throw new ProviderError('terminal', `${source}: an object has no ${path.join('.')}`);
  return object;
}

/** Fields that API servers set, and that an apply may not have. */
const SERVER_FIELDS = [
  'creationTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
] as const;

/**
 * A copy without fields of the server, and without those whose value is null: charts write null for "no value".
 *
 * @throws a `terminal` error for an object that is nested too deeply
 */
async function cleaned(object: KubeObject, breathe: Breather): Promise<KubeObject> {
  const copy = (await inParts(object, copyWithoutNulls, breathe)) as KubeObject & { status?: unknown };
  const metadata: Record<string, unknown> = { ...copy.metadata };
  for (const name of SERVER_FIELDS) delete metadata[name];
  const { status: _, ...others } = copy;
  return { ...others, metadata: metadata as unknown as KubeObject['metadata'] };
}

const copyWithoutNulls: PartWork<unknown> = {
  part: withoutNulls,
  list: (items) => items,
  object: (members) =>
    Object.fromEntries(members.filter(([, member]) => member !== null && member !== undefined)),
};

/** Copies all members at once with a spread, which is fast, also one with the name `__proto__`. */
function withoutNulls(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxNesting) throw tooDeep();
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNulls(item, depth + 1));
  const copy: Record<string, unknown> = { ...value };
  for (const name in copy) {
    const member = copy[name];
    if (member === null || member === undefined) delete copy[name];
    else if (typeof member === 'object') copy[name] = withoutNulls(member, depth + 1);
  }
  return copy;
}

/**
 * The object in its namespace. Charts give objects of the cluster one too: they would be other objects by their identity than those
 * that the cluster has.
 */
function inNamespace(object: KubeObject, { namespaced }: ResourceType, namespace: string): KubeObject {
  const { namespace: own, ...metadata } = object.metadata;
  return { ...object, metadata: namespaced ? { ...metadata, namespace: own || namespace } : metadata };
}

/** The last one of several with the same name counts, as it does when all are applied one after the other. */
function withoutRepetitions(objects: readonly PreparedObject[]): readonly PreparedObject[] {
  const last = new Map(objects.map((each) => [identityOf(each.type, each.object.metadata), each]));
  return objects.length === last.size ? objects : [...last.values()];
}

/** The kinds that CRDs of the manifest define, by apiVersion and kind: they need not be served yet. */
function kindsOfCrds(manifest: Manifest): ReadonlyMap<string, ResourceType> {
  const kinds = new Map<string, ResourceType>();
  for (const { object } of manifest) {
    const { apiVersion, kind } = object;
    if (typeof apiVersion !== 'string' || !isCrd({ group: groupOf(apiVersion), kind })) continue;
    const group = valueAt(object, ['spec', 'group']);
    const served = valueAt(object, ['spec', 'names', 'kind']);
    const plural = valueAt(object, ['spec', 'names', 'plural']);
    const versions = valueAt(object, ['spec', 'versions']);
    if (typeof group !== 'string' || typeof served !== 'string' || typeof plural !== 'string') continue;
    for (const version of Array.isArray(versions) ? versions : []) {
      const name = valueAt(version, ['name']);
      if (typeof name !== 'string') continue;
      const namespaced = valueAt(object, ['spec', 'scope']) === 'Namespaced';
      kinds.set(`${group}/${name} ${served}`, { group, version: name, kind: served, plural, namespaced });
    }
  }
  return kinds;
}

/** The manifest with its namespace first, unless it has it or none is given. */
export function withNamespace(manifest: Manifest, namespace: string): Manifest {
  if (namespace === '') return manifest;
  const has = manifest.some(
    ({ object }) =>
      isNamespace({ group: groupOf(object.apiVersion ?? ''), kind: object.kind }) &&
      object.metadata?.name === namespace,
  );
  if (has) return manifest;
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  return [{ object, source: IMPLICIT_NAMESPACE }, ...manifest];
}

/** The source of a namespace that the manifest does not have. It belongs to no component. */
export const IMPLICIT_NAMESPACE = 'the namespace of the component';

import { randomUUID } from 'node:crypto';
import { schemas } from '../../../apis/schemas.gen.ts';
import {
  type Deps,
  formatTimestamp,
  messageOf,
  ProviderError,
  systemClock,
} from '../../framework/base/index.ts';
import { applied } from '../../framework/kube/apply/applied.ts';
import {
  apiVersionOf,
  groupResource,
  isForbidden,
  isNotFound,
  isUnknownKind,
  type KubeClient,
  keyOf,
  keyString,
  type ObjectKey,
  type ResourceType,
} from '../../framework/kube/index.ts';
import { problemsIn, withDefaults } from '../../framework/kube/object/structural-schema.ts';
import type { Managed } from '../../framework/managed/index.ts';
import type { ModuleKind, OpenKind } from '../../framework/module/module.ts';
import type { ReadOnlyConnections } from '../provider/connections/program-connections.ts';
import type { Manifest } from './manifests.ts';
import { failedEntry, type PlanEntry, type PlanTarget } from './plan.ts';

/** Where to search for targets. */
export interface TargetSearch {
  readonly connections: ReadOnlyConnections;
  /** Kinds that can be planned. */
  readonly kinds: readonly OpenKind[];
  readonly signal: AbortSignal;
}

/** The targets, and the entries of those that cannot be read. */
export interface Targets {
  readonly targets: readonly PlanTarget[];
  readonly failed: readonly PlanEntry[];
  /** Objects of other kinds in the manifests: `ConfigMap shop/x (all.yaml:3)`. */
  readonly skipped: readonly string[];
}

/**
 * The manifests of this provider's kinds, as they would be stored. Other manifests are skipped, so that whole folders
 * can be planned.
 *
 * @throws if a manifest has a group of this provider and an unknown kind
 */
export async function targetsOfManifests(
  manifests: readonly Manifest[],
  { connections, kinds, signal }: TargetSearch,
): Promise<Targets> {
  const { client, namespace } = connections;
  const targets: PlanTarget[] = [];
  const failed: PlanEntry[] = [];
  const skipped: string[] = [];
  for (const { object, source } of manifests) {
    const entry = kindOfObject(object, source, kinds);
    if (entry === undefined) {
      skipped.push(`${object.kind} ${keyString(object.metadata)} (${source})`);
      continue;
    }
    const { type } = entry;
    const manifest = placed(object as Managed, entry, namespace);
    try {
      assertNamed(manifest, source);
      const { note, ...desired } = await desiredOf(manifest, { client, type, clock: systemClock, signal });
      targets.push({ entry, source, ...desired, notes: note === undefined ? [] : [note] });
    } catch (error) {
      signal.throwIfAborted();
      failed.push(failedEntry(entry, { ...manifest.metadata, source }, error));
    }
  }
  return { targets, failed, skipped };
}

function kindOfObject(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  source: string,
  kinds: readonly OpenKind[],
): OpenKind | undefined {
  const entry = kinds.find(({ type }) => apiVersionOf(type) === apiVersion && type.kind === kind);
  const [group = ''] = apiVersion.split('/');
  if (entry === undefined && kinds.some(({ type }) => type.group === group)) {
    throw new ProviderError('terminal', `cannot plan ${source}: there is no ${kind} in ${apiVersion}`);
  }
  return entry;
}

/** Like kubectl: only namespaced objects get a namespace. */
function placed(object: Managed, { type }: ModuleKind, fallback: string): Managed {
  const { namespace, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: type.namespaced ? { ...metadata, namespace: namespace ?? fallback } : metadata,
  };
}

function assertNamed({ metadata }: Managed, source: string): void {
  const name: unknown = metadata.name;
  if (typeof name === 'string' && name !== '') return;
  throw new ProviderError('terminal', `cannot plan ${source}: it has no metadata.name`);
}

/**
 * Resources of the cluster by name: `shop`, `kymainstancemapping/shop`, also with plural and group. With a namespace,
 * of the namespaced kinds; without, of the cluster-scoped ones.
 *
 * @param namespace of `-n`, if given
 */
export async function targetsByName(
  names: readonly string[],
  search: TargetSearch,
  namespace: string | undefined,
): Promise<Targets> {
  const found = await Promise.all(names.map((name) => targetByName(name, search, namespace)));
  return { targets: found, failed: [], skipped: [] };
}

async function targetByName(
  text: string,
  { connections, kinds: all, signal }: TargetSearch,
  namespace: string | undefined,
): Promise<PlanTarget> {
  const { client, namespace: fallback } = connections;
  const [first = '', second, ...rest] = text.split('/');
  if (rest.length > 0 || first === '' || second === '') {
    throw new ProviderError('terminal', `cannot plan ${text}: want NAME or KIND/NAME`);
  }
  const name = second ?? first;
  const kinds = kindsFor(all, second === undefined ? undefined : first, namespace !== undefined);
  if (kinds.length === 0) throw new ProviderError('terminal', `cannot plan ${text}: there is no such kind`);
  const found: PlanTarget[] = [];
  for (const entry of kinds) {
    const key: ObjectKey = entry.type.namespaced ? { name, namespace: namespace ?? fallback } : { name };
    try {
      const object = await client.get(entry.type, key, { signal });
      found.push({ entry, object, live: object, source: 'cluster', notes: [] });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  const [target, another] = found;
  if (target === undefined) {
    const where = kinds.map(({ type }) => groupResource(type)).join(', ');
    throw new ProviderError('terminal', `cannot plan ${text}: not found among ${where}`);
  }
  if (another !== undefined) {
    const names = found.map(({ entry }) => `${entry.type.kind.toLowerCase()}/${name}`).join(' and ');
    throw new ProviderError('terminal', `cannot plan ${text}: it may be ${names}; say which`);
  }
  return target;
}

/** The kinds that a word names, as in kubectl; without a word, all of the scope. */
export function kindsFor<K extends ModuleKind>(
  kinds: readonly K[],
  word: string | undefined,
  namespaced: boolean,
): readonly K[] {
  if (word === undefined) return kinds.filter(({ type }) => type.namespaced === namespaced);
  const wanted = word.toLowerCase();
  const named = kinds.filter(({ type }) => {
    const { kind, plural, group, version } = type;
    return [kind.toLowerCase(), plural].some((each) =>
      [each, `${each}.${group}`, `${each}.${version}.${group}`].includes(wanted),
    );
  });
  // Without a group, the word matches the kinds of both scopes.
  return wanted.includes('.') ? named : named.filter(({ type }) => type.namespaced === namespaced);
}

/** One line about skipped manifests. */
export function skippedText(skipped: readonly string[]): string {
  return `not of this provider, passed over: ${skipped.join(', ')}`;
}

/** @throws if there is nothing to plan */
export function assertAny({ targets, failed, skipped }: Targets, paths: readonly string[]): void {
  if (targets.length + failed.length > 0) return;
  const others = skipped.length === 0 ? '' : ` (${skippedText(skipped)})`;
  throw new ProviderError(
    'terminal',
    `cannot plan ${paths.join(', ')}: no resource of this provider${others}`,
  );
}

// What a manifest would become if it were applied.

interface Desired<R extends Managed> {
  readonly object: R;
  /** The stored object; absent if there is none. */
  readonly live?: R;
  /** What defaulted and validated the object: a dry run of the API server, or the generated schema. */
  readonly checkedBy: 'server' | 'schema';
  /** Why there was no dry run; one line. */
  readonly note?: string;
}

interface DesiredOptions<R extends Managed> extends Pick<Deps, 'clock'> {
  readonly client: KubeClient;
  readonly type: ResourceType<R>;
  readonly signal: AbortSignal;
}

/**
 * The object as the API server would store it: merged into the live object like `kubectl apply`, defaulted and
 * validated. This is a dry run if the user may create or update the kind. Otherwise the generated schema is used, which
 * has fields, types and defaults, but neither CEL rules nor admission.
 *
 * @throws a terminal error if the object would be refused
 */
export async function desiredOf<R extends Managed>(
  manifest: R,
  options: DesiredOptions<R>,
): Promise<Desired<R>> {
  const { client, type, signal } = options;
  const live = await findLive<R>(client, type, manifest, signal);
  const body = live === undefined ? withoutStatus(manifest) : applied(manifest, live);
  const found = live === undefined ? {} : { live };
  try {
    const write = { dryRun: true, fieldValidation: 'Strict', signal } as const;
    const object =
      live === undefined ? await client.create(type, body, write) : await client.update(type, body, write);
    return { object, ...found, checkedBy: 'server' };
  } catch (error) {
    if (!isForbidden(error) && !isNotFound(error)) throw error;
    const object = bySchema(body, live === undefined, options);
    const why = isUnknownKind(error) ? `the cluster does not know the kind` : messageOf(error);
    return { object, ...found, checkedBy: 'schema', note: `not checked by a dry run: ${why}` };
  }
}

async function findLive<R extends Managed>(
  client: KubeClient,
  type: ResourceType<R>,
  manifest: R,
  signal: AbortSignal,
): Promise<R | undefined> {
  try {
    return await client.get(type, keyOf(manifest), { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function bySchema<R extends Managed>(body: R, isNew: boolean, { type, clock }: DesiredOptions<R>): R {
  const schema = schemas[`${type.kind}.${type.version}.${type.group}`];
  if (schema === undefined) throw new ProviderError('bug', `there is no schema of ${type.kind}`);
  const { status: _, ...asked } = body as R & { status?: unknown };
  const object = withDefaults(schema, asked) as R;
  const problems = problemsIn(schema, object);
  if (problems.length > 0) {
    const what = `${type.kind} ${keyString(keyOf(body))}`;
    throw new ProviderError('terminal', `cannot apply ${what}: ${problems.join('; ')}`);
  }
  const { status } = body;
  return {
    ...object,
    ...(status === undefined ? {} : { status }),
    metadata: isNew
      ? {
          ...body.metadata,
          uid: randomUUID(),
          generation: 1,
          creationTimestamp: formatTimestamp(clock.now()),
        }
      : body.metadata,
  };
}

/** Removes the status, which `kubectl apply` does not set, and metadata that the API server assigns. */
function withoutStatus<R extends Managed>(manifest: R): R {
  const { status: _, ...rest } = manifest as R & { status?: unknown };
  const { uid: _uid, resourceVersion: _version, managedFields: _fields, ...metadata } = manifest.metadata;
  return { ...rest, metadata } as R;
}

import {
  cloneJson,
  cutText,
  type Deps,
  type ErrorKind,
  findCause,
  isObject,
  kindOf,
  messageOf,
  ownMember,
  ProviderError,
  sleep,
  valueAt,
} from '../../../../../framework/base/index.ts';
import { UPDATE_MANAGER } from '../../../../../framework/kube/apply/owned-fields.ts';
import {
  KubeApiError,
  type KubeClient,
  type KubeObject,
  keyOf,
  type ResourceType,
  wasDeleted,
} from '../../../../../framework/kube/index.ts';
import type { ClusterPart, ManagedCluster } from '../../model/component.ts';
import { type AppliedState, COMPLETE } from '../inventory.ts';
import { isBuiltIn } from '../known-types.ts';
import {
  entriesOf,
  exactly,
  FIELD_MANAGER,
  hasForeignFields,
  isOwn,
  type ManagedFieldsEntry,
  unionOf,
  writeManagedFields,
} from '../managed-fields.ts';
import { nameOf, type PreparedObject } from '../prepared-object.ts';
import { appliedState, ownedHash } from './hashes.ts';
import type { LiveMetadata } from './live-metadata.ts';
import {
  asImmutable,
  claimFields,
  contradictedFields,
  hasKeys,
  itemsAt,
  keysOf,
  leftAccount,
  segmentsOf,
  withoutUnknownFields,
} from './refused-fields.ts';

/**
 * Why an object could not be applied or deleted. The error itself may have all that the server of a tenant says of it, 80 KiB, and there may be
 * thousands.
 */
interface ObjectFailure {
  readonly kind: ErrorKind;
  readonly message: string;
}

export const failureOf = (error: unknown): ObjectFailure => ({
  kind: kindOf(error),
  message: cutText(messageOf(error), MAX_MESSAGE),
});

/** In characters. */
const MAX_MESSAGE = 2048;

/** Objects of a component that could not be applied. All objects of the same stage were tried. */
export class ApplyError extends ProviderError {
  /** @param cause the error of one of them */
  constructor(failures: readonly ObjectFailure[], cause: unknown) {
    const text = failures
      .slice(0, MAX_NAMED)
      .map(({ message }) => message)
      .join('; ');
    const others = failures.length - MAX_NAMED;
    super(
      worst(failures.map(({ kind }) => kind)),
      others > 0 ? `${text}; and ${others} other objects` : text,
      {
        cause,
      },
    );
  }
}

const MAX_NAMED = 10;

/** A terminal failure stays whatever becomes of the others. */
const worst = (kinds: readonly ErrorKind[]): ErrorKind =>
  kinds.find((kind) => kind === 'terminal') ?? kinds[0] ?? 'transient';

interface ApplyOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly cluster: Pick<ManagedCluster, 'name' | 'part'>;
  readonly signal: AbortSignal;
  readonly live: LiveMetadata;
}

interface AppliedObject {
  /** Whether a request that writes was sent. */
  readonly isChanged: boolean;
  readonly state: AppliedState | undefined;
}

/** Attempts for one object. Webhooks and CRDs of the same chart may not be ready yet. */
const TRIES = 10;
/** The first delay between them, in ms; it doubles. */
const BASE_MS = 250;
const MAX_MS = 8000;

/** What is known of an object that is applied. */
interface KnownObject {
  /** What the inventory has of it. */
  readonly before: AppliedState | undefined;
  /** Its hash. */
  readonly sent: string;
}

/**
 * Applies an object unless that would change nothing.
 *
 * @throws ImmutableFieldError, and what the API server refuses; the message names the object
 */
export async function applyObject(
  prepared: PreparedObject,
  known: KnownObject,
  options: ApplyOptions,
): Promise<AppliedObject> {
  const { clock, signal } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      using part = await options.cluster.part({ signal });
      const look = attempt === 1 ? options.live.find : options.live.read;
      return await applyOnce(prepared, { ...known, look }, { ...options, cluster: part });
    } catch (error) {
      signal.throwIfAborted();
      const immutable = asImmutable(prepared.object, error);
      if (immutable !== undefined) throw immutable;
      if (attempt >= TRIES || !mayPass(error)) throw error;
      const askedMs = findCause(error, ProviderError)?.retryAfterMs ?? 0;
      await sleep(clock, Math.max(askedMs, Math.min(BASE_MS * 2 ** (attempt - 1), MAX_MS)), signal);
    }
  }
}

/** A namespace or kind that is not found may just have been created. An object that does not fit its schema never will. */
const mayPass = (error: unknown): boolean =>
  ['transient', 'throttled', 'conflict', 'not-found'].includes(kindOf(error)) &&
  !messageOf(error).includes('failed to create typed patch object');

async function applyOnce(
  prepared: PreparedObject,
  { before, sent, look }: KnownObject & { readonly look: LiveMetadata['find'] },
  {
    cluster: { client, name },
    signal,
    log,
  }: Pick<ApplyOptions, 'signal' | 'log'> & { readonly cluster: Pick<ClusterPart, 'name' | 'client'> },
): Promise<AppliedObject> {
  const { object, type } = prepared;
  const strategy = strategyOf(type);
  if (before?.sent === sent && before.owned === COMPLETE) return { isChanged: false, state: before };
  // All of a bare namespace is in its metadata, which says enough if it is in no inventory.
  const isUnlisted = before === undefined && isBareNamespace(object);
  if (strategy === 'keep' || before?.sent === sent || isUnlisted) {
    const live = await look(prepared, client);
    if (live !== undefined) {
      const state = await appliedState(sent, live);
      const applied = isUnlisted ? state : before;
      if (strategy === 'keep' || (await isCurrent(object, live, { sent, applied, strategy })))
        return { isChanged: false, state: state ?? before };
    }
  }
  const onLeniency = (message: string, paths: readonly string[]) =>
    log.info(message, { cluster: name, object: nameOf(object), fields: paths.join(', ') });
  const { body, live: applied, write } = await applyLeniently(prepared, { client, signal, onLeniency });
  let live = applied;
  if (before === undefined && (await adoptFields(client, type, live, signal))) live = await write();
  const fields = leftAccount(type, body, live);
  if (await claimFields(client, type, { object, fields, signal })) live = await write();
  if (strategy === 'exact' && hasForeignFields(live))
    live = await client.update(type, exactly(body, live), { signal });
  return { isChanged: true, state: await appliedState(sent, live) };
}

/** Refusals name the first fields alone. */
const MAX_ROUNDS = 10;

interface Applied {
  /** The object without fields that its kind does not have. */
  readonly body: KubeObject;
  readonly live: KubeObject;
  /** Applies the body again. */
  readonly write: () => Promise<KubeObject>;
}

interface LenientOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  readonly onLeniency: (message: string, paths: readonly string[]) => void;
}

/** Applies what a creation accepts, though server-side apply refuses it. */
async function applyLeniently(
  { type, object }: PreparedObject,
  { client, signal, onLeniency }: LenientOptions,
): Promise<Applied> {
  let body = object;
  let repeated: readonly RepeatedItems[] = [];
  const claimed = new Set<string>();
  for (let round = 1; ; round++) {
    const write = (known = body, items = repeated) =>
      items.length > 0
        ? applyRepeated(client, { type, object: known, repeated: items, signal })
        : client.apply(type, known, { fieldManager: FIELD_MANAGER, force: true, signal });
    try {
      return { body, live: await write(), write };
    } catch (error) {
      if (round === MAX_ROUNDS) throw error;
      if (await moveFields(client, type, { object, refusal: error, signal })) continue;
      const contradicted = contradictedFields(body, error).filter((field) => !claimed.has(field.join('.')));
      for (const field of contradicted) claimed.add(field.join('.'));
      if (await claimFields(client, type, { object, fields: contradicted, signal })) continue;
      const known = withoutUnknownFields(body, error);
      const more = repeatedItemsIn(error);
      if (known === undefined && more.length === 0) throw error;
      if (known !== undefined) {
        onLeniency('fields that the kind of an object does not have are left out', known.paths);
        body = known.object;
      }
      if (more.length > 0) {
        const paths = more.map(({ list, key }) => list + key);
        onLeniency('items of an object have the same key; clusters may use the last one alone', paths);
        repeated = [...repeated, ...more];
      }
    }
  }
}

/** A namespace in which only labels and annotations are set, as of a component without one in its chart. */
const isBareNamespace = ({ apiVersion, kind, metadata, ...others }: KubeObject): boolean =>
  apiVersion === 'v1' &&
  kind === 'Namespace' &&
  Object.keys(others).length === 0 &&
  metadata.finalizers === undefined;

/**
 * Field managers under which charts were installed before: Helm, kubectl, the Go program, and the name that API servers give
 * owners of objects from before server-side apply.
 */
const FORMER_MANAGERS: ReadonlySet<string> = new Set([
  'helm',
  'kubectl-client-side-apply',
  'kubectl-create',
  'mothership',
  'reconciler',
  'before-first-apply',
]);

/** Nothing of a claim can be removed, also not what admission has added. */
const isAdoptable = ({ group, kind }: ResourceType): boolean =>
  !(group === '' && kind === 'PersistentVolumeClaim');

const isFormer = ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
  FORMER_MANAGERS.has(manager) && operation === 'Update' && subresource === '';

/**
 * Makes fields of former installers our own, so that the next apply removes those that the chart does not have. The object
 * was just applied for the first time.
 *
 * @returns whether there were any
 * @throws `conflict`, or `terminal` as the refusal of a patch, if the object was changed since
 */
async function adoptFields(
  client: Pick<KubeClient, 'jsonPatch'>,
  type: ResourceType,
  object: KubeObject,
  signal: AbortSignal,
): Promise<boolean> {
  const entries = entriesOf(object);
  const own = entries.find(isOwn);
  const former = entries.filter(isFormer);
  if (own === undefined || former.length === 0 || !isAdoptable(type)) return false;
  const fieldsV1 = former.reduce((fields, entry) => unionOf(fields, entry.fields), own.fields);
  const managedFields = entries.flatMap((entry) => {
    if (entry === own) return [{ ...(entry.raw as object), fieldsV1 }];
    return isFormer(entry) ? [] : [entry.raw];
  });
  await writeManagedFields(client, type, object, { managedFields, signal });
  return true;
}

interface ApplyRepeatedOptions {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly repeated: readonly RepeatedItems[];
  readonly signal: AbortSignal;
}

/**
 * Applies an object whose lists have items with the same key. Server-side apply cannot: it says in a dry run what becomes of the
 * object without repetitions, which are added to its answer. One request writes all of that, so that pods are replaced once; a
 * second one gives the fields to the owners that the dry run names.
 *
 * @throws `conflict` if the object was changed meanwhile
 */
async function applyRepeated(
  client: KubeClient,
  { type, object, repeated, signal }: ApplyRepeatedOptions,
): Promise<KubeObject> {
  const planned = await client.apply(type, withoutRepetitions(object, repeated), {
    fieldManager: FIELD_MANAGER,
    force: true,
    dryRun: true,
    signal,
  });
  const whole = withRepetitions(planned, object, repeated);
  const { managedFields: _, resourceVersion, uid, ...metadata } = whole.metadata;
  const written =
    resourceVersion === undefined || resourceVersion === ''
      ? await client.create(type, { ...whole, metadata }, { signal })
      : await client.update(
          type,
          { ...whole, metadata: { ...metadata, resourceVersion, ...(uid && { uid }) } },
          { signal },
        );
  return await writeManagedFields(client, type, written, { managedFields: ownersIn(planned), signal });
}

/** Without this program as an author of updates: an attempt that ended before the second request has made it one. */
const ownersIn = (planned: KubeObject): readonly unknown[] =>
  entriesOf(planned)
    .filter(
      ({ manager, operation, subresource }) =>
        !(manager === UPDATE_MANAGER && operation === 'Update' && subresource === ''),
    )
    .map(({ raw }) => raw);

/**
 * Whether an apply would change nothing: the same was sent before, and nobody has taken a field since. An API server takes
 * the ownership of a field from its owner when another one changes or removes it.
 */
async function isCurrent(
  wanted: KubeObject,
  live: Pick<KubeObject, 'metadata'> & KubeObject,
  { sent, applied, strategy }: { sent: string; applied: AppliedState | undefined; strategy: Strategy },
): Promise<boolean> {
  return (
    applied?.sent === sent &&
    !wasDeleted(live) &&
    // Another component may have the object as well: it has the same field manager.
    includes(live.metadata.labels, wanted.metadata.labels) &&
    includes(live.metadata.annotations, wanted.metadata.annotations) &&
    !(strategy === 'exact' && hasForeignFields(live)) &&
    applied.owned === (await ownedHash(live))
  );
}

const includes = (
  live: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string>> = {},
): boolean =>
  Object.entries(wanted).every(([name, value]) => Object.hasOwn(live, name) && live[name] === value);

/** The fields were applied in another version of the API, which does not have a field that is applied now. */
const OTHER_VERSION = 'last applied version';

/**
 * Records fields that this program owns as those of the version in which the object is applied now, if the API server refused an
 * apply because of the version before. It would compare both in the old version, which has no fields that are new.
 *
 * @returns whether there were any
 * @throws `conflict`, or `terminal` as the refusal of a patch, if the object was changed since
 */
async function moveFields(
  client: Pick<KubeClient, 'getMetadata' | 'jsonPatch'>,
  type: ResourceType,
  {
    object,
    refusal,
    signal,
  }: { readonly object: KubeObject; readonly refusal: unknown; readonly signal: AbortSignal },
): Promise<boolean> {
  if (!messageOf(refusal).includes(OTHER_VERSION)) return false;
  const { apiVersion } = object;
  const live = await client.getMetadata(type, keyOf(object), { signal });
  const entries = entriesOf(live);
  const isOld = (raw: unknown) => valueAt(raw, ['apiVersion']) !== apiVersion;
  if (!entries.some((entry) => isOwn(entry) && isOld(entry.raw))) return false;
  const managedFields = entries.map((entry) =>
    isOwn(entry) ? { ...(entry.raw as object), apiVersion } : entry.raw,
  );
  await writeManagedFields(client, type, live, { managedFields, signal });
  return true;
}

/**
 * How an object that exists is changed. `merge`: fields of the chart are set, those of others stay. `exact`: fields of others go.
 * `keep`: not at all.
 */
type Strategy = 'merge' | 'exact' | 'keep';

function strategyOf({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): Strategy {
  if (group === 'batch' && kind === 'Job') return 'keep';
  return isBuiltIn({ group }) ? 'merge' : 'exact';
}

/** Items of a list with the same key, such as two environment variables with one name. */
interface RepeatedItems {
  /** `.spec.template.spec.containers[name="web"].env` */
  readonly list: string;
  /** `[name="A"]` */
  readonly key: string;
}

/** Between the list and the key in a message of an API server. */
const REPEATED = ': duplicate entries for key ';

/** What server-side apply refuses for this reason, and a creation does not. Empty for other errors. */
function repeatedItemsIn(error: unknown): readonly RepeatedItems[] {
  const parts = findCause(error, KubeApiError)?.message.split(REPEATED) ?? [];
  return parts.slice(1).flatMap((after, index) => {
    const before = parts[index] ?? '';
    const list = before.slice(before.lastIndexOf(' ') + 1);
    const key = after.slice(0, after.indexOf(']') + 1);
    return list.startsWith('.') && key.startsWith('[') ? [{ list, key }] : [];
  });
}

/** A copy with the last item of each key alone: the one that counts. */
function withoutRepetitions<T extends KubeObject>(object: T, repeated: readonly RepeatedItems[]): T {
  const copy = cloneJson(object);
  for (const { list, key } of repeated) {
    for (const items of listsAt(copy, segmentsOf(list))) {
      const last = items.findLastIndex((item) => hasKeys(item, key));
      const kept = items.filter((item, index) => index === last || !hasKeys(item, key));
      items.splice(0, items.length, ...kept);
    }
  }
  return copy;
}

/**
 * What the API server made of the copy, with the items of the object in its order. Items that others have added come last.
 *
 * @param planned the copy, after an apply
 */
function withRepetitions<T extends KubeObject>(
  planned: T,
  object: KubeObject,
  repeated: readonly RepeatedItems[],
): T {
  const whole = cloneJson(planned);
  for (const [list, those] of Map.groupBy(repeated, (each) => each.list)) {
    const names = keysOf(those[0]?.key ?? '').map(([name]) => name);
    const isRepeated = (item: unknown) => those.some(({ key }) => hasKeys(item, key));
    const wanted = listsAt(object, segmentsOf(list));
    for (const [index, items] of listsAt(whole, segmentsOf(list)).entries()) {
      const own = wanted[index] ?? [];
      const [byKey, ownByKey] = [byFirstKey(items, names), byFirstKey(own, names)];
      const merged = own.map((item) =>
        isRepeated(item) ? item : (byKey(item).find((other) => haveSameKeys(other, item, names)) ?? item),
      );
      const others = items.filter((item) => !ownByKey(item).some((each) => haveSameKeys(item, each, names)));
      items.splice(0, items.length, ...merged, ...others);
    }
  }
  return whole;
}

/** Those of the items that can have the same keys as another: lists of a chart may have thousands. */
function byFirstKey(items: readonly unknown[], [name = '']: readonly string[]) {
  const keyOf = (item: unknown) => (isObject(item) ? ownMember(item, name) : undefined);
  const groups = Map.groupBy(items, keyOf);
  const without = groups.get(undefined) ?? [];
  return (item: unknown): readonly unknown[] => {
    const key = keyOf(item);
    return key === undefined ? items : [...(groups.get(key) ?? []), ...without];
  };
}

/** A key with a default may be missing. */
const haveSameKeys = (one: unknown, other: unknown, names: readonly string[]): boolean =>
  isObject(one) &&
  isObject(other) &&
  names.every((name) => {
    const [a, b] = [ownMember(one, name), ownMember(other, name)];
    return a === undefined || b === undefined || a === b;
  });

/** The lists at a path, which may have several. */
function listsAt(value: unknown, [segment, ...rest]: readonly string[]): unknown[][] {
  if (segment === undefined) return Array.isArray(value) ? [value] : [];
  if (!segment.startsWith('[')) return isObject(value) ? listsAt(ownMember(value, segment), rest) : [];
  if (!Array.isArray(value)) return [];
  return itemsAt(value, segment).flatMap((item) => listsAt(item, rest));
}

import { createHash } from 'node:crypto';
import { isObject, jsonSize } from '../../base/json/json-value.ts';
import type { KubeObject } from '../object/object.ts';

/** Removes `managedFields`, which no controller reads and which is half of a small object. */
export function dropManagedFields<T extends KubeObject>(object: T): T {
  // Not `delete`: V8 would then store the object as a dictionary, which takes more memory than the fields did.
  const { managedFields: _, ...metadata } = object.metadata;
  object.metadata = metadata;
  return object;
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Also removes kubectl's annotation with the last applied manifest. Only for objects that are never written back with
 * PUT, which would remove the annotation on the server.
 */
export function dropBookkeeping<T extends KubeObject>(object: T): T {
  const { [lastApplied]: dropped, ...annotations } = object.metadata.annotations ?? {};
  if (dropped !== undefined) object.metadata.annotations = annotations;
  return dropManagedFields(object);
}

/**
 * Keeps only labels and annotations with the prefix, of any number of others. Only for objects that are never written back
 * with PUT.
 */
export const keepMarks =
  (prefix: string) =>
  <T extends KubeObject>(object: T): T => {
    const own = (marks: Readonly<Record<string, string>> = {}) =>
      Object.fromEntries(Object.entries(marks).filter(([name]) => name.startsWith(prefix)));
    const { labels, annotations } = object.metadata;
    Object.assign(object.metadata, { labels: own(labels), annotations: own(annotations) });
    return dropManagedFields(object);
  };

/** Returns the same string instance for equal strings, as long as it is in the table. */
export type StringInterner = (text: string) => string;

/** Strings that objects have in common are short: kinds, reasons, finalizers, names, timestamps. */
const MAX_INTERNED_LENGTH = 64;
/** Enough for what thousands of objects have in common. A full table is replaced by an empty one. */
const MAX_INTERNED = 4096;

/** JSON.parse creates new strings for each object. Without interning they take more memory than the rest of the objects. */
export function createStringInterner(): StringInterner {
  let texts = new Map<string, string>();
  return (text) => {
    if (text.length > MAX_INTERNED_LENGTH) return text;
    const known = texts.get(text);
    if (known !== undefined) return known;
    if (texts.size >= MAX_INTERNED) texts = new Map();
    texts.set(text, text);
    return text;
  };
}

/**
 * Interns all strings of plain JSON and freezes it deeply. Not recursive: API servers store objects of 10,000 levels, and
 * one object that overflows the stack would stop the informer of its kind.
 */
export function internAndFreeze<T>(value: T, intern: StringInterner): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const container = open.pop();
    // What is frozen was so before. `isFrozen` would look at each member.
    if (!isContainer(container) || !Object.isExtensible(container)) continue;
    for (const key in container) {
      const part = container[key];
      if (typeof part === 'string') container[key] = intern(part);
      else if (isContainer(part)) open.push(part);
    }
    Object.freeze(container);
  }
  return value;
}

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

// Objects of kinds whose users may write megabytes: the cache keeps what is small, by which objects are selected, compared and
// requested. What needs more reads the object from the API server.

/** An object of more characters of JSON loses its large parts. */
const LARGE = 16 * 1024;
/** Of labels, of annotations, of other metadata and of the spec, each: what is kept of a large object. */
const KEPT = 4 * 1024;
/** Of the status. Conditions have some KiB. */
const KEPT_STATUS = 12 * 1024;
/** A text beyond that is cut. */
const TEXT = 512;

/** An object of so many characters of JSON, or more, is heavy. */
const HEAVY = 64 * 1024;

/** The key of an annotation that no API server accepts: a digest of labels, annotations and finalizers. */
const OMITTED = '(omitted)';
/** Another one, of a heavy object. */
const HEAVY_MARK = '(heavy)';

/** Whether the object is one of a cache, and lacks its large parts. It must not be written. */
export const isPartial = ({ metadata }: KubeObject): boolean =>
  Object.hasOwn(metadata.annotations ?? {}, OMITTED);

/** Whether each request with the object takes an API server a tenth of a second or more. */
export const isHeavy = (object: KubeObject): boolean =>
  isPartial(object) ? Object.hasOwn(object.metadata.annotations ?? {}, HEAVY_MARK) : hasHeavySize(object);

const hasHeavySize = (object: KubeObject): boolean => jsonSize(object, HEAVY) >= HEAVY;

/**
 * A transform for informers: removes `managedFields`, and the large parts of a large object. Any change of its labels and annotations
 * changes the object in the cache.
 *
 * @param prefix of labels and annotations that are kept before others
 */
export const keepSmallParts =
  (prefix: string) =>
  <T extends KubeObject & { readonly spec?: object; readonly status?: object }>(object: T): T => {
    dropManagedFields(object);
    if (jsonSize(object, LARGE) < LARGE) return object;
    const { spec, status } = object;
    return Object.assign(object, {
      metadata: smallMetadata(object, prefix),
      ...(isObject(spec) ? { spec: typed(spec, small(spec, KEPT)) } : {}),
      ...(isObject(status) ? { status: typed(status, small(status, KEPT_STATUS)) } : {}),
    });
  };

/** The same for kinds whose schema bounds spec and status: those are kept whole. */
export const keepSmallMetadata =
  (prefix: string) =>
  <T extends KubeObject>(object: T): T => {
    dropManagedFields(object);
    if (jsonSize(object.metadata, LARGE) < LARGE) return object;
    return Object.assign(object, { metadata: smallMetadata(object, prefix) });
  };

function smallMetadata(object: KubeObject, prefix: string): Members {
  const { labels = {}, annotations = {}, ...others } = object.metadata;
  const digest = createHash('sha256')
    .update(JSON.stringify([labels, annotations, others.finalizers]))
    .digest('base64');
  const isOwn = (name: string) => name.startsWith(prefix);
  return {
    ...typed(others, small(others, KEPT)),
    labels: small(labels, KEPT, isOwn),
    annotations: {
      ...small(annotations, KEPT, isOwn),
      [OMITTED]: digest,
      ...(hasHeavySize(object) ? { [HEAVY_MARK]: '' } : {}),
    },
  };
}

type Members = Readonly<Record<string, unknown>>;

const isConditions = (name: string) => name === 'conditions';

/** The smallest members. @param isFirst members that are kept before others */
function small(record: Members, limit: number, isFirst: (name: string) => boolean = isConditions): Members {
  const sized = Object.entries(record).map(([name, value]) => ({
    name,
    size: name.length + jsonSize(value, limit),
    rank: isFirst(name) ? 0 : 1,
  }));
  sized.sort((a, b) => a.rank - b.rank || a.size - b.size);
  const kept: Record<string, unknown> = {};
  let left = limit;
  for (const { name, size } of sized) {
    if (size > left) continue;
    left -= size;
    kept[name] = record[name];
  }
  return kept;
}

/** With members of the same types instead of those that are not kept. The schema bounds their number. */
const typed = (record: Members, kept: Members): Members =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      Object.hasOwn(kept, name) ? kept[name] : emptied(value),
    ]),
  );

function emptied(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, TEXT);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? [] : {};
}

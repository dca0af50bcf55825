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

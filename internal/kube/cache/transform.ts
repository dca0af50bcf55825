import type { KubeObject } from '../object/object.ts';

/** Drops what no controller reads and what makes up half of a small object. The API server keeps its own copy. */
export function dropManagedFields<T extends KubeObject>(object: T): T {
  // Not deleted: V8 would keep what is left as a dictionary, which takes more memory than the fields did.
  const { managedFields: _, ...metadata } = object.metadata;
  object.metadata = metadata;
  return object;
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Drops the copy of the manifest that kubectl leaves as well. Only for objects that are never written back whole:
 * a PUT without the annotation would remove it, and kubectl would forget which fields it had set.
 */
export function dropBookkeeping<T extends KubeObject>(object: T): T {
  const { [lastApplied]: dropped, ...annotations } = object.metadata.annotations ?? {};
  if (dropped !== undefined) object.metadata.annotations = annotations;
  return dropManagedFields(object);
}

/** Returns, of texts that are equal, always the same one, as far as it was seen lately. */
export type StringInterner = (text: string) => string;

/** Those that objects have in common are short: kinds, reasons, finalizers, names of what many refer to, moments. */
const MAX_POOLED_LENGTH = 64;
/** Enough for all that thousands of objects have in common; what comes once only drives it out now and then. */
const MAX_POOLED = 4096;

/** JSON gives each object texts of its own; together they take more memory than all the rest of the objects. */
export function createStringInterner(): StringInterner {
  let texts = new Map<string, string>();
  return (text) => {
    if (text.length > MAX_POOLED_LENGTH) return text;
    const known = texts.get(text);
    if (known !== undefined) return known;
    if (texts.size >= MAX_POOLED) texts = new Map();
    texts.set(text, text);
    return text;
  };
}

/** Has plain JSON take its texts from the pool, and freezes it through and through: nobody changes it by mistake. */
export function internAndFreeze<T>(value: T, pool: StringInterner): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const key in value) {
    const part = value[key];
    if (typeof part === 'string') value[key] = pool(part) as typeof part;
    else internAndFreeze(part, pool);
  }
  return Object.freeze(value);
}

/**
 * Objects that Service Manager may not have as they were left: a reconcile looks at each of them there, and only then decides.
 */
export interface Suspects {
  add(key: string): void;
  /** Whether the object is one. It is none any more. */
  take(key: string): boolean;
}

export function createSuspects(): Suspects {
  const keys = new Set<string>();
  return { add: (key) => void keys.add(key), take: (key) => keys.delete(key) };
}

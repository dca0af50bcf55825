/** The parts of a source without the fields, columns and rules that only other versions have. */
export function inVersion<T>(part: T, version: string): T {
  if (Array.isArray(part)) {
    return part.filter((item) => isIn(item, version)).map((item) => inVersion(item, version)) as T;
  }
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).filter(([key, value]) => key !== '$versions' && isIn(value, version));
  return Object.fromEntries(entries.map(([key, value]) => [key, inVersion(value, version)])) as T;
}

/** The versions that a part of a source names in `$versions`, at any depth. */
export function namedVersions(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return [...versionsOf(part), ...Object.values(part).flatMap(namedVersions)];
}

const isIn = (part: unknown, version: string): boolean => {
  const versions = versionsOf(part);
  return versions.length === 0 || versions.includes(version);
};

function versionsOf(part: unknown): readonly string[] {
  if (typeof part !== 'object' || part === null || !('$versions' in part)) return [];
  return Array.isArray(part.$versions) ? part.$versions : [];
}

import type { Position, Source } from './source.ts';
import { SourceError } from './source-error.ts';

/** A kind in all its versions. */
export interface Kind {
  /** Folder of its CRDs, relative to the repository. */
  readonly folder: string;
  /** The version that the API server stores. What holds for all versions is read from here. */
  readonly stored: Source;
  /** The stored one first, the others by name. */
  readonly versions: readonly Source[];
}

/** By property of a source the key of the file; the CRD has one of each for all versions. */
const shared = {
  kind: 'kind',
  plural: 'plural',
  managed: 'managed',
  forms: 'scopes',
  shortNames: 'shortNames',
  categories: 'categories',
  conversion: 'conversion',
} as const satisfies Partial<Record<keyof Source, string>>;

/**
 * Groups sources by kind: the sources of a kind are files of one name below the folder of its group.
 *
 * @param folders folder of the CRDs by group, where it is not `crds`
 * @throws SourceError where the sources of a kind contradict each other
 */
export function mergeVersions(
  sources: readonly Source[],
  folders: ReadonlyMap<string, string>,
  crds = 'package/crds',
): Kind[] {
  const byKind = Map.groupBy(sources, ({ file }) => file.replace(/[^/]+\/(?=[^/]+$)/, ''));
  return [...byKind].map(([path, versions]) => ({
    folder: folders.get(path.split('/').at(-2) ?? '') ?? crds,
    ...mergeKind(versions),
  }));
}

function mergeKind(versions: readonly Source[]): Pick<Kind, 'stored' | 'versions'> {
  const sorted = versions.toSorted((a, b) => (a.version < b.version ? -1 : 1));
  const [stored, second] = sorted.filter(({ storage }) => storage);
  if (stored === undefined) {
    return fail(versions[0], 'versions', 'no version of the kind is stored; one has storage: true');
  }
  if (second !== undefined) {
    fail(second, 'versions', `${second.version} is stored, and so is ${stored.version} of ${stored.file}`);
  }
  const others = sorted.filter((source) => source !== stored);
  for (const [index, source] of others.entries()) {
    const twin = [stored, ...others.slice(0, index)].find(({ version }) => version === source.version);
    if (twin !== undefined) fail(source, 'versions', `${twin.version} is stated in ${twin.file} already`);
    for (const [property, key] of Object.entries(shared)) {
      const [own, expected] = [source, stored].map((each) => JSON.stringify(each[property as keyof Source]));
      if (own !== expected) fail(source, key, `differs from ${stored.file}; all versions of a kind share it`);
    }
  }
  return { stored, versions: [stored, ...others] };
}

function fail(source: Source | undefined, key: string, problem: string): never {
  const at: Position | undefined = source?.at[key];
  throw new SourceError(source?.file ?? 'apis', at ?? { line: 1, col: 1 }, `${key}: ${problem}`);
}

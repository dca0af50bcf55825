import { unlimitedBytes } from '../../../../framework/base/collections/byte-budget.ts';
import {
  type ByteBudget,
  createSharedCalls,
  type Deps,
  isObject,
  ProviderError,
  valueAt,
} from '../../../../framework/base/index.ts';
import { apiVersionOf, type ResourceType } from '../../../../framework/kube/index.ts';
import type { Kinds } from '../model/component.ts';
import { KindsUnknownError } from '../model/kinds-unknown-error.ts';

/** How long kinds are known, in ms: others may remove or change them. */
const KNOWN_MS = 60_000;

interface CachedKindsOptions extends Pick<Deps, 'clock'> {
  /** What the kinds use while they are known; default: no limit. */
  readonly memory?: ByteBudget | undefined;
}

/**
 * The kinds of a cluster, discovered when they are first asked for, again if one is missing, and after a minute. `forget` gives their
 * memory back.
 */
export function createCachedKinds(
  discover: (signal: AbortSignal) => Promise<Discovery>,
  { clock, memory = unlimitedBytes }: CachedKindsOptions,
): Kinds {
  interface Known extends Discovery {
    readonly byName: ReadonlyMap<string, ResourceType>;
    readonly at: number;
    readonly bytes: number;
  }
  let known: Known | undefined;
  let forgotten = 0;
  const discoveries = createSharedCalls<Known>();

  const discovered = async (signal: AbortSignal): Promise<Known> => {
    const before = forgotten;
    const next = await discoveries.join(
      String(before),
      async (callSignal) => {
        const at = clock.monotonic();
        const { kinds, versions } = await discover(callSignal);
        return {
          at,
          kinds,
          versions,
          byName: new Map(kinds.map(({ type }) => [nameOf(apiVersionOf(type), type.kind), type])),
          bytes: bytesOf(kinds),
        };
      },
      signal,
    );
    // A CRD that was applied in the meantime is not among them.
    if (before === forgotten && known !== next) keep(next);
    return next;
  };
  const keep = (next: Known | undefined) => {
    memory.give(known?.bytes ?? 0);
    known = undefined;
    if (next !== undefined && !memory.take(next.bytes)) throw noMemoryFor('the kinds of the cluster');
    known = next;
  };

  const current = () => (known !== undefined && clock.monotonic() - known.at < KNOWN_MS ? known : undefined);

  return {
    find: async (apiVersion, kind, { signal }) => {
      const name = nameOf(apiVersion, kind);
      const found = current()?.byName.get(name);
      if (found !== undefined) return found;
      const next = await discovered(signal);
      const type = next.byName.get(name);
      if (type === undefined) assertKnown(next.versions.filter((each) => apiVersionOf(each) === apiVersion));
      return type;
    },
    all: async ({ signal, category, group }) => {
      const { kinds, versions } = current() ?? (await discovered(signal));
      const isOfGroup = (each: { readonly group: string }) => group === undefined || each.group === group;
      assertKnown(versions.filter((each) => isOfGroup(each) && !isOfMetrics(each)));
      const preferred = new Map<string, ResourceType>();
      for (const { type, verbs, categories } of kinds) {
        if (!isOfGroup(type) || !verbs.has('list') || !verbs.has('delete')) continue;
        if (category !== undefined && !categories.has(category)) continue;
        const name = `${type.group}/${type.kind}`;
        if (!preferred.has(name)) preferred.set(name, type);
      }
      return [...preferred.values()];
    },
    apiVersions: async ({ signal }) => {
      const { kinds, versions } = current() ?? (await discovered(signal));
      const names = kinds.map(({ type }) => `${apiVersionOf(type)}/${type.kind}`);
      return [...new Set([...versions.map(apiVersionOf), ...names])].sort();
    },
    forget: () => {
      keep(undefined);
      forgotten++;
    },
  };
}

/** @param what `the kinds of the cluster` */
export const noMemoryFor = (what: string): ProviderError =>
  new ProviderError('transient', `there is no memory for ${what} now`);

/** Of a kind with its verbs and categories, besides their characters. */
const KIND_BYTES = 600;

const bytesOf = (kinds: readonly ServedKind[]): number =>
  kinds.reduce(
    (sum, { type, verbs, categories }) =>
      sum +
      KIND_BYTES +
      [type.kind, type.plural, ...verbs, ...categories].reduce((length, text) => length + text.length, 0),
    0,
  );

/** @throws KindsUnknownError */
function assertKnown(versions: readonly ServedVersion[]): void {
  const unknown = versions.filter(({ isKnown }) => !isKnown).map(apiVersionOf);
  if (unknown.length > 0) throw new KindsUnknownError(unknown);
}

/** `metrics.k8s.io`, `external.metrics.k8s.io`: measurements, which are neither created nor deleted. Their servers are often down. */
const isOfMetrics = ({ group }: ServedVersion): boolean => /(?:^|\.)metrics\.k8s\.io$/.test(group);

const nameOf = (apiVersion: string, kind: string) => `${apiVersion} ${kind}`;

/** A kind of a version, as a cluster serves it. */
export interface ServedKind {
  readonly type: ResourceType;
  readonly verbs: ReadonlySet<string>;
  /** `all` and others: what `kubectl get all` lists. */
  readonly categories: ReadonlySet<string>;
}

/** A version of a group. */
interface ServedVersion {
  readonly group: string;
  readonly version: string;
  /** Whether its kinds could be read: those of an aggregated API server that does not answer are unknown. */
  readonly isKnown: boolean;
}

/** What a cluster serves. */
export interface Discovery {
  readonly kinds: readonly ServedKind[];
  readonly versions: readonly ServedVersion[];
}

/** A group's name, a version, a plural or a kind: what may be a part of a path. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/;

const isName = (value: unknown): value is string => typeof value === 'string' && NAME.test(value);
/** Verbs, or categories, of a kind. API servers have eight verbs. */
const MAX_TEXTS = 32;
const textsOf = (value: unknown): ReadonlySet<string> =>
  new Set(Array.isArray(value) ? value.slice(0, MAX_TEXTS).filter(isName) : []);
const itemsOf = (value: unknown, name: string): readonly unknown[] => {
  const items = valueAt(value, [name]);
  return Array.isArray(items) ? items : [];
};

/**
 * What an `APIGroupDiscoveryList` has, versions of a group in the order of its preference; undefined for other documents. A stale
 * version has the kinds that it had last, or none.
 */
export function parseAggregated(document: unknown): Discovery | undefined {
  if (valueAt(document, ['kind']) !== 'APIGroupDiscoveryList') return undefined;
  const kinds: ServedKind[] = [];
  const versions: ServedVersion[] = [];
  for (const item of itemsOf(document, 'items')) {
    const group = valueAt(item, ['metadata', 'name']) ?? '';
    if (group !== '' && !isName(group)) continue;
    for (const served of itemsOf(item, 'versions')) {
      const version = valueAt(served, ['version']);
      if (!isName(version)) continue;
      const resources = itemsOf(served, 'resources');
      kinds.push(...resources.flatMap((resource) => aggregatedKind(resource, group, version)));
      const isKnown = resources.length > 0 || valueAt(served, ['freshness']) !== 'Stale';
      versions.push({ group, version, isKnown });
    }
  }
  return { kinds, versions };
}

function aggregatedKind(resource: unknown, group: string, version: string): ServedKind[] {
  const plural = valueAt(resource, ['resource']);
  const kind = valueAt(resource, ['responseKind', 'kind']);
  if (!isName(plural) || !isName(kind)) return [];
  return [
    {
      type: { group, version, kind, plural, namespaced: valueAt(resource, ['scope']) === 'Namespaced' },
      verbs: textsOf(valueAt(resource, ['verbs'])),
      categories: textsOf(valueAt(resource, ['categories'])),
    },
  ];
}

/** The kinds of an `APIResourceList`, without subresources. */
export function parseResources(document: unknown, group: string, version: string): readonly ServedKind[] {
  return itemsOf(document, 'resources').flatMap((resource): ServedKind[] => {
    const plural = valueAt(resource, ['name']);
    const kind = valueAt(resource, ['kind']);
    if (!isObject(resource) || !isName(plural) || !isName(kind)) return [];
    return [
      {
        type: { group, version, kind, plural, namespaced: resource.namespaced === true },
        verbs: textsOf(resource.verbs),
        categories: textsOf(resource.categories),
      },
    ];
  });
}

/** The versions of an `APIGroupList`, the preferred one of each group first. */
export function parseGroups(document: unknown): readonly { group: string; version: string }[] {
  return itemsOf(document, 'groups').flatMap((item) => {
    const group = valueAt(item, ['name']);
    if (!isName(group)) return [];
    const preferred = valueAt(item, ['preferredVersion', 'version']);
    const versions = itemsOf(item, 'versions').map((each) => valueAt(each, ['version']));
    const ordered = new Set([preferred, ...versions].filter(isName));
    return [...ordered].map((version) => ({ group, version }));
  });
}

import { isObject, valueAt } from '../../../../framework/base/index.ts';
import type { ResourceType } from '../../../../framework/kube/index.ts';

/** A kind of a version, as a cluster serves it. */
export interface ServedKind {
  readonly type: ResourceType;
  readonly verbs: ReadonlySet<string>;
  /** `all` and others: what `kubectl get all` lists. */
  readonly categories: ReadonlySet<string>;
}

/** A version of a group. */
export interface ServedVersion {
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
const textsOf = (value: unknown): ReadonlySet<string> =>
  new Set(Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);
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

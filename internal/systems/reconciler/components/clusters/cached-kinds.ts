import { createSharedCalls, type Deps } from '../../../../framework/base/index.ts';
import { apiVersionOf, type ResourceType } from '../../../../framework/kube/index.ts';

import type { Kinds } from '../model/component.ts';
import { KindsUnknownError } from '../model/kinds-unknown-error.ts';
import type { Discovery, ServedVersion } from './parse-discovery.ts';

/** How long kinds are known, in ms: others may remove or change them. */
const KNOWN_MS = 60_000;

/** The kinds of a cluster, discovered when they are first asked for, again if one is missing, and after a minute. */
export function createCachedKinds(
  discover: (signal: AbortSignal) => Promise<Discovery>,
  { clock }: Pick<Deps, 'clock'>,
): Kinds {
  interface Known extends Discovery {
    readonly byName: ReadonlyMap<string, ResourceType>;
    readonly at: number;
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
        };
      },
      signal,
    );
    // A CRD that was applied in the meantime is not among them.
    if (before === forgotten) known = next;
    return next;
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
      known = undefined;
      forgotten++;
    },
  };
}

/** @throws KindsUnknownError */
function assertKnown(versions: readonly ServedVersion[]): void {
  const unknown = versions.filter(({ isKnown }) => !isKnown).map(apiVersionOf);
  if (unknown.length > 0) throw new KindsUnknownError(unknown);
}

/** `metrics.k8s.io`, `external.metrics.k8s.io`: measurements, which nobody creates or deletes. Their servers are often down. */
const isOfMetrics = ({ group }: ServedVersion): boolean => /(?:^|\.)metrics\.k8s\.io$/.test(group);

const nameOf = (apiVersion: string, kind: string) => `${apiVersion} ${kind}`;

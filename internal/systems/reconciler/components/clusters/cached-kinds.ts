import { createSharedCalls, type Deps } from '../../../../framework/base/index.ts';
import { apiVersionOf, type ResourceType } from '../../../../framework/kube/index.ts';

import type { Kinds } from '../model/component.ts';
import type { ServedKind } from './parse-discovery.ts';

/** How long kinds are known, in ms: others may remove or change them. */
const KNOWN_MS = 60_000;

/** The kinds of a cluster, discovered when they are first asked for, again if one is missing, and after a minute. */
export function createCachedKinds(
  discover: (signal: AbortSignal) => Promise<readonly ServedKind[]>,
  { clock }: Pick<Deps, 'clock'>,
): Kinds {
  interface Known {
    readonly served: readonly ServedKind[];
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
        const served = await discover(callSignal);
        return {
          at,
          served,
          byName: new Map(served.map(({ type }) => [nameOf(apiVersionOf(type), type.kind), type])),
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
      return found ?? (await discovered(signal)).byName.get(name);
    },
    all: async ({ signal, category }) => {
      const { served } = current() ?? (await discovered(signal));
      const preferred = new Map<string, ResourceType>();
      for (const { type, verbs, categories } of served) {
        if (!verbs.has('list') || !verbs.has('delete')) continue;
        if (category !== undefined && !categories.has(category)) continue;
        const name = `${type.group}/${type.kind}`;
        if (!preferred.has(name)) preferred.set(name, type);
      }
      return [...preferred.values()];
    },
    apiVersions: async ({ signal }) => {
      const { served } = current() ?? (await discovered(signal));
      const names = served.flatMap(({ type }) => {
        const version = apiVersionOf(type);
        return [version, `${version}/${type.kind}`];
      });
      return [...new Set(names)].sort();
    },
    forget: () => {
      known = undefined;
      forgotten++;
    },
  };
}

const nameOf = (apiVersion: string, kind: string) => `${apiVersion} ${kind}`;

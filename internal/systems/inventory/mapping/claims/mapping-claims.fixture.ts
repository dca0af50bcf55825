import { ProviderError, type WatchedObject } from '../../../../framework/base/errors/errors.ts';
import { createFakeClock, type FakeClock } from '../../../../framework/base/time/fake-clock.ts';
import type { Source } from '../../../../framework/controller/index.ts';
import { createFakeCache, type FakeCache } from '../../../../framework/kube/fakes/fake-cache.ts';
import { mappingOf, type TestMapping, testAccess, testKind } from '../mapping.fixture.ts';
import type { MappingIdentity } from '../mapping-identity.ts';
import type { MappingKind } from '../mapping-kind.ts';
import { annotationSeenBy } from '../visibility-records.ts';
import { createMappingClaims, type MappingClaims, type MappingClaimsIndex } from './mapping-claims.ts';

export const x = mappingOf('i-1');
export const y = mappingOf('i-2');
export const { api } = testAccess;
/** Creation days in January: first in the alphabet is oldest. */
const dayOf = { anna: '01', bert: '02', carl: '03' } as const;
type Name = keyof typeof dayOf;

export interface Given extends Partial<Omit<TestMapping, 'metadata'>> {
  readonly namespace?: string;
  readonly annotations?: Record<string, string>;
}

export function resource(name: Name, { namespace, annotations, ...over }: Given = {}): TestMapping {
  const scope = namespace === undefined ? {} : { namespace };
  return {
    apiVersion: 'example.org/v1',
    kind: 'Mapping',
    metadata: {
      name,
      ...scope,
      uid: `uid-${name}`,
      creationTimestamp: `2024-01-${dayOf[name]}T00:00:00Z`,
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {},
    ...over,
  };
}
/** The status of a mapping that exists. A claim by it alone is unconfirmed. */
export const onRecord = (identity: MappingIdentity): Pick<Given, 'status'> => ({
  status: { known: identity, present: true },
});
/** As stored by an earlier process that saw the mapping. */
export const stored = (identity: MappingIdentity): Pick<Given, 'status' | 'annotations'> => ({
  ...onRecord(identity),
  annotations: { [annotationSeenBy]: `${identity.serviceInstanceID}/viewer.api` },
});
export const recorded = (name: Name, over: Given = {}) => resource(name, { ...stored(x), ...over });
/** Each resource's external name is that of a create that may not have ended. */
export const creatingKind: MappingKind<TestMapping> = {
  ...testKind,
  recordsOf: (of) => ({ ...testKind.recordsOf(of), createUnfinished: true }),
};

interface Setup {
  readonly clock: FakeClock;
  readonly index: MappingClaimsIndex;
  readonly cache: FakeCache<TestMapping>;
  readonly claims: MappingClaims<TestMapping>;
  readonly source: Source;
  /** The keys that the source has enqueued. */
  readonly requeued: string[];
  readonly stop: () => void;
}

/** The claims of a kind with a started source. */
export function setup(objects: readonly TestMapping[], kind: MappingKind<TestMapping> = testKind): Setup {
  const clock = createFakeClock();
  const index = createMappingClaims({ clock });
  const cache = createFakeCache(objects);
  const claims = index.of(kind);
  const source = claims.source(cache, 'mappings.example.org');
  const requeued: string[] = [];
  const stop = source.start((key) => requeued.push(key));
  return { clock, index, cache, claims, source, requeued, stop };
}

export function thrownBy(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Whether another resource holds the mapping, recorded or not. */
export const isAnothers = (
  claims: MappingClaims<TestMapping>,
  of: TestMapping,
  identity: MappingIdentity,
  at: string,
): boolean => thrownBy(() => claims.assertOwn(of, identity, at)) !== undefined;

/** The objects whose changes requeue a resource after the error. */
export function targetsOf(error: unknown): readonly WatchedObject[] {
  return error instanceof ProviderError ? error.targets : [];
}

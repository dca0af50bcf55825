import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { createFakeCache } from '../../../../framework/kube/fakes/fake-cache.ts';
import { mappingOf, type TestMapping, testKind } from '../mapping.fixture.ts';
import { annotationSeenBy } from '../visibility-records.ts';
import type { ClaimAnswer } from './claim-record.ts';
import { isAnothers } from './mapping-claims.fixture.ts';
import { createMappingClaims, type MappingClaims } from './mapping-claims.ts';

describe('claims to a mapping with hostile claimants', () => {
  const target = mappingOf('i-owner');
  const real = 'real';
  /** Hostile claimants are older. HANA Cloud shows the instance only to the other two. */
  const actors = {
    thief: { day: '01', scope: {}, mayList: false },
    tenant: { day: '02', scope: { namespace: 'tenant' }, mayList: false },
    owner: { day: '03', scope: {}, mayList: true },
    twin: { day: '04', scope: { namespace: 'twin' }, mayList: true },
  } as const;
  type Actor = keyof typeof actors;
  const names = ['thief', 'tenant', 'owner', 'twin'] as const satisfies readonly Actor[];
  const hostile = ['thief', 'tenant'] as const satisfies readonly Actor[];

  type Step =
    /** At any API; a hostile claimant has its own API that shows every instance. */
    | { kind: 'reconcile'; actor: Actor; atOwnApi: boolean; refusal: 'unknown' | 'refused' }
    /** A user who may write in the namespace writes status and annotation. */
    | { kind: 'forge' }
    | { kind: 'remove' | 'create'; actor: Actor }
    | { kind: 'restart' }
    | { kind: 'elapse'; ms: number };
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('reconcile' as const),
        actor: fc.constantFrom(...names),
        atOwnApi: fc.boolean(),
        refusal: fc.constantFrom('unknown' as const, 'refused' as const),
      }),
    },
    fc.constant({ kind: 'forge' as const }),
    fc.record({
      kind: fc.constantFrom('remove' as const, 'create' as const),
      actor: fc.constantFrom(...names),
    }),
    fc.constant({ kind: 'restart' as const }),
    fc.record({ kind: fc.constant('elapse' as const), ms: fc.integer({ min: 0, max: 100_000 }) }),
  );

  const fresh = (actor: Actor): TestMapping => ({
    apiVersion: 'example.org/v1',
    kind: 'Mapping',
    metadata: {
      name: actor,
      uid: `uid-${actor}`,
      creationTimestamp: `2024-01-${actors[actor].day}T00:00:00Z`,
      ...actors[actor].scope,
    },
    spec: { isDefault: true },
  });
  /** Status and annotation as stored after the API showed the mapping, or forged. */
  const recordedAt = (actor: Actor, api: string): TestMapping => {
    const { metadata, ...rest } = fresh(actor);
    const annotations = { [annotationSeenBy]: `${target.serviceInstanceID}/${actor}.${api}` };
    return { ...rest, metadata: { ...metadata, annotations }, status: { known: target, present: true } };
  };

  /** A provider with restarts, the stored objects, and a model of confirmed claims. */
  function setup() {
    const clock = createFakeClock();
    const objects = new Map<Actor, TestMapping>(names.map((name) => [name, fresh(name)]));
    const confirmed = new Set<Actor>();
    const start = () => {
      const cache = createFakeCache([...objects.values()]);
      const claims = createMappingClaims({ clock }).of(testKind);
      claims.source(cache, 'mappings.example.org').start(() => undefined);
      return { cache, claims };
    };
    let process = start();
    const put = (actor: Actor, object: TestMapping) => {
      objects.set(actor, object);
      process.cache.put(object);
    };
    const reconcile = (actor: Actor, atOwnApi: boolean, refusal: 'unknown' | 'refused') => {
      const object = objects.get(actor);
      if (object === undefined) return;
      const { mayList } = actors[actor];
      const api = atOwnApi && !mayList ? 'evil' : real;
      const outcome = mayList || api === 'evil' ? 'shown' : refusal;
      const answer: ClaimAnswer = {
        identity: target,
        access: { api, viewer: actor },
        outcome,
        isPresent: outcome === 'shown',
      };
      process.claims.state(object, answer);
      if (outcome !== 'shown') return;
      put(actor, recordedAt(actor, api));
      if (mayList) confirmed.add(actor);
    };
    return {
      clock,
      confirmed,
      claims: (): MappingClaims<TestMapping> => process.claims,
      object: (actor: Actor) => objects.get(actor),
      take: async (taken: Step): Promise<void> => {
        switch (taken.kind) {
          case 'reconcile':
            return reconcile(taken.actor, taken.atOwnApi, taken.refusal);
          case 'forge':
            if (objects.has('tenant')) put('tenant', recordedAt('tenant', real));
            return;
          case 'remove': {
            const object = objects.get(taken.actor);
            objects.delete(taken.actor);
            confirmed.delete(taken.actor);
            if (object !== undefined) process.cache.remove(object);
            return;
          }
          case 'create':
            if (!objects.has(taken.actor)) put(taken.actor, fresh(taken.actor));
            return;
          case 'restart':
            // Records that a tenant can write are not read after a restart.
            confirmed.delete('twin');
            process = start();
            return;
          case 'elapse':
            return clock.advance(taken.ms);
          default:
            return taken satisfies never;
        }
      },
    };
  }

  const rivalsIn = (claims: MappingClaims<TestMapping>, object: TestMapping) => ({
    mapping: isAnothers(claims, object, target, real),
    default: isThrown(() => claims.assertDefault(object, target, real)),
  });
  const isThrown = (work: () => void): boolean => {
    try {
      work();
      return false;
    } catch {
      return true;
    }
  };

  test('no resource loses to a claimant without access to the instance, and the older honest one wins', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { take, claims, object, confirmed } = setup();
        for (const each of steps) {
          await take(each);
          const [owner, twin] = [object('owner'), object('twin')];
          const isOwners = confirmed.has('owner');
          // A confirmed claimant has no younger rival; an unconfirmed one yields to a younger confirmed one.
          if (owner !== undefined) {
            const mapping = !isOwners && confirmed.has('twin');
            expect(rivalsIn(claims(), owner)).toEqual({ mapping, default: false });
          }
          if (twin !== undefined) {
            expect(rivalsIn(claims(), twin)).toEqual({ mapping: isOwners, default: isOwners });
          }
        }
      }),
    );
  });

  test('hostile claimants delay decisions only once after a start, for a limited time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { take, claims, object, clock } = setup();
        for (const each of steps) await take(each);
        const owner = object('owner') ?? fresh('owner');
        const decide = () => claims().assertDecided(owner, target, real, 'delete it');
        isThrown(decide);
        await clock.advance(120_000);
        expect(decide).not.toThrow();
        // Later claims do not delay it again.
        for (const actor of hostile) {
          await take({ kind: 'forge' });
          await take({ kind: 'reconcile', actor, atOwnApi: true, refusal: 'unknown' });
          expect(decide).not.toThrow();
        }
      }),
    );
  });
});

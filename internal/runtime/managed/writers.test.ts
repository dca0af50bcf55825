import { beforeEach, expect, test } from '@jest/globals';
import { createFakeClock, type FakeClock } from '../../base/fake-clock.ts';
import { clusterWidgets, widget } from '../fakes/managed-harness.ts';
import { managedFinalizer } from '../steps/finalizer.ts';
import { annotationExternalWriterPending as pending, annotationExternalWriter as writer } from './meta.ts';
import { createWriters, withoutWriter } from './writers.ts';

const holdMs = 70_000;
let clock: FakeClock;
beforeEach(() => {
  clock = createFakeClock();
});

const writersOf = (shard: string) => createWriters({ clock, shard, holdMs });
const resource = (annotations: Record<string, string> = {}, finalizers = [managedFinalizer], uid = 'uid-w') =>
  widget(clusterWidgets, { metadata: { annotations, finalizers, uid } });

test.each([
  {
    shard: '',
    of: {},
    finalizers: [],
    state: 'own',
    why: 'one process has all, as long as nobody says otherwise',
  },
  { shard: '', of: {}, finalizers: [managedFinalizer], state: 'own', why: 'the same' },
  {
    shard: 's=a',
    of: {},
    finalizers: [],
    state: 'unclaimed',
    why: 'without our finalizer nothing was ever done for it',
  },
  { shard: 's=a', of: {}, finalizers: [managedFinalizer], state: 'foreign', why: 'one process had all' },
  { shard: 's=a', of: { [writer]: 's=a' }, finalizers: [], state: 'own', why: 'it says so' },
  { shard: 's=a', of: { [writer]: 's=b' }, finalizers: [], state: 'foreign', why: 'it says so' },
  { shard: '', of: { [writer]: 's=b' }, finalizers: [], state: 'foreign', why: 'it says so' },
  {
    shard: 's=a',
    of: { [pending]: 't' },
    finalizers: [],
    state: 'foreign',
    why: 'one process was taking it over',
  },
])(
  'to "$shard" a resource with $of and finalizers $finalizers is $state: $why',
  ({ shard, of, finalizers, state }) => {
    expect(writersOf(shard).standing('w', resource(of as never, finalizers))).toEqual({ state });
  },
);

test('a take-over lasts from its storing on, until it is put on record', async () => {
  const writers = writersOf('s=a');
  const object = resource({ [writer]: 's=b', other: 'x' });
  writers.stageTakeOver('w', object);
  expect(object.metadata.annotations).toEqual({
    [writer]: 's=a',
    [pending]: '2024-01-01T00:00:00Z',
    other: 'x',
  });
  await clock.advance(1000);
  writers.tookOver('w', object);
  expect(writers.standing('w', object)).toEqual({ state: 'held', remainingMs: holdMs });
  await clock.advance(holdMs - 1);
  expect(writers.standing('w', object)).toEqual({ state: 'held', remainingMs: 1 });
  await clock.advance(1);
  expect(writers.standing('w', object)).toEqual({ state: 'settled' });
  writers.stageSettled(object);
  expect(object.metadata.annotations).toEqual({ [writer]: 's=a', other: 'x' });
  expect(writers.standing('w', object)).toEqual({ state: 'own' });
});

test('back in one process a resource names nobody', () => {
  const object = resource({ [writer]: 's=b' });
  const writers = writersOf('');
  writers.stageTakeOver('w', object);
  expect(object.metadata.annotations).not.toHaveProperty([writer]);
  expect(writers.standing('w', object)).toMatchObject({ state: 'held' });
});

test('whoever finds the take-over of another process of its shard waits from then on, whatever the annotation says', async () => {
  const object = resource({ [writer]: 's=a', [pending]: '1999-01-01T00:00:00Z' });
  const writers = writersOf('s=a');
  expect(writers.standing('w', object)).toEqual({ state: 'held', remainingMs: holdMs });
  await clock.advance(10_000);
  expect(writers.standing('w', object)).toEqual({ state: 'held', remainingMs: holdMs - 10_000 });
  expect(writers.standing('w', resource({ [writer]: 's=a', [pending]: '2000-01-01T00:00:00Z' }))).toEqual({
    state: 'held',
    remainingMs: holdMs,
  });
});

test('a take-over whose answer was lost counts from the first sight of it', async () => {
  const writers = writersOf('s=a');
  const object = resource({ [writer]: 's=b' });
  writers.stageTakeOver('w', object);
  await clock.advance(holdMs);
  expect(writers.standing('w', object)).toEqual({ state: 'held', remainingMs: holdMs });
});

test('what another shard takes while it is selected here is left to it for a while, and then taken back', async () => {
  const writers = writersOf('s=a');
  expect(writers.standing('w', resource({ [writer]: 's=a' }))).toEqual({ state: 'own' });
  const lost = resource({ [writer]: 's=b', [pending]: 't' });
  expect(writers.standing('w', lost)).toEqual({ state: 'lost' });
  await clock.advance(2 * holdMs - 1);
  expect(writers.standing('w', lost)).toEqual({ state: 'lost' });
  await clock.advance(1);
  expect(writers.standing('w', lost)).toEqual({ state: 'foreign' });
});

test('what left and comes back is taken over at once, and so is another resource of that name', () => {
  const writers = writersOf('s=a');
  const lost = resource({ [writer]: 's=b' });
  writers.standing('w', resource({ [writer]: 's=a' }));
  expect(writers.standing('w', resource({ [writer]: 's=b' }, [], 'uid-2'))).toEqual({ state: 'foreign' });
  writers.forget('w');
  expect(writers.standing('w', lost)).toEqual({ state: 'foreign' });
});

test('a copy without writer leaves the resource as it is', () => {
  const object = resource({ [writer]: 's=a', [pending]: 't', other: 'x' });
  expect(withoutWriter(object).metadata.annotations).toEqual({ other: 'x' });
  expect(object.metadata.annotations).toHaveProperty([writer], 's=a');
});

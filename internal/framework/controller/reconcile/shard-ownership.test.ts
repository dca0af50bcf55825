import { beforeEach, expect, test } from '@jest/globals';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import { clusterWidgets, widget } from '../../kube/fakes/widget.ts';
import { managedFinalizer } from './finalizer.ts';
import {
  createShardOwnership,
  annotationShardOwner as owner,
  annotationShardOwnerPending as pending,
  withoutShardOwner,
} from './shard-ownership.ts';

const delayMs = 70_000;
let clock: FakeClock;
beforeEach(() => {
  clock = createFakeClock();
});

const ownershipOf = (shard: string) =>
  createShardOwnership({ clock, shard, delayMs, finalizer: managedFinalizer });
const resource = (annotations: Record<string, string> = {}, finalizers = [managedFinalizer], uid = 'uid-w') =>
  widget(clusterWidgets, { metadata: { annotations, finalizers, uid } });

test.each([
  {
    shard: '',
    of: {},
    finalizers: [],
    state: 'own',
    why: 'by default one process has all',
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
  { shard: 's=a', of: { [owner]: 's=a' }, finalizers: [], state: 'own', why: 'it says so' },
  { shard: 's=a', of: { [owner]: 's=b' }, finalizers: [], state: 'foreign', why: 'it says so' },
  { shard: '', of: { [owner]: 's=b' }, finalizers: [], state: 'foreign', why: 'it says so' },
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
    expect(ownershipOf(shard).of('w', resource(of as never, finalizers))).toEqual({ state });
  },
);

test('the ownership delay lasts from the storing of the acquisition until its end is recorded', async () => {
  const ownership = ownershipOf('s=a');
  const object = resource({ [owner]: 's=b', other: 'x' });
  ownership.stageAcquisition('w', object);
  expect(object.metadata.annotations).toEqual({
    [owner]: 's=a',
    [pending]: '2024-01-01T00:00:00Z',
    other: 'x',
  });
  await clock.advance(1000);
  ownership.onAcquired('w', object);
  expect(ownership.of('w', object)).toEqual({ state: 'delayed', remainingMs: delayMs });
  await clock.advance(delayMs - 1);
  expect(ownership.of('w', object)).toEqual({ state: 'delayed', remainingMs: 1 });
  await clock.advance(1);
  expect(ownership.of('w', object)).toEqual({ state: 'unrecorded' });
  ownership.stageRecord(object);
  expect(object.metadata.annotations).toEqual({ [owner]: 's=a', other: 'x' });
  expect(ownership.of('w', object)).toEqual({ state: 'own' });
});

test('a process without a selector removes the owner', () => {
  const object = resource({ [owner]: 's=b' });
  const ownership = ownershipOf('');
  ownership.stageAcquisition('w', object);
  expect(object.metadata.annotations).not.toHaveProperty([owner]);
  expect(ownership.of('w', object)).toMatchObject({ state: 'delayed' });
});

test('an acquisition by another process of the shard delays from the first read of it, whatever the annotation says', async () => {
  const object = resource({ [owner]: 's=a', [pending]: '1999-01-01T00:00:00Z' });
  const ownership = ownershipOf('s=a');
  expect(ownership.of('w', object)).toEqual({ state: 'delayed', remainingMs: delayMs });
  await clock.advance(10_000);
  expect(ownership.of('w', object)).toEqual({ state: 'delayed', remainingMs: delayMs - 10_000 });
  expect(ownership.of('w', resource({ [owner]: 's=a', [pending]: '2000-01-01T00:00:00Z' }))).toEqual({
    state: 'delayed',
    remainingMs: delayMs,
  });
});

test('an acquisition whose response was lost delays from the first read of it', async () => {
  const ownership = ownershipOf('s=a');
  const object = resource({ [owner]: 's=b' });
  ownership.stageAcquisition('w', object);
  await clock.advance(delayMs);
  expect(ownership.of('w', object)).toEqual({ state: 'delayed', remainingMs: delayMs });
});

test('what another shard acquires while it is selected here is lost for a while, and then foreign', async () => {
  const ownership = ownershipOf('s=a');
  expect(ownership.of('w', resource({ [owner]: 's=a' }))).toEqual({ state: 'own' });
  const lost = resource({ [owner]: 's=b', [pending]: 't' });
  expect(ownership.of('w', lost)).toEqual({ state: 'lost' });
  await clock.advance(2 * delayMs - 1);
  expect(ownership.of('w', lost)).toEqual({ state: 'lost' });
  await clock.advance(1);
  expect(ownership.of('w', lost)).toEqual({ state: 'foreign' });
});

test('what left and comes back is foreign at once, and so is another resource of that name', () => {
  const ownership = ownershipOf('s=a');
  const lost = resource({ [owner]: 's=b' });
  ownership.of('w', resource({ [owner]: 's=a' }));
  expect(ownership.of('w', resource({ [owner]: 's=b' }, [], 'uid-2'))).toEqual({ state: 'foreign' });
  ownership.forget('w');
  expect(ownership.of('w', lost)).toEqual({ state: 'foreign' });
});

test('a copy without owner leaves the resource as it is', () => {
  const object = resource({ [owner]: 's=a', [pending]: 't', other: 'x' });
  expect(withoutShardOwner(object).metadata.annotations).toEqual({ other: 'x' });
  expect(object.metadata.annotations).toHaveProperty([owner], 's=a');
});

test.each(['', 's=a'])(
  'a record with the former names for "%s" is read once, and replaced',
  async (shard) => {
    const ownership = ownershipOf(shard);
    const former = 'crossplane.io/external-writer';
    const recorded: Record<string, string> =
      shard === '' ? { [`${former}-pending`]: 't' } : { [former]: shard };
    const object = resource({ ...recorded, other: 'x' });
    if (shard === '') {
      expect(ownership.of('w', object)).toEqual({ state: 'delayed', remainingMs: delayMs });
      await clock.advance(delayMs);
    }
    expect([ownership.ownerOf(object), ownership.of('w', object)]).toEqual([shard, { state: 'unrecorded' }]);
    ownership.stageRecord(object);
    expect(object.metadata.annotations).toEqual({ other: 'x', ...(shard === '' ? {} : { [owner]: shard }) });
    expect(ownership.of('w', object)).toEqual({ state: 'own' });
  },
);

test('another shard is recognized by the former name, and replaced by an acquisition', () => {
  const ownership = ownershipOf('s=a');
  const object = resource({ 'crossplane.io/external-writer': 's=b' });
  expect(ownership.of('w', object)).toEqual({ state: 'foreign' });
  ownership.stageAcquisition('w', object);
  expect(Object.keys(object.metadata.annotations ?? {}).sort()).toEqual([owner, pending]);
});

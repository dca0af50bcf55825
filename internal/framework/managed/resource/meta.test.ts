import { describe, expect, test } from '@jest/globals';
import { clusterWidgets, widget } from '../fakes/managed-harness.ts';
import {
  createdRecently,
  createIncomplete,
  externalNameFrom,
  hasCreateIntent,
  isPaused,
  pollIntervalFrom,
  reconcileRequestFrom,
  recordedExternalName,
  setCreateFailed,
  setCreateIntent,
  setCreatePending,
  setCreateSucceeded,
  setExternalName,
} from './meta.ts';

const annotated = (annotations: Record<string, string>) =>
  widget(clusterWidgets, {
    metadata: {
      annotations: Object.fromEntries(Object.entries(annotations).map(([n, v]) => [`crossplane.io/${n}`, v])),
    },
  });
const [earlier, later] = ['2024-01-01T00:00:00Z', '2024-01-01T00:00:01Z'];

describe('createIncomplete', () => {
  test.each([
    { title: '[204] never pending: no', annotations: {}, incomplete: false },
    {
      title: '[205] succeeded later: no',
      annotations: { 'external-create-pending': earlier, 'external-create-succeeded': later },
      incomplete: false,
    },
    {
      title: '[206] failed later: no',
      annotations: { 'external-create-pending': earlier, 'external-create-failed': later },
      incomplete: false,
    },
    {
      title: '[207] only pending: yes',
      annotations: { 'external-create-pending': earlier },
      incomplete: true,
    },
    {
      title: '[208] an older success: yes',
      annotations: { 'external-create-pending': later, 'external-create-succeeded': earlier },
      incomplete: true,
    },
    {
      title: '[209] an older failure: yes',
      annotations: { 'external-create-pending': later, 'external-create-failed': earlier },
      incomplete: true,
    },
    {
      title: '(ours) the same second: no',
      annotations: { 'external-create-pending': earlier, 'external-create-failed': earlier },
      incomplete: false,
    },
    {
      title: '(ours) an unreadable time is none',
      annotations: { 'external-create-pending': 'yesterday' },
      incomplete: false,
    },
  ])('$title', ({ annotations, incomplete }) => {
    expect(createIncomplete(annotated(annotations))).toBe(incomplete);
  });

  test('stamps have whole seconds, so that a failure within the second of its attempt completes it', () => {
    const resource = widget(clusterWidgets);
    setCreatePending(resource, Date.UTC(2024, 0, 1, 0, 0, 0, 999));
    expect(createIncomplete(resource)).toBe(true);
    setCreateFailed(resource, Date.UTC(2024, 0, 1, 0, 0, 0, 1));
    expect(createIncomplete(resource)).toBe(false);
  });
});

test('an outcome counts even if the clock of the process that began the create was ahead', () => {
  const resource = widget(clusterWidgets);
  setCreatePending(resource, Date.UTC(2024, 0, 1, 0, 5));
  setCreateFailed(resource, Date.UTC(2024, 0, 1));
  expect(createIncomplete(resource)).toBe(false);
});

describe('hasCreateIntent', () => {
  const begun = () => {
    const resource = widget(clusterWidgets, { metadata: { uid: 'u-1' } });
    setExternalName(resource, 'a/b');
    setCreateIntent(resource);
    return resource;
  };

  test('is true for the object and the name that the create was begun for', () => {
    expect(hasCreateIntent(begun())).toBe(true);
  });

  test('is false for a name that was edited later', () => {
    const resource = begun();
    setExternalName(resource, 'a/c');
    expect(hasCreateIntent(resource)).toBe(false);
  });

  test.each(['', 'w'])('is true for a name that a Composition has replaced by %j', (habit) => {
    const resource = begun();
    setExternalName(resource, habit);
    expect([recordedExternalName(resource), hasCreateIntent(resource)]).toEqual(['a/b', true]);
  });

  test('is false for a copy of the object', () => {
    const resource = begun();
    resource.metadata.uid = 'u-2';
    expect(hasCreateIntent(resource)).toBe(false);
  });

  test('is false for an object without a name or an intent', () => {
    const resource = widget(clusterWidgets, { metadata: { uid: 'u-1' } });
    setCreateIntent(resource);
    expect(hasCreateIntent(resource)).toBe(false);
  });
});

describe('createdRecently', () => {
  const now = Date.UTC(2024, 0, 1, 0, 1, 0);
  test.each([
    { title: '[210] never created: no', annotations: {}, recently: false },
    {
      title: '[211] too long ago: no',
      annotations: { 'external-create-succeeded': earlier },
      recently: false,
    },
    {
      title: '[212] within the period: yes',
      annotations: { 'external-create-succeeded': '2024-01-01T00:00:45Z' },
      recently: true,
    },
  ])('$title', ({ annotations, recently }) => {
    expect(createdRecently(annotated(annotations), now, 30_000)).toBe(recently);
  });

  test('no period means never', () => {
    const resource = widget(clusterWidgets);
    setCreateSucceeded(resource, now);
    expect(createdRecently(resource, now, 0)).toBe(false);
  });
});

test.each([
  { title: '[213] true pauses', annotations: { paused: 'true' }, paused: true },
  { title: '[214] absent does not', annotations: {}, paused: false },
  { title: '[215] an empty value does not', annotations: { paused: '' }, paused: false },
  { title: '(ours) nor does another spelling', annotations: { paused: 'True' }, paused: false },
])('$title', ({ annotations, paused }) => {
  expect(isPaused(annotated(annotations as Record<string, string>))).toBe(paused);
});

test.each([
  { title: '[216] absent', annotations: {}, ms: undefined },
  { title: '[217] empty', annotations: { 'poll-interval': '' }, ms: undefined },
  { title: '[218] invalid', annotations: { 'poll-interval': 'soon' }, ms: undefined },
  { title: '[219] negative', annotations: { 'poll-interval': '-1m' }, ms: undefined },
  { title: '[220] zero', annotations: { 'poll-interval': '0s' }, ms: undefined },
  { title: '[221] valid', annotations: { 'poll-interval': '1h30m' }, ms: 5_400_000 },
])('poll interval annotation $title', ({ annotations, ms }) => {
  expect(pollIntervalFrom(annotated(annotations as Record<string, string>))).toBe(ms);
});

test.each([
  { title: '[222] absent', annotations: {}, token: undefined },
  { title: '[223] empty', annotations: { 'reconcile-requested-at': '' }, token: undefined },
  { title: '[224] present', annotations: { 'reconcile-requested-at': 'now' }, token: 'now' },
])('reconcile request $title', ({ annotations, token }) => {
  expect(reconcileRequestFrom(annotated(annotations as Record<string, string>))).toBe(token);
});

test('a long reconcile request is cut to what the status takes', () => {
  const token = reconcileRequestFrom(annotated({ 'reconcile-requested-at': 'x'.repeat(200_000) }));
  expect(token).toHaveLength(1024);
});

test('an external name is set and read, and an empty one is none', () => {
  const resource = annotated({ 'external-name': '' });
  expect(externalNameFrom(resource)).toBeUndefined();
  setExternalName(resource, 'a/b');
  expect(externalNameFrom(resource)).toBe('a/b');
});

import { expect, test } from '@jest/globals';
import { mergePatch } from '../../../framework/kube/apply/patches.ts';
import type { ObjectMeta } from '../../../framework/kube/index.ts';
import { finalizer } from '../metadata.ts';
import {
  addWatcher,
  credentialUse,
  type MarksPatch,
  releaseDeleted,
  removeWatchers,
  watchers,
  withSecretRefs,
} from './watch-marks.ts';

const plain: { metadata: ObjectMeta } = {
  metadata: {
    name: 'db',
    resourceVersion: '7',
    labels: { team: 'a' },
    annotations: { note: 'b' },
    finalizers: ['x/y'],
  },
};
const patched = (secret: { metadata: ObjectMeta }, patch: MarksPatch | undefined) =>
  patch === undefined ? secret : (mergePatch(secret, patch) as { metadata: ObjectMeta });

test('[B172] a watched Secret has the annotation of the instance, the label and the finalizer, besides those of others', () => {
  const patch = addWatcher(plain, 'uid-1');
  expect(patch?.metadata.resourceVersion).toBe('7');
  const marked = patched(plain, patch);
  expect(marked.metadata).toMatchObject({
    labels: { team: 'a', 'services.cloud.sap.com/watch-secret': 'true' },
    annotations: { note: 'b', 'services.cloud.sap.com/watch-secret-uid-1': 'true' },
    finalizers: ['x/y', finalizer],
  });
  expect(watchers(marked)).toEqual(['uid-1']);
  expect(addWatcher(marked, 'uid-1')).toBeUndefined();
});

test('a finalizer that others removed is restored', () => {
  const marked = patched(plain, addWatcher(plain, credentialUse));
  const stripped = { metadata: { ...marked.metadata, finalizers: ['x/y'] } };
  expect(patched(stripped, addWatcher(stripped, credentialUse))).toEqual(marked);
});

test('of the second instance it gets an annotation only', () => {
  const marked = patched(plain, addWatcher(plain, 'uid-1'));
  expect(addWatcher(marked, 'uid-2')).toEqual({
    metadata: { resourceVersion: '7', annotations: { 'services.cloud.sap.com/watch-secret-uid-2': 'true' } },
  });
});

test('[B61] [B169] the last instance removes all marks, another one its annotation only', () => {
  const one = patched(plain, addWatcher(plain, 'uid-1'));
  const two = patched(one, addWatcher(one, 'uid-2'));
  expect(patched(two, removeWatchers(two, ['uid-2']))).toEqual(one);
  expect(patched(one, removeWatchers(one, ['uid-1']))).toEqual(plain);
  expect(patched(two, removeWatchers(two, ['uid-1', 'uid-2']))).toEqual(plain);
});

test('a Secret without marks needs no patch', () => {
  expect(removeWatchers(plain, ['uid-1'])).toBeUndefined();
  expect(releaseDeleted(plain)).toBeUndefined();
});

test('a Secret that is being deleted is released', () => {
  const marked = patched(plain, addWatcher(plain, 'uid-1'));
  expect(releaseDeleted(marked)).toBeUndefined();
  const deleted = { metadata: { ...marked.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  expect(releaseDeleted(deleted)).toEqual({ metadata: { resourceVersion: '7', finalizers: ['x/y'] } });
});

test('[B12.10] an instance has a label for each Secret, unless its name is too long for one', () => {
  const long = 'a'.repeat(53);
  expect(withSecretRefs({ team: 'a', 'services.cloud.sap.com/secret-ref_old': 'old' }, ['db', long])).toEqual(
    {
      team: 'a',
      'services.cloud.sap.com/secret-ref_db': 'db',
    },
  );
});

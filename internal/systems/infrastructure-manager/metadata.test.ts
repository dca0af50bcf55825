import { expect, test } from '@jest/globals';
import {
  annotationConfirmDeletion,
  annotationForcePatch,
  annotationRuntimeGeneration,
  annotationSuspendPatch,
  appliedGeneration,
  isDeletionConfirmed,
  isPatchForced,
  isPatchSuspended,
} from './metadata.ts';

const object = (annotations?: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Any',
  metadata: { name: 'any', ...(annotations === undefined ? {} : { annotations }) },
});

test.each([
  { title: 'a patch is forced', key: annotationForcePatch, holds: isPatchForced },
  { title: 'patches are suspended', key: annotationSuspendPatch, holds: isPatchSuspended },
  { title: 'the deletion is confirmed', key: annotationConfirmDeletion, holds: isDeletionConfirmed },
])('[I10] [I11] [I31] only by "true": $title', ({ key, holds }) => {
  expect(holds(object({ other: 'x', [key]: 'true' }))).toBe(true);
  for (const value of ['kaloryfer', 'anything', '', 'True'])
    expect([value, holds(object({ [key]: value }))]).toEqual([value, false]);
  expect([holds(object()), holds(object({ other: 'true' }))]).toEqual([false, false]);
});

test.each([
  { text: '7', generation: 7 },
  { text: 'x', generation: Number.NaN },
  { text: '', generation: Number.NaN },
])('the applied generation of "$text" is $generation', ({ text, generation }) => {
  expect(appliedGeneration(object({ [annotationRuntimeGeneration]: text }))).toBe(generation);
});

test('a Shoot that was never rendered has no applied generation', () => {
  expect(appliedGeneration(object())).toBeUndefined();
});

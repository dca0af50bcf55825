import { expect, test } from '@jest/globals';
import { UntrustedServerError } from '../../../framework/kube/errors/errors.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { annotationLastSync } from './metadata.ts';
import {
  createRefusedKubeconfigs,
  lastSyncOf,
  nextRotationInMs,
  rotationOf,
  rotationPeriodMs,
} from './rotation.ts';

const secretWith = (annotations?: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', ...(annotations === undefined ? {} : { annotations }) },
});

test.each([
  ['no annotations', undefined, undefined],
  ['another annotation', { other: 'x' }, undefined],
  ['a time', { [annotationLastSync]: '2023-10-09T23:00:00Z' }, Date.UTC(2023, 9, 9, 23)],
  ['no time', { [annotationLastSync]: 'yesterday' }, undefined],
  ['nothing', { [annotationLastSync]: '' }, undefined],
])('[I68] the time of the last rotation: %s', (_, annotations, want) => {
  expect(lastSyncOf(secretWith(annotations))).toBe(want);
});

const NOW = Date.UTC(2024, 0, 1);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

test.each([
  { last: 'never', lastSync: 0, period: MINUTE, want: 57 * SECOND },
  { last: '30 s ago', lastSync: NOW - 30 * SECOND, period: MINUTE, want: 27 * SECOND },
  { last: '15 min ago', lastSync: NOW - 900 * SECOND, period: MINUTE, want: 57 * SECOND },
  { last: 'now', lastSync: NOW, period: MINUTE, want: 57 * SECOND },
  { last: '45 min ago', lastSync: NOW - 45 * MINUTE, period: HOUR, want: 12 * MINUTE },
  { last: 'never, without a period', lastSync: 0, period: 0, want: 0 },
])('[I69] the next rotation of a kubeconfig stored $last', ({ lastSync, period, want }) => {
  expect(nextRotationInMs(NOW, lastSync, period)).toBeCloseTo(want, 6);
});

const settings = { expirationMs: 24 * HOUR, minimalRotation: 0.6 };

test('a kubeconfig of a day is due after 13 h 40 min 48 s', () => {
  const due = 13 * HOUR + 40 * MINUTE + 48 * SECOND;
  expect(rotationPeriodMs(24 * HOUR, settings)).toBe(14 * HOUR + 24 * MINUTE);
  expect(rotationOf(NOW + due - 1, NOW, undefined, settings).isDue).toBe(false);
  expect(rotationOf(NOW + due, NOW, undefined, settings)).toEqual({
    lifetimeMs: 24 * HOUR,
    periodMs: 14 * HOUR + 24 * MINUTE,
    expiresAt: NOW + 24 * HOUR,
    isDue: true,
    isLast: false,
  });
});

test.each([
  { granted: 'as requested', until: 24 * HOUR, lifetime: 24 * HOUR },
  { granted: 'nearly as requested', until: 24 * HOUR - 59 * SECOND, lifetime: 24 * HOUR },
  { granted: 'a minute less', until: 23 * HOUR + 59 * MINUTE, lifetime: 23 * HOUR + 59 * MINUTE },
  { granted: 'an hour', until: HOUR, lifetime: HOUR },
  { granted: 'nothing', until: -HOUR, lifetime: 0 },
])('what Gardener granted counts if it is clearly less: $granted', ({ until, lifetime }) => {
  expect(rotationOf(NOW, NOW, NOW + until, settings)).toMatchObject({
    lifetimeMs: lifetime,
    expiresAt: NOW + lifetime,
  });
});

test('the last tenth of a life is its end', () => {
  const at = (ms: number) => rotationOf(NOW + ms, NOW, undefined, settings).isLast;
  expect([at(0), at(21.5 * HOUR), at(21.7 * HOUR), at(30 * HOUR)]).toEqual([false, false, true, true]);
});

const untrusted = new UntrustedServerError(
  { verb: 'get', object: 'Namespace kube-system', clusterName: 'runtime' },
  'self-signed certificate',
);

test.each([
  { what: 'the user is unknown', error: apiError(401, 'Unauthorized'), isRefused: true },
  {
    what: 'the certificate is that of another authority',
    error: new Error('cannot connect', { cause: untrusted }),
    isRefused: true,
  },
  { what: 'the user may not do it', error: apiError(403, 'Forbidden'), isRefused: false },
  { what: 'nothing answers', error: new Error('connect ECONNREFUSED'), isRefused: false },
])('a kubeconfig is refused: $what', ({ error, isRefused }) => {
  const refused = createRefusedKubeconfigs();
  const heard: string[] = [];
  refused.onReport((secret) => heard.push(secret));
  refused.report('kcp-system/s', '7', error);
  expect([refused.has('kcp-system/s', '7'), refused.has('kcp-system/s', '8'), heard]).toEqual([
    isRefused,
    false,
    isRefused ? ['kcp-system/s'] : [],
  ]);
});

import { expect, test } from '@jest/globals';
import type { RecordedEvent } from '../record-objects.ts';
import { describeTimeline, upgradeTimeline } from './upgrade-timeline.ts';

const change = { changedAt: 1000, revision: 'provider-b', lease: 'election' };

const event = (at: number, kind: string, name: string, more: object = {}): RecordedEvent => ({
  at,
  type: 'MODIFIED',
  object: { kind, metadata: { uid: name, name }, ...more },
});
const lease = (at: number, holderIdentity: string, name = 'election') =>
  event(at, 'Lease', name, { spec: { holderIdentity } });
const running = { containerStatuses: [{ state: { running: {} } }] };

test('each moment counts from the change, by what it is seen from first', () => {
  const events = [
    lease(500, ''),
    event(1100, 'ProviderRevision', 'provider-a'),
    event(1200, 'ProviderRevision', 'provider-b'),
    event(2000, 'Deployment', 'provider-b'),
    event(2100, 'Pod', 'provider-b-1'),
    event(2300, 'Pod', 'provider-b-1', { spec: { nodeName: 'node' } }),
    event(2500, 'Pod', 'provider-a-1', {
      metadata: { uid: 'a', name: 'provider-a-1', deletionTimestamp: '2026-01-01T00:00:00Z' },
    }),
    event(2700, 'Pod', 'provider-b-1', { spec: { nodeName: 'node' }, status: running }),
    lease(2800, '', 'other'),
    lease(2900, ''),
    lease(3000, 'provider-b-1_x'),
    lease(5000, 'provider-b-1_x'),
  ];
  const timeline = upgradeTimeline(events, change);
  expect(timeline).toEqual({
    revision: 0.2,
    deployment: 1,
    pod: 1.1,
    podScheduled: 1.3,
    oldPodStops: 1.5,
    containerStarted: 1.7,
    leaseReleased: 1.9,
    leads: 2,
  });
  expect(describeTimeline(timeline)).toBe(
    'revision 0.2, deployment 1.0, pod 1.1, podScheduled 1.3, oldPodStops 1.5, containerStarted 1.7, leaseReleased 1.9, leads 2.0',
  );
});

test('what was not seen is absent: a Lease that expired was never released', () => {
  expect(upgradeTimeline([lease(9000, 'provider-b-1_x')], change)).toEqual({ leads: 8 });
});

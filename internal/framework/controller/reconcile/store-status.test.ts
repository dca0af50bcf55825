import { expect, test } from '@jest/globals';
import { createFakeRecorder } from '../../kube/fakes/fake-recorder.ts';
import { createObjectEvents } from './store-status.ts';

const widget = { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name: 'w' } };

function setup() {
  const recorder = createFakeRecorder();
  const events = createObjectEvents({ recorder, object: () => widget });
  return { events, recorded: () => recorder.lines() };
}

test('an event is recorded at once', () => {
  const { events, recorded } = setup();
  events.record('Normal', 'Created', 'created it');
  expect(recorded()).toEqual(['Normal Created: created it']);
});

test('an event that belongs to a status is pending until the status is stored, and recorded once', () => {
  const { events, recorded } = setup();
  events.recordWithStatus('Warning', 'Conflict', 'another one has it');
  expect(recorded()).toEqual([]);
  events.recordPending();
  events.recordPending();
  expect(recorded()).toEqual(['Warning Conflict: another one has it']);
});

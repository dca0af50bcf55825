import { beforeEach, describe, expect, test } from '@jest/globals';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import { formatTimestamp } from '../../base/time/formats.ts';
import { type CoreEvent, coreEvent } from '../object/core-event.ts';
import { createEventCorrelator, type EventCorrelator } from './event-correlator.ts';

let clock: FakeClock;
let correlator: EventCorrelator;
let nanos: bigint;

beforeEach(() => {
  clock = createFakeClock();
  correlator = createEventCorrelator(clock);
  nanos = 0n;
});

function event(
  message: string,
  more: { name?: string; uid?: string; reason?: string; component?: string } = {},
): CoreEvent {
  const { name = 'm', uid = 'u', reason = 'Waiting', component = 'managed/x' } = more;
  return coreEvent({
    object: { apiVersion: 'g/v1', kind: 'K', metadata: { name, uid } },
    type: 'Warning',
    reason,
    message,
    annotations: {},
    component,
    timestamp: formatTimestamp(clock.now()),
    nanos: nanos++,
  });
}

const say = (message: string, more = {}) => correlator.correlate(event(message, more));

test('the same event again is the first one with a higher count', async () => {
  const first = say('x');
  await clock.advance(90_000);
  const second = say('x');
  expect(first).toMatchObject({ isRepeat: false, event: { count: 1 } });
  expect(second).toMatchObject({
    isRepeat: true,
    event: { count: 2, lastTimestamp: '2024-01-01T00:01:30Z' },
  });
  expect(second?.event.metadata.name).toBe(first?.event.metadata.name);
  expect(second?.event.firstTimestamp).toBe('2024-01-01T00:00:00Z');
});

test.each<[string, Parameters<typeof event>[1]]>([
  ['another object', { name: 'other' }],
  ['another object of that name', { uid: 'other' }],
  ['another reason', { reason: 'Other' }],
  ['another source', { component: 'managed/y' }],
])('%s makes another event', (_what, more) => {
  say('x');
  expect(say('x', more)?.isRepeat).toBe(false);
});

describe('similar events', () => {
  test('from the tenth on become one that says so and is counted', () => {
    const messages = Array.from({ length: 12 }, (_, i) => say(`failed ${i}`));
    expect(messages.slice(0, 9).map((each) => each?.event.message)).toEqual(
      Array.from({ length: 9 }, (_, i) => `failed ${i}`),
    );
    expect(messages.slice(9).map((each) => [each?.event.message, each?.isRepeat, each?.event.count])).toEqual(
      [
        ['(combined from similar events): failed 9', false, 1],
        ['(combined from similar events): failed 10', true, 2],
        ['(combined from similar events): failed 11', true, 3],
      ],
    );
  });

  test('are separate again after ten minutes without events', async () => {
    for (let i = 0; i < 11; i++) say(`failed ${i}`);
    for (const message of ['failed 11', 'failed 11']) {
      await clock.advance(6 * 60_000);
      expect(say(message)?.event.message).toBe(`(combined from similar events): ${message}`);
    }
    await clock.advance(10 * 60_000 + 1);
    expect(say('failed 12')?.event.message).toBe('failed 12');
  });

  test('do not include those that were recorded singly before', () => {
    for (let i = 0; i < 12; i++) say(`failed ${i}`);
    expect(say('failed 3')).toMatchObject({ isRepeat: true, event: { message: 'failed 3', count: 2 } });
  });
});

describe('one source about one object', () => {
  test('may say 25 things at once, then one every five minutes', async () => {
    const burst = Array.from({ length: 40 }, () => say('x'));
    expect(burst.filter(Boolean)).toHaveLength(25);
    await clock.advance(5 * 60_000 - 1);
    expect(say('x')).toBeUndefined();
    await clock.advance(1);
    expect(say('x')).toBeDefined();
    expect(say('x')).toBeUndefined();
  });

  test('takes nothing from other objects and sources', () => {
    for (let i = 0; i < 40; i++) say('x');
    expect(say('x', { name: 'other' })).toBeDefined();
    expect(say('x', { component: 'managed/y' })).toBeDefined();
  });
});

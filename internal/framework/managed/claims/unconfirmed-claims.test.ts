import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createUnconfirmedClaims } from './unconfirmed-claims.ts';

function setup() {
  const clock = createFakeClock();
  const unconfirmed = createUnconfirmedClaims({ clock });
  return { clock, unconfirmed };
}

describe('unconfirmed claims', () => {
  test.each([
    { title: 'of the first list', initial: true, begun: false, awaited: ['a'] },
    { title: 'of the first list of a kind that is listed late', initial: true, begun: true, awaited: ['a'] },
    { title: 'that a standby replica reads', initial: false, begun: false, awaited: ['a'] },
    { title: 'that appear after the first reconcile', initial: false, begun: true, awaited: [] },
  ])('are awaited or not: those $title', ({ initial, begun, awaited }) => {
    const { unconfirmed } = setup();
    if (begun) unconfirmed.begin();
    unconfirmed.add('a', initial);
    expect(unconfirmed.awaited()).toEqual(awaited);
    unconfirmed.begin();
    expect(unconfirmed.awaited()).toEqual(awaited);
  });

  test('that are listed late have the full time', async () => {
    const { clock, unconfirmed } = setup();
    unconfirmed.add('a', true);
    unconfirmed.begin();
    await clock.advance(1000);
    unconfirmed.add('late', true);
    await clock.advance(119_000);
    expect(unconfirmed.awaited()).toEqual(['late']);
    await clock.advance(1000);
    expect(unconfirmed.awaited()).toEqual([]);
  });

  test('that settle are reported to every subscriber, once', () => {
    const { unconfirmed } = setup();
    const reports: string[] = [];
    unconfirmed.subscribe(() => reports.push('first'));
    unconfirmed.subscribe(() => reports.push('second'));
    unconfirmed.add('a', true);
    unconfirmed.settle('b');
    expect(reports).toEqual([]);
    unconfirmed.settle('a');
    unconfirmed.settle('a');
    expect(reports).toEqual(['first', 'second']);
    expect(unconfirmed.awaited()).toEqual([]);
  });

  test('are not reported to a subscriber whose subscription ended', () => {
    const { unconfirmed } = setup();
    const reports: string[] = [];
    // One function, two subscriptions: the end of one is not the end of the other.
    const report = () => reports.push('settled');
    const end = unconfirmed.subscribe(report);
    unconfirmed.subscribe(report);
    unconfirmed.add('a', true);
    end();
    unconfirmed.settle('a');
    expect(reports).toEqual(['settled']);
  });
});

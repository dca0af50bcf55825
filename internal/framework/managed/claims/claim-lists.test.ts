import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createFakeCache } from '../../kube/fakes/fake-cache.ts';
import { createClaimLists } from './claim-lists.ts';

function setup() {
  const clock = createFakeClock();
  const lists = createClaimLists({ clock });
  const cache = createFakeCache();
  cache.setSynced(false);
  const remove = lists.add(cache, 'mappings.example.org');
  const reports: string[] = [];
  const end = lists.subscribe(() => reports.push('changed'));
  return { clock, lists, cache, remove, reports, end };
}
const { signal } = new AbortController();

describe('the lists of claims', () => {
  test('report that a list is complete', async () => {
    const { clock, lists, cache, reports } = setup();
    expect(lists.incomplete()).toEqual({ resource: 'mappings.example.org' });
    cache.setSynced(true);
    await clock.advance(0);
    expect(reports).toEqual(['changed']);
    expect(lists.incomplete()).toBeUndefined();
  });

  test('report the removal of a list once, and nothing of that list afterwards', async () => {
    const { clock, lists, cache, remove, reports } = setup();
    remove();
    expect(lists.incomplete()).toBeUndefined();
    expect(reports).toEqual(['changed']);
    remove();
    cache.setSynced(true);
    await clock.advance(0);
    expect(reports).toEqual(['changed']);
  });

  test('report nothing to a subscriber whose subscription ended', () => {
    const { lists, remove, reports, end } = setup();
    const others: string[] = [];
    lists.subscribe(() => others.push('changed'));
    end();
    remove();
    expect({ reports, others }).toEqual({ reports: [], others: ['changed'] });
  });

  test('leave no timer when they are complete in time', async () => {
    const { clock, lists, cache } = setup();
    const waiting = lists.whenCompleteOrLate(signal);
    await clock.advance(0);
    expect(clock.pending()).toBe(1);
    cache.setSynced(true);
    await waiting;
    expect(clock.pending()).toBe(0);
  });

  test('are not waited for after the controller has stopped', async () => {
    const { clock, lists } = setup();
    const controller = new AbortController();
    const waiting = lists.whenCompleteOrLate(controller.signal);
    const outcome = waiting.catch((reason: unknown) => reason);
    await clock.advance(0);
    controller.abort('stopped');
    expect(await outcome).toBe('stopped');
    expect(clock.pending()).toBe(0);
  });
});

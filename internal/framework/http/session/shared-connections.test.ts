import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import type { Connections } from '../transport/connections.ts';
import { createSharedConnections } from './shared-connections.ts';

function setUp(idleMs: number) {
  const clock = createFakeClock();
  const shared = createSharedConnections({ clock, idleMs });
  const log: string[] = [];
  let opened = 0;
  const open = (): Connections => {
    const name = `c${++opened}`;
    log.push(`open ${name}`);
    return {
      dispatcherFor: () => {
        throw new Error('not used here');
      },
      close: async () => void log.push(`close ${name}`),
    };
  };
  return { clock, shared, log, use: (id = 'a') => shared.use(id, open) };
}

test('sessions of the same credentials share connections, others do not', async () => {
  const { log, use } = setUp(0);
  const [first, second] = [use(), use()];
  expect(first.connections).toBe(second.connections);
  use('b');
  await first.release();
  await first.release();
  expect(log).toEqual(['open c1', 'open c2']);
  await second.release();
  expect(log).toEqual(['open c1', 'open c2', 'close c1']);
});

test('they stay open for the next session, and are closed when there is none for a while', async () => {
  const { clock, log, use } = setUp(30_000);
  await use().release();
  await clock.advance(29_999);
  const next = use();
  await clock.advance(60_000);
  expect(log).toEqual(['open c1']);
  await next.release();
  await clock.advance(30_000);
  expect(log).toEqual(['open c1', 'close c1']);
  use();
  expect(log).toEqual(['open c1', 'close c1', 'open c2']);
});

test('all are closed at the end, and no timer is left', async () => {
  const { clock, log, shared, use } = setUp(30_000);
  await use().release();
  const used = use('b');
  await shared.close();
  expect(log).toEqual(['open c1', 'open c2', 'close c1', 'close c2']);
  await used.release();
  expect(clock.pending()).toBe(0);
});

import { mkdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { temporaryFolders } from '../../../internal/framework/base/temporary-folder.fixture.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { createFakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import { eventually } from '../../../test/environment/eventually.ts';
import { withCacheLock } from './cache-lock.ts';

const folder = temporaryFolders('cache-lock-test-');
let path: string;

beforeEach(async () => {
  path = join(folder(), 'lock');
});

test('one works while the other waits and reports it', async () => {
  const events: string[] = [];
  const begun = Promise.withResolvers<void>();
  const waited = Promise.withResolvers<void>();
  const first = withCacheLock({ path, clock: systemClock }, async () => {
    events.push('first begins');
    begun.resolve();
    await waited.promise;
    events.push('first ends');
  });
  await begun.promise;
  const onWait = () => {
    events.push('second waits');
    waited.resolve();
  };
  const second = withCacheLock({ path, clock: systemClock, onWait }, async () => {
    events.push('second begins');
  });

  await Promise.all([first, second]);

  expect(events).toEqual(['first begins', 'second waits', 'first ends', 'second begins']);
});

test('the lock is free again after work that failed', async () => {
  const failing = withCacheLock({ path, clock: systemClock }, () => Promise.reject(new Error('broken')));
  await expect(failing).rejects.toThrow('broken');

  await expect(withCacheLock({ path, clock: systemClock }, async () => 'done')).resolves.toBe('done');
});

test('the lock of a process that died is acquired', async () => {
  await mkdir(path);
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(path, longAgo, longAgo);

  await expect(withCacheLock({ path, clock: systemClock }, async () => 'done')).resolves.toBe('done');
});

test('long work renews its lock, so no other process acquires it', async () => {
  const clock = createFakeClock(Date.now());
  let finish = () => undefined as unknown;
  const begun = Promise.withResolvers<void>();
  const holder = withCacheLock({ path, clock }, () => {
    begun.resolve();
    return new Promise<unknown>((resolve) => {
      finish = () => resolve(undefined);
    });
  });
  await begun.promise;

  for (const end = clock.now() + 60_000; clock.now() < end; ) {
    await clock.advance(2000);
    // A renewal is real work of the file system, which a fake clock does not speed up.
    await eventually(
      async () => {
        expect((await stat(path)).mtimeMs).toBeGreaterThanOrEqual(clock.now() - 1000);
        expect(clock.pending()).toBeGreaterThan(0);
      },
      { timeoutMs: 20_000, intervalMs: 1 },
    );
  }
  finish();
  await holder;
  expect(clock.pending()).toBe(0);
});

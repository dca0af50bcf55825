import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from './fake-clock.ts';
import { createSemaphore } from './semaphore.ts';

const never = new AbortController().signal;
const settle = () => createFakeClock().advance(0);

describe('createSemaphore', () => {
  test('no more than the given number hold a place, and those who wait enter in order', async () => {
    const semaphore = createSemaphore(2);
    const entered: string[] = [];
    const enter = async (name: string) => {
      const release = await semaphore.acquire(never);
      entered.push(name);
      return release;
    };
    const releases = [enter('a'), enter('b'), enter('c'), enter('d')];
    await settle();
    expect(entered).toEqual(['a', 'b']);
    (await releases[1])?.();
    await settle();
    expect(entered).toEqual(['a', 'b', 'c']);
    (await releases[0])?.();
    await settle();
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  test('giving a place back twice frees it once', async () => {
    const semaphore = createSemaphore(1);
    const release = await semaphore.acquire(never);
    release();
    release();
    await semaphore.acquire(never);
    let second = false;
    void semaphore.acquire(never).then(() => {
      second = true;
    });
    await settle();
    expect(second).toBe(false);
  });

  test('one who gives up waiting takes no place', async () => {
    const semaphore = createSemaphore(1);
    const release = await semaphore.acquire(never);
    const impatient = new AbortController();
    const waiting = semaphore.acquire(impatient.signal);
    impatient.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    release();
    await expect(semaphore.acquire(never)).resolves.toBeInstanceOf(Function);
  });

  test('an aborted signal is refused even if a place is free', async () => {
    await expect(createSemaphore(1).acquire(AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  });
});

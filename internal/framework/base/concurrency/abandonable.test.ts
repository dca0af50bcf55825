import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { abandonable } from './abandonable.ts';

describe('abandonable', () => {
  test('work that never ends is left behind when the signal says so', async () => {
    const controller = new AbortController();
    const result = abandonable(new Promise(() => undefined), controller.signal);
    controller.abort(new Error('timed out'));
    await expect(result).rejects.toThrow('timed out');
  });

  test('work that ends in time decides, and an abort afterwards changes nothing', async () => {
    const controller = new AbortController();
    const result = abandonable(Promise.resolve(1), controller.signal);
    await expect(result).resolves.toBe(1);
    controller.abort(new Error('late'));
    await expect(result).resolves.toBe(1);
    await expect(abandonable(Promise.reject(new Error('own')), new AbortController().signal)).rejects.toThrow(
      'own',
    );
  });

  test('work that fails after it was abandoned raises no unhandled rejection', async () => {
    const work = Promise.withResolvers<void>();
    const result = abandonable(work.promise, AbortSignal.abort(new Error('gone')));
    work.reject(new Error('too late to matter'));
    await expect(result).rejects.toThrow('gone');
  });

  test('work that ends leaves no listener on a signal that lives longer', async () => {
    const { signal } = new AbortController();
    await abandonable(Promise.resolve(), signal);
    await new Promise((resolve) => setImmediate(resolve));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

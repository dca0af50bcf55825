import { describe, expect, test } from '@jest/globals';
import { createGate, type GateWatcher } from './gate.ts';

/** A gate, and the calls of its watchers. */
function setup() {
  const gate = createGate<string>();
  const notified: string[] = [];
  const register = (needs: readonly string[], more: Partial<GateWatcher<string>> = {}) =>
    gate.register({
      needs,
      opened: () => notified.push('opened'),
      closed: () => notified.push('closed'),
      ...more,
    });
  /** The calls since the last read. */
  const newCalls = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return notified.splice(0);
  };
  return { gate, register, newCalls };
}

describe('opening', () => {
  test('[161] without needs: opens at once, but not before register has returned', async () => {
    const { register, newCalls } = setup();
    let returned = false;
    let before: boolean | undefined;
    register([], {
      opened: () => {
        before = !returned;
      },
    });
    returned = true;
    await newCalls();
    expect(before).toBe(false);
  });

  test.each([
    { title: '[162] one need, not met: stays shut', needs: ['a'], set: [], opens: false },
    { title: '[163] several needs, none met: stays shut', needs: ['a', 'b', 'c'], set: [], opens: false },
    { title: '[164] one need, met: opens', needs: ['a'], set: ['a'], opens: true },
    {
      title: '[165] several needs, all met: opens',
      needs: ['a', 'b', 'c'],
      set: ['c', 'a', 'b'],
      opens: true,
    },
    {
      title: '[166] several needs, some met: stays shut',
      needs: ['a', 'b', 'c'],
      set: ['a', 'c'],
      opens: false,
    },
  ])('$title', async ({ needs, set, opens }) => {
    const { gate, register, newCalls } = setup();
    register(needs);
    for (const key of set) gate.set(key, true);
    expect(await newCalls()).toEqual(opens ? ['opened'] : []);
  });

  test('[167] needs that were met before: opens', async () => {
    const { gate, register, newCalls } = setup();
    gate.set('a', true);
    register(['a']);
    expect(await newCalls()).toEqual(['opened']);
  });

  test('[168] open for an instant only: is notified of both, in order', async () => {
    const { gate, register, newCalls } = setup();
    register(['a']);
    gate.set('a', true);
    gate.set('a', false);
    expect(await newCalls()).toEqual(['opened', 'closed']);
  });

  test('[169] met again and again without a closing: opens once', async () => {
    const { gate, register, newCalls } = setup();
    register(['a']);
    for (let i = 0; i < 3; i++) gate.set('a', true);
    expect(await newCalls()).toEqual(['opened']);
    gate.set('b', true);
    expect(await newCalls()).toEqual([]);
  });

  test('[170] a hundred at a time: each opens once', async () => {
    const { gate } = setup();
    const counts = new Array<number>(100).fill(0);
    await Promise.all(
      counts.map(async (_, i) => {
        await new Promise((resolve) => setTimeout(resolve, i % 3));
        gate.register({
          needs: ['a', 'b'],
          opened: () => {
            counts[i] = (counts[i] ?? 0) + 1;
          },
        });
        if (i === 40) gate.set('a', true);
        if (i === 60) gate.set('b', true);
      }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(new Set(counts)).toEqual(new Set([1]));
  });

  test('a key may be anything that a Map takes', async () => {
    const [a, b] = [Symbol('a'), { name: 'b' }];
    const gate = createGate<symbol | object>();
    const opened = new Promise<void>((resolve) => gate.register({ needs: [a, b], opened: resolve }));
    gate.set(a, true);
    gate.set({ name: 'b' }, true);
    gate.set(b, true);
    await opened;
  });

  test('set returns whether something changed', () => {
    const { gate } = setup();
    expect(gate.set('a', false)).toBe(false);
    expect(gate.set('a', true)).toBe(true);
    expect(gate.set('a', true)).toBe(false);
    expect(gate.set('a', false)).toBe(true);
  });
});

describe('closing', () => {
  test('closes with the first need that goes, and opens again with the last that is back', async () => {
    const { gate, register, newCalls } = setup();
    register(['a', 'b']);
    for (const key of ['a', 'b']) gate.set(key, true);
    expect(await newCalls()).toEqual(['opened']);
    for (const key of ['a', 'b']) gate.set(key, false);
    expect(await newCalls()).toEqual(['closed']);
    gate.set('a', true);
    expect(await newCalls()).toEqual([]);
    gate.set('b', true);
    expect(await newCalls()).toEqual(['opened']);
  });

  test('what is needed to open but not to stay may go', async () => {
    const { gate, register, newCalls } = setup();
    register(['a', 'b'], { keeps: ['a'] });
    for (const key of ['a', 'b']) gate.set(key, true);
    gate.set('b', false);
    expect(await newCalls()).toEqual(['opened']);
    gate.set('a', false);
    expect(await newCalls()).toEqual(['closed']);
    gate.set('a', true);
    expect(await newCalls()).toEqual([]);
  });

  test('an unregistered watcher gets no calls, not even pending ones', async () => {
    const { gate, register, newCalls } = setup();
    const end = register(['a']);
    gate.set('a', true);
    end();
    gate.set('a', false);
    expect(await newCalls()).toEqual([]);
  });
});

import { describe, expect, test } from '@jest/globals';
import { createFakeWatchedObject } from '../../base/errors/fake-watched-object.ts';
import { nopLogger } from '../../base/telemetry/telemetry.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createKeyStore } from '../key-store.ts';
import { createWatchTriggers } from './watch-triggers.ts';

function setup() {
  const clock = createFakeClock();
  const woken: [string, number][] = [];
  const keys = createKeyStore();
  const watchTriggers = createWatchTriggers({
    clock,
    log: nopLogger,
    keys,
    trigger: (key, delayMs) => woken.push([key, delayMs]),
  });
  return {
    clock,
    woken,
    keys,
    watchTriggers,
    a: createFakeWatchedObject('a'),
    b: createFakeWatchedObject('b'),
  };
}

describe('watch triggers', () => {
  test('a change requeues the resource at once, unless its reconcile has just ended', async () => {
    const { clock, woken, watchTriggers, a } = setup();
    watchTriggers.watch('k', [a]);
    await clock.advance(40);
    a.change();
    await clock.advance(5000);
    a.change();
    expect(woken).toEqual([
      ['k', 60],
      ['k', 0],
    ]);
  });

  test('the delay between reconciles that follow each other grows up to a second, until a pause resets it', async () => {
    const { clock, woken, watchTriggers, a } = setup();
    const passesApart = async (ms: number, times: number) => {
      for (let i = 0; i < times; i++) {
        await clock.advance(ms);
        watchTriggers.watch('k', [a]);
        a.change();
      }
      return woken.splice(0).map(([, delayMs]) => delayMs);
    };
    expect(await passesApart(1000, 6)).toEqual([100, 200, 400, 800, 1000, 1000]);
    expect(await passesApart(10_000, 1)).toEqual([100]);
    expect(await passesApart(9999, 1)).toEqual([200]);
    watchTriggers.watch('k', []);
    expect(await passesApart(1, 1)).toEqual([100]);
  });

  test('any of several targets requeues it', () => {
    const { woken, watchTriggers, a, b } = setup();
    watchTriggers.watch('k', [a, b]);
    b.change();
    expect(woken).toHaveLength(1);
  });

  test('new watches begin before old ones end, so that a shared one lives on', () => {
    const { watchTriggers, a } = setup();
    const order: string[] = [];
    const shared = {
      description: 'shared',
      watch: (onChange: () => void) => {
        order.push('begin');
        const stop = a.watch(onChange);
        return () => {
          order.push('end');
          stop();
        };
      },
    };
    watchTriggers.watch('k', [shared]);
    watchTriggers.watch('k', [shared]);
    expect(order).toEqual(['begin', 'begin', 'end']);
    expect(a.watchers()).toBe(1);
  });

  test('a reconcile without targets stops the watches', () => {
    const { woken, watchTriggers, a } = setup();
    watchTriggers.watch('k', [a]);
    watchTriggers.watch('k', []);
    a.change();
    expect([a.watchers(), woken]).toEqual([0, []]);
  });

  test('resources do not end the watches of each other', () => {
    const { woken, watchTriggers, a } = setup();
    watchTriggers.watch('k', [a]);
    watchTriggers.watch('l', [a]);
    watchTriggers.watch('k', []);
    a.change();
    expect(woken.map(([key]) => key)).toEqual(['l']);
  });

  test('a change from a stopped watch requeues nothing', () => {
    const { woken, watchTriggers } = setup();
    let late: () => void = () => undefined;
    const stubborn = {
      description: 'stubborn',
      watch: (onChange: () => void) => {
        late = onChange;
        return () => undefined;
      },
    };
    watchTriggers.watch('k', [stubborn]);
    watchTriggers.watch('k', []);
    late();
    expect(woken).toEqual([]);
  });

  test('a target that cannot be watched does not keep the others from it', () => {
    const { woken, watchTriggers, a } = setup();
    const broken = {
      description: 'broken',
      watch: () => {
        throw new Error('no');
      },
    };
    watchTriggers.watch('k', [broken, a]);
    a.change();
    expect(woken).toHaveLength(1);
  });

  test('a key that is dropped is watched no more', () => {
    const { keys, woken, watchTriggers, a } = setup();
    watchTriggers.watch('k', [a]);
    watchTriggers.watch('l', [a]);
    keys.drop('k');
    a.change();
    expect([a.watchers(), woken.map(([key]) => key)]).toEqual([1, ['l']]);
    keys.clear();
    expect([a.watchers(), keys.kept().size]).toEqual([0, 0]);
  });
});

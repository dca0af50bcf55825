import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import type { Screen } from '../output/screen.ts';
import { Unmet } from './expectation.ts';
import { createRunner, Interrupted, NotPossible, ProviderGone } from './runner.ts';

function setup() {
  const said: string[] = [];
  const screen: Screen = {
    section: (title) => said.push(`# ${title}`),
    begin: (title) => said.push(`begin ${title}`),
    print: (text) => said.push(text),
    held: () => said.push('held'),
    failed: (title, _, why) => said.push(`failed ${title}`, ...why),
    show: (text) => said.push(text),
  };
  const clock = createFakeClock();
  const abortController = new AbortController();
  const runner = createRunner({
    screen,
    clock,
    signal: abortController.signal,
    catchUp: async () => void said.push('(what happened meanwhile)'),
    lastLines: () => ['its last words'],
  });
  return { said, clock, abortController, runner };
}

const never = () => new Promise<never>(() => undefined);

test('a step is announced, and marked after all activity was printed', async () => {
  const { said, runner } = setup();

  await runner.step('one', async () => void said.push('work'));

  expect(said).toEqual(['begin one', 'work', '(what happened meanwhile)', 'held']);
  expect(runner.outcome()).toBe('1 step held, 0 failed');
});

test('a step that fails shows both texts and the provider’s last log lines, and the next one goes on', async () => {
  const { said, runner } = setup();

  await runner.step('one', () => Promise.reject(new Unmet('the mappings', 'c-1/shop', '(nothing)')));
  await runner.step('two', async () => undefined);

  expect(said.slice(2, 8)).toEqual([
    'failed one',
    'the mappings',
    '  expected  c-1/shop',
    '  found     (nothing)',
    'the provider’s last words:',
    '  its last words',
  ]);
  expect(runner.outcome()).toBe('1 step held, 1 failed');
});

test('without a prerequisite, the rest is not possible', async () => {
  const { said, runner } = setup();

  await expect(runner.need('ground', () => Promise.reject(new Error('no disk\nleft')))).rejects.toThrow(
    NotPossible,
  );
  expect(said).toEqual(expect.arrayContaining(['failed ground', 'no disk', 'left']));
  expect(runner.allHeld()).toBe(false);
  expect(await runner.need('answer', async () => 42)).toBe(42);
});

test('Ctrl-C aborts a step, as neither held nor failed, and no other one starts', async () => {
  const { said, abortController, runner } = setup();
  const step = runner.step('one', async () => {
    abortController.abort(new Interrupted('SIGINT'));
    throw new Error('a consequence');
  });

  await expect(step).rejects.toThrow(Interrupted);
  await expect(runner.step('two', never)).rejects.toThrow(Interrupted);
  expect(said).toEqual(['begin one']);
  expect(runner.outcome()).toBe('0 steps held, 0 failed');
});

test('a provider that exits fails the step, with the reason, and ends the demo', async () => {
  const { said, abortController, runner } = setup();
  const step = runner.step('one', async () => {
    abortController.abort(new ProviderGone('it ended with SIGKILL'));
    throw new Error('a consequence');
  });

  await expect(step).rejects.toThrow(ProviderGone);
  expect(said).toContain('the provider is gone: it ended with SIGKILL');
  expect(said).not.toContain('a consequence');
  expect(runner.outcome()).toBe('0 steps held, 1 failed');
});

test('work that ignores its abort is abandoned after a delay', async () => {
  const { clock, abortController, runner } = setup();
  const step = runner.step('one', never);
  step.catch(() => undefined);
  abortController.abort(new Interrupted('SIGINT'));
  await clock.advance(2000);

  await expect(step).rejects.toThrow(Interrupted);
});

test('a demo without any step did not hold, and a later success does not undo a failure', async () => {
  const { runner } = setup();
  expect(runner.allHeld()).toBe(false);
  await runner.step('one', async () => undefined);
  expect(runner.allHeld()).toBe(true);
  await runner.step('two', () => Promise.reject(new Error('no luck')));
  await runner.step('three', async () => undefined);
  expect(runner.allHeld()).toBe(false);
  expect(runner.outcome()).toBe('2 steps held, 1 failed');
});

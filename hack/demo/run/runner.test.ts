import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../internal/base/time/fake-clock.ts';
import type { Screen } from '../output/screen.ts';
import { Interrupted, ProviderGone } from './errors.ts';
import { Unmet } from './expectation.ts';
import { createOutcomes } from './outcomes.ts';
import { createRunner, NotPossible } from './runner.ts';

function setup() {
  const said: string[] = [];
  const screen: Screen = {
    chapter: (title) => said.push(`# ${title}`),
    begin: (title) => said.push(`begin ${title}`),
    tell: (text) => said.push(text),
    held: () => said.push('held'),
    failed: (title, _, why) => said.push(`failed ${title}`, ...why),
    show: (text) => said.push(text),
  };
  const outcomes = createOutcomes();
  const ending = new AbortController();
  const runner = createRunner({
    screen,
    outcomes,
    clock: createFakeClock(),
    signal: ending.signal,
    catchUp: async () => void said.push('(what happened meanwhile)'),
    lastWords: () => ['its last words'],
  });
  return { said, outcomes, ending, runner };
}

const never = () => new Promise<never>(() => undefined);

test('a step is announced, and ticked after all that happened meanwhile was told', async () => {
  const { said, outcomes, runner } = setup();

  await runner.step('one', async () => void said.push('work'));

  expect(said).toEqual(['begin one', 'work', '(what happened meanwhile)', 'held']);
  expect(outcomes.line()).toBe('1 step held, 0 failed');
});

test('a step that fails shows both sides and the provider’s last words, and the next one goes on', async () => {
  const { said, outcomes, runner } = setup();

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
  expect(outcomes.line()).toBe('1 step held, 1 failed');
});

test('without what all stands on, the rest is not possible', async () => {
  const { said, outcomes, runner } = setup();

  await expect(runner.need('ground', () => Promise.reject(new Error('no disk\nleft')))).rejects.toThrow(
    NotPossible,
  );
  expect(said).toEqual(expect.arrayContaining(['failed ground', 'no disk', 'left']));
  expect(outcomes.allHeld()).toBe(false);
  expect(await runner.need('answer', async () => 42)).toBe(42);
});

test('Ctrl-C ends a step in the middle, as neither held nor failed, and no other one begins', async () => {
  const { said, outcomes, ending, runner } = setup();
  const step = runner.step('one', async () => {
    ending.abort(new Interrupted('SIGINT'));
    throw new Error('a consequence');
  });

  await expect(step).rejects.toThrow(Interrupted);
  await expect(runner.step('two', never)).rejects.toThrow(Interrupted);
  expect(said).toEqual(['begin one']);
  expect(outcomes.line()).toBe('0 steps held, 0 failed');
});

test('a provider that goes fails the step, for that reason, and ends the demo', async () => {
  const { said, outcomes, ending, runner } = setup();
  const step = runner.step('one', async () => {
    ending.abort(new ProviderGone('it ended with SIGKILL'));
    throw new Error('a consequence');
  });

  await expect(step).rejects.toThrow(ProviderGone);
  expect(said).toContain('the provider is gone: it ended with SIGKILL');
  expect(said).not.toContain('a consequence');
  expect(outcomes.line()).toBe('0 steps held, 1 failed');
});

test('work that does not end when told to is given up after a moment', async () => {
  const clock = createFakeClock();
  const ending = new AbortController();
  const { said } = setup();
  const runner = createRunner({
    screen: { ...silent, begin: (title) => said.push(title) },
    outcomes: createOutcomes(),
    clock,
    signal: ending.signal,
    catchUp: async () => undefined,
    lastWords: () => [],
  });
  const step = runner.step('one', never);
  step.catch(() => undefined);
  ending.abort(new Interrupted('SIGINT'));
  await clock.advance(2000);

  await expect(step).rejects.toThrow(Interrupted);
});

const silent: Screen = {
  chapter: () => undefined,
  begin: () => undefined,
  tell: () => undefined,
  held: () => undefined,
  failed: () => undefined,
  show: () => undefined,
};

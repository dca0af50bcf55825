import { expect, test } from '@jest/globals';
import { untilMet } from './expectation.ts';

const signal = new AbortController().signal;
const once = { timeoutMs: 0, signal };

test('waits until the text is as expected, over errors too, and returns it', async () => {
  const answers = ['one', new Error('no answer'), 'two'];
  const actual = () => {
    const answer = answers.shift() ?? 'none left';
    if (answer instanceof Error) throw answer;
    return answer;
  };

  expect(await untilMet({ what: 'the text', is: 'two', actual }, { timeoutMs: 5000, signal })).toBe('two');
});

test('all expected names must be in the text', async () => {
  const names = ['Secret shop/hana', 'not found'];
  const actual = (text: string) => untilMet({ what: 'the report', names, actual: () => text }, once);

  expect(await actual('Secret shop/hana not found')).toBe('Secret shop/hana not found');
  await expect(actual('Secret shop/hana found')).rejects.toMatchObject({
    what: 'the report',
    expected: 'a text with Secret shop/hana and not found',
    found: 'Secret shop/hana found',
  });
});

test('an unmet expectation shows expected and actual text, and marks an empty one', async () => {
  const unmet = untilMet({ what: 'the mappings', is: 'c-1/shop', actual: () => '' }, once);

  await expect(unmet).rejects.toThrow('the mappings: expected c-1/shop, found (nothing)');
});

test('waiting ends immediately when the demo is aborted', async () => {
  const abortController = new AbortController();
  abortController.abort(new Error('Ctrl-C'));

  const waiting = untilMet(
    { what: 'it', is: 'there', actual: () => 'gone' },
    { timeoutMs: 60_000, signal: abortController.signal },
  );

  await expect(waiting).rejects.toThrow('Ctrl-C');
});

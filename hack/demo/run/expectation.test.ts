import { expect, test } from '@jest/globals';
import { untilMet } from './expectation.ts';

const { signal } = new AbortController();
const once = { timeoutMs: 0, signal };

test('waits until the text is as expected, over errors too', async () => {
  const answers = ['one', new Error('no answer'), 'two', 'three'];
  const actual = () => {
    const answer = answers.shift() ?? 'none left';
    if (answer instanceof Error) throw answer;
    return answer;
  };

  await untilMet('the text', actual, 'two', { timeoutMs: 5000, signal });
  expect(answers).toEqual(['three']);
});

test('all expected texts must be in the text', async () => {
  const check = (text: string) => untilMet('the report', () => text, ['Secret shop/hana', 'not found'], once);

  await check('Secret shop/hana not found');
  await expect(check('Secret shop/hana found')).rejects.toMatchObject({
    lines: [
      'the report',
      '  expected  a text with Secret shop/hana and not found',
      '  found     Secret shop/hana found',
    ],
  });
});

test('an unmet expectation shows expected and actual text, and marks an empty one', async () => {
  const unmet = untilMet('the mappings', () => '', 'c-1/shop', once);

  await expect(unmet).rejects.toThrow('the mappings: expected c-1/shop, found (nothing)');
});

test('waiting ends immediately when the demo is aborted', async () => {
  const signal = AbortSignal.abort(new Error('Ctrl-C'));
  const waiting = untilMet('it', () => 'gone', 'there', { timeoutMs: 60_000, signal });

  await expect(waiting).rejects.toThrow('Ctrl-C');
});

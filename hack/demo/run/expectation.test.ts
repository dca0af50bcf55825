import { expect, test } from '@jest/globals';
import { untilMet } from './expectation.ts';

const signal = new AbortController().signal;
const once = { timeoutMs: 0, signal };

test('waits until the text is as expected, over errors too, and returns it', async () => {
  const answers = ['one', new Error('no answer'), 'two'];
  const look = () => {
    const answer = answers.shift() ?? 'none left';
    if (answer instanceof Error) throw answer;
    return answer;
  };

  expect(await untilMet({ what: 'the text', is: 'two', look }, { timeoutMs: 5000, signal })).toBe('two');
});

test('a text that must name several things names all of them', async () => {
  const names = ['Secret shop/hana', 'not found'];
  const look = (text: string) => untilMet({ what: 'the report', names, look: () => text }, once);

  expect(await look('Secret shop/hana not found')).toBe('Secret shop/hana not found');
  await expect(look('Secret shop/hana found')).rejects.toMatchObject({
    what: 'the report',
    expected: 'a text with Secret shop/hana and not found',
    found: 'Secret shop/hana found',
  });
});

test('what is not met shows both sides, and says of nothing that it is nothing', async () => {
  const unmet = untilMet({ what: 'the mappings', is: 'c-1/shop', look: () => '' }, once);

  await expect(unmet).rejects.toThrow('the mappings: expected c-1/shop, found (nothing)');
});

test('patience ends at once when the demo does', async () => {
  const ending = new AbortController();
  ending.abort(new Error('Ctrl-C'));

  const waiting = untilMet(
    { what: 'it', is: 'there', look: () => 'gone' },
    { timeoutMs: 60_000, signal: ending.signal },
  );

  await expect(waiting).rejects.toThrow('Ctrl-C');
});

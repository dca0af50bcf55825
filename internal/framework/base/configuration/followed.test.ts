import { expect, test } from '@jest/globals';
import { createFakeClock } from '../time/fake-clock.ts';
import { followed } from './followed.ts';

function setUp({ refuses = '' } = {}) {
  const clock = createFakeClock();
  const state = { content: 'one' as string | Error, reads: 0 };
  const notes: string[] = [];
  const files = followed<string>({
    ...{ clock, first: 'one', intervalMs: 1000 },
    read: async () => {
      state.reads++;
      if (state.content instanceof Error) throw state.content;
      return state.content;
    },
    onChanged: (next) => {
      if (next === refuses) throw new Error('no use');
      notes.push(`${next} in place of one, now ${files.current}`);
    },
    onFailed: (text) => notes.push(text),
  });
  return { clock, files, state, notes };
}

test('content is read again when it is old, by one read for all who ask', async () => {
  const { clock, files, state, notes } = setUp();
  state.content = 'two';
  expect(await files.fresh()).toBe('one');
  await clock.advance(1000);
  expect(await Promise.all([files.fresh(), files.fresh(), files.readAgain()])).toEqual(['two', 'two', 'two']);
  expect([state.reads, notes]).toEqual([1, ['two in place of one, now two']]);
});

test.each([
  { what: 'cannot be read', content: new Error('gone'), refuses: '', text: 'gone' },
  { what: 'is refused', content: 'two', refuses: 'two', text: 'no use' },
])(
  'content that $what leaves the one before in use, and is tried again; the same problem later is reported again',
  async ({ content, refuses, text }) => {
    const { clock, files, state, notes } = setUp({ refuses });
    const ended = new AbortController();
    const following = files.follow(ended.signal);
    state.content = content;
    await clock.advance(3000);
    expect([files.current, state.reads, notes]).toEqual(['one', 3, [text]]);
    state.content = 'three';
    await clock.advance(1000);
    expect(files.current).toBe('three');
    notes.length = 0;
    state.content = content;
    await clock.advance(2000);
    expect([files.current, notes]).toEqual(['three', [text]]);
    ended.abort();
    await following;
  },
);

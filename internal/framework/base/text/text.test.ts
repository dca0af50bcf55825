import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { kindOf, messageOf, ProviderError, wrap } from '../errors/errors.ts';
import { measureHeap } from '../heap.fixture.ts';
import * as base from '../index.ts';
import { parseDuration, parseTimestamp } from '../time/formats.ts';
import { createScrubber, redact } from './redact.ts';
import { cutMiddle, cutText, maxTextLength, oneLine, singleSpaced, trimTrailing } from './text.ts';

/** Every function of this layer that takes a text, by the name it is exported under. */
const textFunctions: Record<string, (text: string) => unknown> = {
  messageOf: (text) => messageOf(new Error(text)),
  wrap: (text) => wrap(new Error(text), text).message,
  ProviderError: (text) => new ProviderError('transient', text).message,
  redact,
  createScrubber: (text) => createScrubber(['hunter2hunter2', text.slice(0, 40), text])(text),
  parseDuration,
  parseTimestamp,
  InvalidConfigurationError: (text) => new base.InvalidConfigurationError(text).message,
  cutText: (text) => cutText(text),
  cutMiddle: (text) => cutMiddle(text, 1024),
  oneLine: (text) => oneLine(text),
  singleSpaced: (text) => singleSpaced(text),
  trimTrailing: (text) => trimTrailing(text, text.slice(0, 1)),
};

/** Exports of this layer that take no text of others, or, as `parseBoundedJson`, have their limits given. */
const others = [
  'buildInfoMetric',
  'reportBuildInfo',
  'NotAdmittedError',
  'createByteBudget',
  'createConcurrencyLimiter',
  'createDeps',
  'holdBytes',
  'memoryOf',
  'reserveFor',
  'reserveNothing',
  'ThrottledError',
  'WaitingError',
  'FencedError',
  'NotAdmittedError',
  'NotLeaderError',
  'PostponedError',
  'createBackoff',
  'createByteBudget',
  'createConcurrencyLimiter',
  'createDeps',
  'cloneJson',
  'compoundKey',
  'createSharedCalls',
  'createShares',
  'createTokenBucket',
  'findCause',
  'formatDuration',
  'formatTimestamp',
  'inParallel',
  'isObject',
  'jitter',
  'jsonEqual',
  'kindOf',
  'noFence',
  'ownMember',
  'parseBoundedJson',
  'reserveNothing',
  'sleep',
  'systemRandom',
  'textAt',
  'valueAt',
  'withDeadline',
];

const hostile: Record<string, string> = {
  spaces: ' ',
  'line breaks': ' \n',
  tabs: '\t',
  letters: 'a',
  digits: '1',
  durations: '1h',
  slashes: '/',
  addresses: 'a://',
  'users in addresses': '://a@',
  'tokens without an end': 'eyJabcdefgh-',
  dots: '.a',
  quotes: '"',
  'escaped quotes': '\\"',
  'names of secrets': '"token":"',
  'parts of names': 'client-',
  'keys without an end': '-----BEGIN A-----',
  schemes: 'Basic ',
  headers: 'authorization: ',
  'kubeconfig lines': 'token: \n',
  'lines of a key': `${'k'.repeat(64)}\n`,
};

const mebibyte = 1024 * 1024;
/** Of this thread's processor time, so that other work of the machine does not count; garbage is collected in between. */
function leastMs(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5 && least > 50; attempt++) {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

describe.each(Object.entries(textFunctions))('%s takes at most 50 ms for 1 MiB of', (_, run) => {
  test.each(Object.entries(hostile))('%s', (_, piece) => {
    const text = piece.repeat(Math.ceil(mebibyte / piece.length));
    expect(leastMs(() => run(text))).toBeLessThanOrEqual(50);
    expect(leastMs(() => run(`x${text}x`))).toBeLessThanOrEqual(50);
  });
});

test('no public function on texts is left out', () => {
  const functions = Object.entries(base).filter(([, value]) => typeof value === 'function');
  const known = new Set([...Object.keys(textFunctions), ...others]);
  expect(functions.map(([name]) => name).filter((name) => !known.has(name))).toEqual([]);
});

describe('a cut text', () => {
  const limits = fc.integer({ min: 40, max: 200 });
  const texts = fc.string({ unit: 'grapheme', maxLength: 400 });

  test('has at most the limit, is whole below it, and never ends in half a character', () => {
    fc.assert(
      fc.property(texts, limits, (text, limit) => {
        for (const cut of [cutText(text, limit), cutMiddle(text, limit)]) {
          expect(cut.length).toBeLessThanOrEqual(limit);
          expect(cut.isWellFormed()).toBe(true);
          if (text.length <= limit) expect(cut).toBe(text);
          else expect(cut).toContain('…');
        }
      }),
    );
  });

  test('keeps its beginning and its end where it is cut in the middle, and states what is missing', () => {
    const text = `cannot get ${'x'.repeat(2000)}: refused`;
    const cut = cutMiddle(text, 1024);
    expect(cut).toHaveLength(1024);
    expect(cut).toMatch(/^cannot get x+ …\((\d+) characters\)… x+: refused$/);
  });

  test('is a cut text already: cutting again changes nothing', () => {
    fc.assert(
      fc.property(texts, limits, (text, limit) => {
        expect(cutMiddle(cutMiddle(text, limit), limit)).toBe(cutMiddle(text, limit));
      }),
    );
  });
});

test.each([
  ['at its end', (text: string) => cutText(text, 1024)],
  ['in the middle', (text: string) => cutMiddle(text, 1024)],
])('what is left of a text that was cut %s does not keep the whole text in memory', (_, cut) => {
  const { bytes, value } = measureHeap(() =>
    Array.from({ length: 4 }, (_, n) => cut(JSON.parse(JSON.stringify(`${n}${'x'.repeat(1_000_000)}`)))),
  );
  expect(value).toHaveLength(4);
  expect(bytes).toBeLessThan(1_000_000);
});

test('messages of errors are cut, also where one wraps another', () => {
  const long = 'x'.repeat(3 * maxTextLength);
  expect(messageOf(new Error(long))).toHaveLength(maxTextLength);
  expect(wrap(new Error(long), 'cannot do it').message).toHaveLength(maxTextLength);
  expect(kindOf(wrap(new Error(long), 'x'))).toBe('transient');
});

test('a message is one line, whatever breaks lines in it', () => {
  expect(messageOf(new Error('a \n\t b\r\nc\u2028d'))).toBe('a b c d');
  expect(messageOf(new Error('two  spaces stay'))).toBe('two  spaces stay');
});

test('white space becomes single, and what is indented far does not hide the text', () => {
  expect(singleSpaced(`  a \n b${' '.repeat(30)}c `, 20)).toBe('a b c');
  expect(singleSpaced(`${' '.repeat(25)}abc`, 20)).toBe('abc');
});

test('of a secret across the border where a text is cut, no beginning stays behind', () => {
  const secret = 'hunter2-hunter2-hunter2';
  const text = `${'x'.repeat(maxTextLength - 8)}${secret} more`;
  expect(createScrubber([secret])(text)).not.toContain('hunter2');
});

test('a secret that is longer than any text is masked by its beginning', () => {
  const secret = 'abcdefgh%'.repeat(maxTextLength);
  expect(createScrubber([secret])(`refused ${secret}`)).not.toContain('abcdefgh');
  expect(createScrubber([secret])(`refused ${encodeURIComponent(secret)}`)).not.toContain('abcdefgh');
});

test('slashes at the end are trimmed, others stay', () => {
  expect(trimTrailing('/a//b///', '/')).toBe('/a//b');
  expect(trimTrailing('///', '/')).toBe('');
});

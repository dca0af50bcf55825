import { describe, expect, test } from '@jest/globals';
import { createScrubber } from './redact.ts';

const named = (values: Readonly<Record<string, string>>) =>
  createScrubber(Object.entries(values).map(([name, value]) => ({ name, value })));

describe('a value that is an ordinary word', () => {
  const scrub = named({
    enabled: 'true',
    region: 'eu10',
    scope: 'instance',
    size: 'Large',
    port: '8080',
    zone: 'cf-eu10',
  });

  test.each([
    'the instance cannot be created in eu10',
    'it is true that a Large service instance is on cf-eu10-001, see region eu101',
    'Error: instance not found. Use another region: eu20',
    'instances of the instance-manager are unaffected on 80801',
  ])('is left in a sentence: %s', (text) => expect(scrub(text)).toBe(text));

  test.each([
    ['invalid "instance" for it', 'invalid "[redacted]" for it'],
    ["unknown value 'eu10'", "unknown value '[redacted]'"],
    ['{"region":"eu10","enabled":"true"}', '{"region":"[redacted]","enabled":"[redacted]"}'],
    [String.raw`got "{\"region\":\"eu10\"}"`, String.raw`got "{\"region\":\"[redacted]\"}"`],
    ['x=eu10&y=instance', 'x=[redacted]&y=[redacted]'],
    ['region: eu10, Scope = instance, port 8080', 'region: [redacted], Scope = [redacted], port [redacted]'],
  ])('is masked where it stands as a value: %s', (text, expected) => expect(scrub(text)).toBe(expected));
});

test.each([
  { password: 'instance' },
  { apiToken: 'true' },
  { db_key: 'eu10' },
  { value: 'hunter2' },
  { value: 'correct-horse-battery-staple-x' },
  { value: 'kQ7xPzAb' },
])('a value that is no ordinary word, or that of a secret, is masked everywhere: %j', (values) => {
  const [value = ''] = Object.values(values);
  expect(named(values)(`the ${value} is refused`)).toBe('the [redacted] is refused');
});

test('a value without a name is masked everywhere', () => {
  expect(createScrubber(['instance'])('the instance')).toBe('the [redacted]');
});

test('a word that is also a secret is masked everywhere', () => {
  const scrub = createScrubber([
    { name: 'region', value: 'eu10' },
    { name: 'password', value: 'eu10' },
  ]);
  expect(scrub('not in eu10')).toBe('not in [redacted]');
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSecretScanner } from './secret-scanner.ts';

const value = 'Zk3+/$wq=one-secret_of-the/usual?length';
const scan = createSecretScanner([{ name: 'client secret', value }]);
const formsIn = (content: string | Uint8Array) => scan('here', content).map(({ form }) => form);

test('a secret is found raw, at any position, also within bytes that are no text', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (before, behind) => {
      expect(formsIn(Buffer.concat([before, Buffer.from(value), behind]))).toContain('raw');
    }),
  );
});

test('a secret is found in base64, also as part of a longer text', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), fc.boolean(), (before, behind, urlSafe) => {
      const all = Buffer.concat([before, Buffer.from(value), behind]);
      const form = `base64${urlSafe ? 'url' : ''} at ${before.length % 3}`;
      const found = formsIn(all.toString(urlSafe ? 'base64url' : 'base64'));
      // Where no character differs, the two alphabets are one form.
      expect(found.map((name) => name.replace('url', ''))).toContain(form.replace('url', ''));
    }),
  );
});

test.each([
  ['URL', new URL(`https://example.org/?a=${encodeURIComponent(value)}`).href],
  ['JSON', JSON.stringify({ message: `it was ${value}"quoted"` })],
])('a secret is found as %s writes it', (_, content) => {
  expect(scan('here', content)).not.toEqual([]);
});

test('of a PEM block every line counts, also in base64', () => {
  const lines = [
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQ',
    'xq2Yz9aTnPq0vJc1uW7rKd5eHs8LmB3oFi6Gt4Rj',
  ];
  const pem = `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
  const scanKey = createSecretScanner([{ name: 'key', value: pem }]);
  expect(scanKey('here', `x ${lines[1]} y`)).toEqual([{ where: 'here', secret: 'key', form: 'raw' }]);
  expect(scanKey('here', Buffer.from(`client-key: ${pem}`).toString('base64'))).not.toEqual([]);
  expect(scanKey('here', '-----BEGIN PRIVATE KEY-----')).toEqual([]);
});

test('an absent secret is not found', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(formsIn(text)).toEqual([]);
      expect(formsIn(value.slice(0, -1) + text.replace(/^h/, ''))).toEqual([]);
    }),
  );
});

test('a finding names the place and the secret and does not repeat it', () => {
  const [leak, ...more] = scan('log', `Authorization: ${value} ${value}`);
  expect(more).toEqual([]);
  expect(leak).toEqual({ where: 'log', secret: 'client secret', form: 'raw' });
});

test('a secret that is too short is refused', () => {
  expect(() => createSecretScanner([{ name: 'x', value: 'secret' }])).toThrow(/short/);
});

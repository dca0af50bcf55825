import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSecretScanner } from './secret-scanner.ts';

const value = 'Zk3+/$wq=one-secret_of-the/usual?length';
const scan = createSecretScanner([{ name: 'client secret', value }]);
const formsIn = (content: string | Uint8Array) => scan('here', content).map(({ form }) => form);

test('a secret is found raw, wherever it stands, also within bytes that are no text', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (before, behind) => {
      expect(formsIn(Buffer.concat([before, Buffer.from(value), behind]))).toContain('raw');
    }),
  );
});

test('a secret is found in base64, whatever was encoded together with it', () => {
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

test('of a PEM block every line counts, also one that somebody encoded once more', () => {
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

test('what is not there is not found', () => {
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

test('a secret that is too short is refused rather than found everywhere', () => {
  expect(() => createSecretScanner([{ name: 'x', value: 'secret' }])).toThrow(/short/);
});

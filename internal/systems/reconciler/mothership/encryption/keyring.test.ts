import { describe, expect, test } from '@jest/globals';
import { createKeyring, newKey, parseKeys } from './keyring.ts';

const keys = [newKey(), newKey()] as const;

test('[R80] what one keyring encrypts, another one with the key decrypts', () => {
  const sealed = createKeyring([keys[0]]).encrypt('größe', 'kubeconfig');
  expect(sealed.text).not.toContain('größe');
  expect(createKeyring([keys[0]]).decrypt(sealed, 'kubeconfig')).toBe('größe');
  expect(createKeyring([keys[1], keys[0]]).decrypt(sealed, 'kubeconfig')).toBe('größe');
});

test('[R80] equal texts have different ciphers', () => {
  const keyring = createKeyring(keys);
  expect(keyring.encrypt('a', 'x').text).not.toBe(keyring.encrypt('a', 'x').text);
});

test.each([
  { what: 'another key', by: [keys[1]], purpose: 'kubeconfig', change: (text: string) => text },
  { what: 'another purpose', by: [keys[0]], purpose: 'components', change: (text: string) => text },
  {
    what: 'a changed text',
    by: [keys[0]],
    purpose: 'kubeconfig',
    change: (text: string) => `AAAA${text.slice(4)}`,
  },
  { what: 'a cut text', by: [keys[0]], purpose: 'kubeconfig', change: (text: string) => text.slice(0, 8) },
])('[R80] $what cannot be decrypted', ({ by, purpose, change }) => {
  const { text, keyId } = createKeyring([keys[0]]).encrypt('secret', 'kubeconfig');
  const sealed = { text: change(text), keyId };
  expect(() => createKeyring(by).decrypt(sealed, purpose)).toThrow(`cannot decrypt ${purpose}`);
});

describe('[R80] key files', () => {
  test('one key on each line, the current one first', () => {
    expect(parseKeys(`${keys[0]}\n\n ${keys[1]} \r\n`)).toEqual(keys);
  });

  test.each(['', '\n', 'abc', 'z'.repeat(64), keys[0].slice(1), `${keys[0]}0`, `${keys[0]}\nx`])(
    '%j is refused, without its text',
    (text) => {
      const refuse = () => parseKeys(text);
      expect(refuse).toThrow('cannot use the encryption key');
      expect(refuse).not.toThrow(keys[0]);
    },
  );

  test('a keyring needs a key', () => {
    expect(() => createKeyring([])).toThrow('there is no key');
    expect(() => createKeyring(['12'])).toThrow('64 hexadecimal characters');
  });
});

test('derived keys differ by use, and are the same for the same key', () => {
  const derived = (of: readonly string[], use: string) =>
    createKeyring(of)
      .derive(use)
      .map((key) => key.export().toString('hex'));
  const [first, second] = derived(keys, 'tokens');
  expect(first).not.toEqual(second);
  expect(derived([keys[1]], 'tokens')[0]).toEqual(second);
  expect(derived(keys, 'other')[0]).not.toEqual(first);
});

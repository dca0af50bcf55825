import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { integer, time } from './der.ts';
import { commonName, extensions, signedCertificate } from './signed-certificate.ts';

test.each([
  [0n, '020100'],
  [5n, '020105'],
  [127n, '02017f'],
  [128n, '02020080'],
  [BigInt('0x0005ff'), '020205ff'],
  [BigInt('0x0080'), '02020080'],
])('the integer %p has the fewest octets', (value, hex) => {
  expect(integer(value).toString('hex')).toBe(hex);
});

test.each([
  ['1949-12-31T23:59:59Z', '19491231235959Z'],
  ['1950-01-01T00:00:00Z', '500101000000Z'],
  ['2049-12-31T23:59:59Z', '491231235959Z'],
  ['2050-01-01T00:00:00Z', '20500101000000Z'],
])('the time %s', (text, written) => {
  expect(time(Date.parse(text)).subarray(2).toString()).toBe(written);
});

test('certificates can be read, whatever their serial numbers begin with', () => {
  const { privateKey: key } = generateKeyPairSync('ed25519');
  const name = commonName('ca');
  const content = {
    subject: name,
    key,
    notBefore: 0,
    notAfter: 1e12,
    extensions: [extensions.authority(true)],
  };
  for (let n = 0; n < 1500; n++) {
    const read = new X509Certificate(signedCertificate(content, { name, key }));
    expect(read.serialNumber).toMatch(/^[0-9A-F]{1,32}$/);
  }
});

import { createPrivateKey } from 'node:crypto';

const base64 = (number: bigint) => {
  const hex = number.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
};

/**
 * PEM of what is read as a private RSA key of `bits` bits, an even number. Its factors are no primes, which take a second
 * of CPU to find: it signs nothing.
 */
export function rsaKeyOf(bits: number): string {
  const p = (3n << BigInt(bits / 2 - 2)) + 3n;
  const q = p - 2n;
  const [n, e] = [p * q, 65_537n];
  const numbers = { n, e, d: 3n, p, q, dp: 3n, dq: 3n, qi: 3n };
  const members = Object.entries(numbers).map(([name, number]) => [name, base64(number)]);
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'RSA', ...Object.fromEntries(members) } });
  return String(key.export({ type: 'pkcs8', format: 'pem' }));
}

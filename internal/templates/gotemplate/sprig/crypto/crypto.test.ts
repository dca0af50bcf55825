import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { parseTemplate } from '../../template.ts';
import { SPRIG3_FUNCTIONS } from '../sprig.ts';
import { bcrypt } from './bcrypt.ts';

const limits = { timeMs: 60_000, steps: 10_000_000 };

const render = (template: string): string =>
  parseTemplate('t', template, { functions: SPRIG3_FUNCTIONS, limits }).execute(null);

test('a signed certificate is one of its authority, for its names and addresses, with its own key', () => {
  const [authorityText = '', text = '', key = ''] = render(
    '{{ $ca := genCA "ca" 2 }}{{ $c := genSignedCert "svc" (list "10.0.0.1" "::1") (list "svc.ns") 1 $ca }}{{ $ca.Cert }}|{{ $c.Cert }}|{{ $c.Key }}',
  ).split('|');
  const authority = new X509Certificate(authorityText);
  const certificate = new X509Certificate(text);
  expect(authority.ca && authority.verify(authority.publicKey)).toBe(true);
  expect(certificate.checkIssued(authority) && certificate.verify(authority.publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(certificate.subjectAltName).toBe('DNS:svc.ns, IP Address:10.0.0.1, IP Address:0:0:0:0:0:0:0:1');
});

test('a name that is not ASCII is refused, at its place in the template', () => {
  expect(() => render('\n{{ (genSelfSignedCert "x" nil (list "é") 1).Cert }}')).toThrow(
    'template: t:2:4: executing "t" at <genSelfSignedCert "x" nil (list "é") 1>: error calling genSelfSignedCert: error creating certificate: x509: "é" cannot be encoded as an IA5String',
  );
});

test('more days than a duration has begin again at its other end', () => {
  const certificate = new X509Certificate(render('{{ (genCA "ca" 100000000).Cert }}'));
  const years = (certificate.validToDate.getTime() - Date.now()) / (365.2425 * 86_400_000);
  expect(years).toBeCloseTo(219.4, 1);
});

test('passwords are derived and hashed as other programs do it', () => {
  expect(render('{{ derivePassword 1 "long" "password" "user" "example.com" }}')).toBe('ZedaFaxcZaso9*');
  expect(bcrypt(Buffer.from('secret'), Buffer.from('0123456789abcdef'))).toBe(
    '$2a$10$KBCwKxOzLha2MUDgW0PjXe5iC0KgerkTIWLGUoONajjj98vdFiyt2',
  );
});

test('what is encrypted can be decrypted', () => {
  expect(render('{{ encryptAES "key" "plain" | decryptAES "key" }}')).toBe('plain');
});

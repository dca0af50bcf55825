import { describe, expect, test } from '@jest/globals';
import { rsaKeyOf } from '../../base/text/rsa-key.fixture.ts';
import { base64, refusalOf, selfSigned, withCluster, withUser } from './untrusted-kubeconfig.fixture.ts';
import { parseUntrustedKubeconfig } from './untrusted-kubeconfig.ts';

const token = 'a-bearer-token';
const cluster = (more: Record<string, unknown>) => withCluster(more);
const user = (more: Record<string, unknown>) => withUser({ token, ...more });

describe('each field that is not allowed is refused on its own', () => {
  const file = 'kubeconfig is refused: it reads a file of this machine; embed the content';
  const notUrl = 'kubeconfig has a server that is not an https URL of host, port and path';
  const impersonates = 'kubeconfig is refused: it impersonates another user (as)';
  test.each<[field: string, text: string, message: string]>([
    ['certificate-authority', cluster({ 'certificate-authority': 'x' }), `${file} (certificate-authority)`],
    ['client-certificate', user({ 'client-certificate': 'x' }), `${file} (client-certificate)`],
    ['client-key', user({ 'client-key': 'x' }), `${file} (client-key)`],
    ['tokenFile', user({ tokenFile: 'x' }), `${file} (tokenFile)`],
    ['token-file', user({ 'token-file': 'x' }), `${file} (token-file)`],
    ['as', user({ as: 'jane' }), impersonates],
    ['as-groups', user({ 'as-groups': ['system:masters'] }), impersonates],
    ['as-uid', user({ 'as-uid': '1' }), impersonates],
    ['as-user-extra', user({ 'as-user-extra': { scopes: ['x'] } }), impersonates],
    ['user in the server', cluster({ server: 'https://user@api.example' }), notUrl],
    ['password in the server', cluster({ server: 'https://:pw@api.example' }), notUrl],
    ['query in the server', cluster({ server: 'https://api.example/?x' }), notUrl],
    ['fragment in the server', cluster({ server: 'https://api.example/#x' }), notUrl],
    ['no URL in the server', cluster({ server: 'api.example' }), notUrl],
  ])('%s', (_field, text, message) => {
    expect(refusalOf(text).message).toBe(message);
  });

  test('a text field with another type, by its name', () => {
    expect(refusalOf(cluster({ 'tls-server-name': 7 })).message).toBe(
      'kubeconfig has a field that is not text (tls-server-name)',
    );
  });
});

describe('what is allowed up to a limit is allowed at the limit', () => {
  const url = (length: number) => `https://api.example/${'x'.repeat(length - 20)}`;
  const host = (length: number) => `https://${'x'.repeat(length)}`;
  const bearer = (length: number) => withUser({ token: 'x'.repeat(length - 'Bearer '.length) });

  test.each<[what: string, atLimit: string, above: string]>([
    [
      'the URL of the server, 2048 characters',
      cluster({ server: url(2048) }),
      cluster({ server: url(2049) }),
    ],
    ['its host, 253 characters', cluster({ server: host(253) }), cluster({ server: host(254) })],
    ['the header, 16 KiB', bearer(16 * 1024), bearer(16 * 1024 + 1)],
  ])('%s', (_what, atLimit, above) => {
    expect(() => parseUntrustedKubeconfig(atLimit)).not.toThrow();
    expect(refusalOf(above).kind).toBe('terminal');
  });

  test('a certificate authority, 16 KiB', async () => {
    const { cert } = await selfSigned();
    const ca = (length: number) => cluster({ 'certificate-authority-data': base64(cert.padEnd(length)) });
    expect(() => parseUntrustedKubeconfig(ca(16 * 1024))).not.toThrow();
    expect(refusalOf(ca(16 * 1024 + 1)).fault).toBe('long-certificate');
  });

  test.each(['client-certificate-data', 'client-key-data'])('more than 16 KiB of %s are refused', (field) => {
    const long = { [field]: base64('x'.repeat(16 * 1024 + 1)) };
    const short = { 'client-certificate-data': base64('x'), 'client-key-data': base64('x') };
    expect(refusalOf(user({ ...short, ...long })).fault).toBe('long-certificate');
  });

  test('an RSA key of 4096 bits is read: it is refused only because the certificate is of another key', async () => {
    const { cert } = await selfSigned();
    const certificate = {
      'client-certificate-data': base64(cert),
      'client-key-data': base64(rsaKeyOf(4096)),
    };
    expect(refusalOf(withUser(certificate)).message).toBe(
      'kubeconfig has a certificate or key that cannot be read (client-certificate-data or client-key-data)',
    );
  });
});

describe('what is unusable is named', () => {
  test('a certificate authority', () => {
    expect(refusalOf(cluster({ 'certificate-authority-data': base64('no PEM') })).message).toBe(
      'kubeconfig has a certificate or key that cannot be read (certificate-authority-data)',
    );
  });

  test('a client certificate that TLS does not accept', async () => {
    const { cert, key } = await selfSigned();
    const chain = `${cert}\n${cert.replace('\nM', '\nA')}`;
    const certificate = { 'client-certificate-data': base64(chain), 'client-key-data': base64(key) };
    expect(refusalOf(withUser(certificate)).message).toBe(
      'kubeconfig has a certificate or key that cannot be read (client-certificate-data or client-key-data)',
    );
  });

  test('a client certificate without its key, a token beside it or not', () => {
    const half = { 'client-certificate-data': base64('x') };
    for (const text of [withUser(half), user(half)]) expect(refusalOf(text).fault).toBe('half-certificate');
  });
});

describe('what has no effect is accepted', () => {
  test.each([
    ['verification that is not switched off', cluster({ 'insecure-skip-tls-verify': null })],
    ['an empty field', cluster({ 'tls-server-name': null, 'certificate-authority-data': '' })],
    ['a proxy with TLS', cluster({ 'proxy-url': 'https://proxy.example' })],
  ])('%s', (_what, text) => {
    expect(() => parseUntrustedKubeconfig(text)).not.toThrow();
  });
});

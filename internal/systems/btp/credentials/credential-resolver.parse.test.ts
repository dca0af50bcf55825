import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { X509CertificateGenerator } from '@peculiar/x509';
import { parseCredentials, type SecretData } from './credential-resolver.ts';

const data = {
  clientid: 'sb-client',
  clientsecret: 's3cr3t=$',
  sm_url: 'https://service-manager.example.com',
  tokenurl: 'https://sub.authentication.example.com',
  tokenurlsuffix: '/oauth/token',
};
const credentials = {
  baseUrl: 'https://service-manager.example.com',
  tokenUrl: 'https://sub.authentication.example.com/oauth/token',
  clientId: 'sb-client',
  authentication: { method: 'client-secret', clientSecret: 's3cr3t=$' },
};

async function issue(): Promise<{ certificate: string; key: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const options = { name: 'CN=test', signingAlgorithm: algorithm, keys };
  return {
    certificate: (await X509CertificateGenerator.createSelfSigned(options)).toString('pem'),
    key: String(KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' })),
  };
}

const longUrl = (length: number): string => 'https://h.example.com/'.padEnd(length, 'x');

describe('credentials of Service Manager', () => {
  const cases: { form: string; data: SecretData; expected: object }[] = [
    { form: 'a client secret', data, expected: credentials },
    {
      form: 'trailing slashes',
      data: { ...data, sm_url: `${data.sm_url}//`, tokenurlsuffix: '/other' },
      expected: { ...credentials, tokenUrl: `${data.tokenurl}/other` },
    },
    {
      form: 'line ends from a shell',
      data: { ...data, sm_url: `${data.sm_url}\n`, tokenurl: `${data.tokenurl}\n`, clientid: 'sb-client\n' },
      expected: credentials,
    },
    {
      form: 'white space around the suffix',
      data: { ...data, tokenurlsuffix: ' /oauth/token\n' },
      expected: credentials,
    },
    {
      form: 'plain HTTP',
      data: { ...data, sm_url: 'http://localhost:8080' },
      expected: { ...credentials, baseUrl: 'http://localhost:8080' },
    },
    {
      form: 'the longest value and the longest URL',
      data: { ...data, clientid: 'x'.repeat(65_536), sm_url: longUrl(2048) },
      expected: { ...credentials, clientId: 'x'.repeat(65_536), baseUrl: longUrl(2048) },
    },
    {
      form: 'entries of others of any length',
      data: { ...data, label: 'x'.repeat(65_537) },
      expected: credentials,
    },
    {
      form: 'no suffix',
      data: { ...data, tokenurl: credentials.tokenUrl, tokenurlsuffix: undefined },
      expected: credentials,
    },
  ];
  test.each(cases)('[B146] are read with $form', ({ data: given, expected }) => {
    expect(parseCredentials(given)).toEqual({ credentials: expected });
  });

  test.each(['clientid', 'clientsecret', 'sm_url', 'tokenurl', 'tokenurlsuffix'] as const)(
    'are read without white space at the ends of %s, such as the line break of a file',
    (key) => {
      for (const space of ['\n', '\r\n', ' \t'])
        expect(parseCredentials({ ...data, [key]: `${space}${data[key]}${space}` })).toEqual({ credentials });
    },
  );

  test.each(['?', '#', '/?#'])(
    'are read without the empty query or fragment at the end of sm_url: %s',
    (end) => {
      expect(parseCredentials({ ...data, sm_url: `${data.sm_url}${end}` })).toEqual({ credentials });
    },
  );

  test('[B167] use a certificate of the same or another Secret, even beside a client secret', async () => {
    const { certificate, key } = await issue();
    const tls = { 'tls.crt': certificate, 'tls.key': key };
    const pair = { certificate, key };
    expect(parseCredentials({ ...data, ...tls })).toEqual({
      credentials: {
        ...credentials,
        authentication: { ...credentials.authentication, clientCertificate: pair },
      },
    });
    expect(parseCredentials({ ...data, clientsecret: undefined }, tls)).toEqual({
      credentials: { ...credentials, authentication: { method: 'x509', ...pair } },
    });
    const { key: other } = await issue();
    expect(parseCredentials({ ...data, ...tls, 'tls.key': other })).toEqual({
      problem: 'has a key tls.key that does not belong to the certificate',
    });
  });

  test.each([
    { reason: 'no client', change: { clientid: ' ' }, problem: 'has no key clientid' },
    { reason: 'no API', change: { sm_url: undefined }, problem: 'has no key sm_url' },
    { reason: 'no token endpoint', change: { tokenurl: '' }, problem: 'has no key tokenurl' },
    {
      reason: 'no authentication',
      change: { clientsecret: '', 'tls.crt': 'certificate' },
      problem: 'has neither clientsecret nor tls.crt and tls.key',
    },
    { reason: 'no URL', change: { sm_url: 'not a url' }, problem: 'has a key sm_url that is not a URL' },
    {
      reason: 'a user in a URL',
      change: { sm_url: 'https://u:p@h' },
      problem: 'has a key sm_url that is not a URL',
    },
    { reason: 'a relative URL', change: { sm_url: 'h' }, problem: 'has a key sm_url that is not a URL' },
    {
      reason: 'a URL of another scheme',
      change: { sm_url: 'shttps://h' },
      problem: 'has a key sm_url that is not a URL',
    },
    {
      reason: 'a long URL',
      change: { sm_url: longUrl(2049) },
      problem: 'has a key sm_url that is not a URL',
    },
    { reason: 'a file', change: { sm_url: 'file:///etc' }, problem: 'has a key sm_url that is not a URL' },
    {
      reason: 'a wrong suffix',
      change: { tokenurlsuffix: ' oauth?x' },
      problem: 'has keys tokenurl and tokenurlsuffix that are not a URL',
    },
    {
      reason: 'no certificate',
      change: { 'tls.crt': 'x', 'tls.key': 'y' },
      problem: 'has a key tls.crt that is not a PEM certificate',
    },
    ...['clientid', 'clientsecret', 'sm_url', 'tokenurl', 'tokenurlsuffix', 'tls.crt', 'tls.key'].map(
      (key) => ({
        reason: `a huge value of ${key}`,
        change: { [key]: 'x'.repeat(65_537) },
        problem: `has a key ${key} of more than 65536 characters`,
      }),
    ),
  ])('[B137] [B141] [B146] are invalid with $reason', ({ change, problem }) => {
    expect(parseCredentials({ ...data, ...change })).toEqual({ problem });
  });

  test('show no secret when they are printed', () => {
    const parsed = parseCredentials(data);
    for (const text of [JSON.stringify(parsed), inspect(parsed)]) expect(text).not.toContain('s3cr3t');
  });
});

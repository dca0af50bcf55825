import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { X509CertificateGenerator } from '@peculiar/x509';
import fc from 'fast-check';
import { rsaKeyOf } from '../../../framework/base/text/rsa-key.fixture.ts';
import { parseAdminCredentials, parseCredentialsKey } from './credentials.ts';

const uaa = {
  url: 'https://sub.authentication.example.com',
  clientid: 'sb-x!b1|y',
  clientsecret: 's3cr3t=$',
};
const flat = { baseurl: 'api.hana.example.com', uaa: JSON.stringify(uaa) };
const expected = {
  baseUrl: 'https://api.hana.example.com',
  tokenUrl: 'https://sub.authentication.example.com/oauth/token',
  clientId: 'sb-x!b1|y',
  authentication: { method: 'client-secret', clientSecret: 's3cr3t=$' },
};

function problemsOf(data: Record<string, string>) {
  const result = parseAdminCredentials(data);
  return 'problems' in result ? result.problems : [];
}

describe('each form of a binding is understood', () => {
  const cases: Record<string, { reason: string; data: Record<string, string> }> = {
    Flat: { reason: 'the form of a plain binding', data: flat },
    UrlInsteadOfBaseurl: { reason: 'older plans say url', data: { url: flat.baseurl, uaa: flat.uaa } },
    BaseurlBeforeUrl: {
      reason: 'url may be the dashboard',
      data: { ...flat, url: 'https://cockpit.example.com' },
    },
    HttpsUrl: {
      reason: 'both ways of writing a host occur',
      data: { ...flat, baseurl: 'https://api.hana.example.com/' },
    },
    WhiteSpace: { reason: 'echo leaves a line end', data: { ...flat, baseurl: ' api.hana.example.com\n' } },
    SecretKey: {
      reason: 'a binding with secretKey puts all into one value, beside facts about itself',
      data: { creds: JSON.stringify({ baseurl: flat.baseurl, uaa }), instance_name: 'hana', plan: '"admin"' },
    },
    SecretKeyWithUaaAsText: {
      reason: 'uaa stays text where it was text',
      data: { creds: JSON.stringify(flat) },
    },
    SecretRootKey: {
      reason: 'a binding with secretRootKey puts the credentials one level down',
      data: { root: JSON.stringify({ credentials: { baseurl: flat.baseurl, uaa }, instance_name: 'hana' }) },
    },
    TokenEndpointInUrl: {
      reason: 'some say the whole token endpoint; it must not be doubled',
      data: { ...flat, uaa: JSON.stringify({ ...uaa, url: `${uaa.url}/oauth/token/` }) },
    },
    SecretBesideCertificate: {
      reason: 'a secret needs no connection of its own',
      data: { ...flat, uaa: JSON.stringify({ ...uaa, certificate: 'x', key: 'y', certurl: 'https://c' }) },
    },
  };
  for (const [name, { reason, data }] of Object.entries(cases)) {
    test(`${name}: ${reason}`, () => {
      expect(parseAdminCredentials(data)).toEqual({ credentials: expected });
    });
  }

  test('ports and paths are kept', () => {
    const result = parseAdminCredentials({
      baseurl: 'api.example.com:8443/hana/',
      uaa: JSON.stringify({ ...uaa, url: 'uaa.example.com:9443/zone' }),
    });
    expect(result).toMatchObject({
      credentials: {
        baseUrl: 'https://api.example.com:8443/hana',
        tokenUrl: 'https://uaa.example.com:9443/zone/oauth/token',
      },
    });
  });
});

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const certificate = await X509CertificateGenerator.createSelfSigned({
  name: 'CN=test',
  signingAlgorithm: algorithm,
  keys: await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']),
}).then((made) => made.toString('pem'));
const longKey = rsaKeyOf(4104);

describe('all problems are returned at once', () => {
  const withUaa = (fields: unknown) => ({ ...flat, uaa: JSON.stringify(fields) });
  const cases: Record<string, { data: Record<string, string>; texts: string[]; kind?: 'malformed' }> = {
    'nothing there': { data: {}, texts: ['has no key baseurl', 'has no key uaa'] },
    'one of two there': { data: { baseurl: 'h' }, texts: ['has no key uaa'] },
    'one value of another Secret': {
      data: { host: 'garbage' },
      texts: ['has no key baseurl', 'has no key uaa'],
    },
    'both empty': {
      data: { baseurl: ' ', uaa: '' },
      texts: ['has an empty key baseurl', 'has an empty key uaa'],
    },
    'uaa empty inside': {
      data: withUaa({}),
      texts: ['has no clientid in key uaa', 'has no url in key uaa', 'has no clientsecret in key uaa'],
    },
    'one value, empty inside': {
      data: { creds: '{"uaa":{"clientid":"x"}}' },
      texts: [
        'has no baseurl in key creds',
        'has no uaa.url in key creds',
        'has no uaa.clientsecret in key creds',
      ],
    },
    'uaa no JSON': {
      data: { ...flat, uaa: '{"url":' },
      texts: ['has a key uaa that is not a JSON object'],
      kind: 'malformed',
    },
    'uaa an array': {
      data: withUaa([]),
      texts: ['has a key uaa that is not a JSON object'],
      kind: 'malformed',
    },
    'a number for a string': {
      data: withUaa({ ...uaa, clientid: 7 }),
      texts: ['has a clientid in key uaa that is not a string'],
      kind: 'malformed',
    },
    'one value that was meant to be JSON': {
      data: { creds: ' {"uaa"' },
      texts: ['has a key creds that is not a JSON object'],
      kind: 'malformed',
    },
    'two candidates': {
      data: { a: JSON.stringify(flat), b: JSON.stringify(flat) },
      texts: ['holds credentials under more than one key: a, b'],
      kind: 'malformed',
    },
    http: {
      data: { ...flat, baseurl: 'http://h', uaa: JSON.stringify({ ...uaa, url: 'http://u' }) },
      texts: ['has a key baseurl that is not https', 'has a url in key uaa that is not https'],
      kind: 'malformed',
    },
    'a password in the URL': {
      data: { ...flat, baseurl: 'https://u:p@h' },
      texts: ['has a key baseurl that holds a user name or password'],
      kind: 'malformed',
    },
    'a query': {
      data: { ...flat, baseurl: 'https://h/?x=1' },
      texts: ['has a key baseurl that has a query or a fragment'],
      kind: 'malformed',
    },
    'more keys than a binding has': {
      data: { ...flat, ...Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, 'x'])) },
      texts: ['has more than 100 keys'],
      kind: 'malformed',
    },
    'a value that is larger than credentials': {
      data: { ...flat, uaa: ' '.repeat(65_537) },
      texts: ['has a key uaa of more than 64 KiB'],
      kind: 'malformed',
    },
    'a deep value': {
      data: { ...flat, uaa: '['.repeat(30_000) + ']'.repeat(30_000) },
      texts: ['has a key uaa that is not a JSON object'],
      kind: 'malformed',
    },
    'a URL that no pattern need look at': {
      data: { ...flat, baseurl: `h/${'/'.repeat(50_000)}x` },
      texts: ['has a key baseurl of more than 2048 characters'],
      kind: 'malformed',
    },
    'a key that is slow to sign with': {
      data: withUaa({ clientid: 'x', certurl: 'https://c', certificate, key: longKey }),
      texts: ['has a key in key uaa that is an RSA key of more than 4096 bits'],
      kind: 'malformed',
    },
    'no host': {
      data: { ...flat, baseurl: 'not a host' },
      texts: ['has a key baseurl that is not a host name or an https URL'],
      kind: 'malformed',
    },
  };
  for (const [name, { data, texts, kind = 'incomplete' }] of Object.entries(cases)) {
    test(name, () => {
      const problems = problemsOf(data);
      expect(problems.map(({ text }) => text)).toEqual(texts);
      expect(problems.every((problem) => problem.kind === kind)).toBe(true);
    });
  }
});

describe('one key that is known to hold all', () => {
  test.each(['credentials', 'uaa', 'url'])('is read whatever it is called: %s', (key) => {
    const text = JSON.stringify({ baseurl: flat.baseurl, uaa });
    expect(parseCredentialsKey(key, text)).toEqual({ credentials: expected });
  });
  test.each([
    { text: '', problem: { kind: 'incomplete', field: 'admin', text: 'has an empty key admin' } },
    {
      text: 'secret=1',
      problem: { kind: 'malformed', field: 'admin', text: 'has a key admin that is not a JSON object' },
    },
    {
      text: JSON.stringify({ baseurl: flat.baseurl }),
      problem: { kind: 'incomplete', field: 'admin.uaa', text: 'has no uaa in key admin' },
    },
  ])('its problem names the key: $text', ({ text, problem }) => {
    expect(parseCredentialsKey('admin', text)).toEqual({ problems: [problem] });
  });
});

describe('properties', () => {
  const junk = fc.dictionary(
    fc.constantFrom('baseurl', 'url', 'uaa', 'creds', 'x'),
    fc.oneof(
      fc.string(),
      fc.json(),
      fc.record({ uaa: fc.anything(), baseurl: fc.anything() }).map((v) => JSON.stringify(v) ?? ''),
    ),
  );

  test('whatever a Secret holds, reading it gives credentials or problems and never throws', () => {
    fc.assert(
      fc.property(junk, (data) => {
        const result = parseAdminCredentials(data);
        if ('problems' in result) expect(result.problems.length).toBeGreaterThan(0);
        else expect(new URL(result.credentials.baseUrl).protocol).toBe('https:');
      }),
    );
  });

  test('no problem quotes a value', () => {
    const secret = fc.stringMatching(/^[A-Z]{12,20}$/);
    fc.assert(
      fc.property(secret, fc.constantFrom('baseurl', 'uaa', 'creds'), (value, key) => {
        const broken = [
          value,
          `{"clientsecret":"${value}"`,
          `{"clientid":["${value}"],"url":"ftp://${value}"}`,
        ];
        for (const text of broken) {
          expect(inspect(problemsOf({ [key]: text }), { depth: 9 })).not.toContain(value);
        }
      }),
    );
  });
});

test('credentials cannot be changed, and print without their secret', () => {
  const result = parseAdminCredentials(flat);
  if (!('credentials' in result)) throw new Error('unreadable');
  const { credentials } = result;
  expect(Object.isFrozen(credentials)).toBe(true);
  expect(`${JSON.stringify(credentials)}${inspect(credentials)}`).not.toContain('s3cr3t');
});

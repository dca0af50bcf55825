import { describe, expect, test } from '@jest/globals';
import { type ApiCredentials, createCredentialsIDs, secretsOf } from './api-credentials.ts';
import {
  type FixedAuthentication,
  fixedAuthorization,
  sealFixedCredentials,
  secretsOfFixed,
} from './fixed-credentials.ts';

const clientCertificate = { certificate: 'PEM 1', key: 'key 1' };
const withSecret: ApiCredentials = {
  baseUrl: 'https://api.example.com',
  tokenUrl: 'https://login.example.com/oauth/token',
  clientId: 'client',
  authentication: { method: 'client-secret', clientSecret: 'hunter2', clientCertificate },
};
const withCertificate: ApiCredentials = {
  ...withSecret,
  authentication: { method: 'x509', ...clientCertificate },
};

describe('the ID of credentials', () => {
  const { idOf, idOfFixed } = createCredentialsIDs();

  test.each<[string, Partial<ApiCredentials>]>([
    ['API', { baseUrl: 'https://other.example.com' }],
    ['token endpoint', { tokenUrl: 'https://other.example.com/oauth/token' }],
    ['client', { clientId: 'other' }],
    ['secret', { authentication: { method: 'client-secret', clientSecret: 'other', clientCertificate } }],
    [
      'certificate beside the secret',
      {
        authentication: {
          method: 'client-secret',
          clientSecret: 'hunter2',
          clientCertificate: { ...clientCertificate, certificate: 'PEM 2' },
        },
      },
    ],
    ['method', withCertificate],
  ])('is another for another %s', (_, other) => {
    expect(idOf({ ...withSecret, ...other })).not.toBe(idOf(withSecret));
    expect(idOf({ ...withSecret })).toBe(idOf(withSecret));
  });

  test('is another for another key, such as the corrected one of a certificate', () => {
    const authentication = { method: 'x509', certificate: 'PEM 1', key: 'key 2' } as const;
    expect(idOf({ ...withCertificate, authentication })).not.toBe(idOf(withCertificate));
  });

  test('does not depend on where they are', () => {
    expect(idOf({ ...withSecret, source: 'Secret shop/hana' })).toBe(idOf(withSecret));
  });

  test('of fixed ones depends on the API, and not on the order of fields', () => {
    const fixed = {
      baseUrl: 'https://api.example.com',
      authentication: { method: 'bearer', token: 't' },
    } as const;
    expect(idOfFixed({ ...fixed, authentication: { token: 't', method: 'bearer' } })).toBe(idOfFixed(fixed));
    expect(idOfFixed({ ...fixed, baseUrl: 'https://other.example.com' })).not.toBe(idOfFixed(fixed));
    expect(idOfFixed({ ...fixed, authentication: { method: 'bearer', token: 'u' } })).not.toBe(
      idOfFixed(fixed),
    );
  });

  test('confirms no guess elsewhere: another process has others', () => {
    expect(createCredentialsIDs().idOf(withSecret)).not.toBe(idOf(withSecret));
  });
});

test.each([
  ['a client with a secret and a certificate', withSecret, ['hunter2', 'key 1']],
  ['a client with a certificate', withCertificate, ['key 1']],
])('the masked texts of %s are its secrets', (_, credentials, secrets) => {
  expect(secretsOf(credentials)).toEqual(secrets);
});

const baseUrl = 'https://api.example.com';
const base64 = (text: string) => Buffer.from(text).toString('base64');

test.each<[string, FixedAuthentication, string[]]>([
  ['a token', { method: 'bearer', token: ' t1\n' }, ['t1']],
  ['a password', { method: 'basic', username: 'u', password: 'p1\n' }, ['p1', base64('u:p1')]],
  ['a key that is a user name', { method: 'basic', username: 'k1\n', password: '' }, ['k1', base64('k1:')]],
  ['a key', { method: 'api-key', in: 'header', name: 'x-key', key: 'k1\n' }, ['k1']],
  ['headers', { method: 'headers', values: { 'x-key': 'k1\n', 'x-app': ' k2' } }, ['k1', 'k2']],
  ['nothing', { method: 'none' }, []],
])('the masked texts of %s are those that requests carry', (_, authentication, secrets) => {
  expect(secretsOfFixed(sealFixedCredentials({ baseUrl, authentication }))).toEqual(secrets);
});

test('a user name with a colon is refused: the password would begin with its end', () => {
  const authentication = { method: 'basic', username: 'a:b', password: 'p' } as const;
  expect(() => fixedAuthorization({ baseUrl, authentication })).toThrow(
    expect.objectContaining({ kind: 'auth' }),
  );
});

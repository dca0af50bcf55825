import { beforeAll, describe, expect, test } from '@jest/globals';
import { createAuthority, type KeyPair } from '../../../hack/control-planes/access/authority.ts';
import { parseAdminCredentials } from '../../../internal/systems/inventory/hana-cloud/credentials.ts';

function problemsOf(data: Record<string, string>) {
  const result = parseAdminCredentials(data);
  return 'problems' in result ? result.problems : [];
}

describe('a client certificate', () => {
  let pair: KeyPair;
  let other: KeyPair;
  beforeAll(async () => {
    const authority = await createAuthority('ca');
    pair = await authority.issueClient('sb-x');
    other = await authority.issueClient('sb-y');
  });
  const x509 = (fields: Record<string, unknown>) => ({
    baseurl: 'api.hana.example.com',
    uaa: JSON.stringify({
      url: 'https://uaa.example.com',
      certurl: 'https://uaa.cert.example.com',
      clientid: 'sb-x',
      ...fields,
    }),
  });

  test('takes the place of the secret, and certurl that of url', () => {
    const { certificate, key } = pair;
    expect(parseAdminCredentials(x509({ certificate, key }))).toEqual({
      credentials: {
        baseUrl: 'https://api.hana.example.com',
        tokenUrl: 'https://uaa.cert.example.com/oauth/token',
        clientId: 'sb-x',
        authentication: { method: 'x509', certificate, key },
      },
    });
  });

  test('with line ends that were escaped twice is accepted', () => {
    const escaped = (pem: string) => pem.replaceAll('\n', '\\n');
    const result = parseAdminCredentials(
      x509({ certificate: escaped(pair.certificate), key: escaped(pair.key) }),
    );
    expect(result).toMatchObject({
      credentials: { authentication: { certificate: pair.certificate, key: pair.key } },
    });
  });

  test('that cannot be used is an error with the field’s name, before a handshake fails', () => {
    const { certificate, key } = pair;
    expect(problemsOf(x509({ certificate: 'no pem', key: 'no pem' }))).toEqual([
      {
        kind: 'malformed',
        field: 'uaa.certificate',
        text: 'has a certificate in key uaa that is not a PEM certificate',
      },
      {
        kind: 'malformed',
        field: 'uaa.key',
        text: 'has a key in key uaa that is not a PEM private key without a passphrase',
      },
    ]);
    expect(problemsOf(x509({ certificate, key: other.key }))).toEqual([
      {
        kind: 'malformed',
        field: 'uaa.key',
        text: 'has a key in key uaa that does not belong to the certificate',
      },
    ]);
    expect(problemsOf(x509({ 'credential-type': 'x509' })).map(({ field }) => field)).toEqual([
      'uaa.certificate',
      'uaa.key',
    ]);
    expect(problemsOf(x509({ certificate, key, certurl: undefined }))).toEqual([
      { kind: 'incomplete', field: 'uaa.certurl', text: 'has no certurl in key uaa' },
    ]);
  });
});

import { describe, expect, test } from '@jest/globals';
import { serviceKeyOf, setBindingValues } from './connectivity-proxy.ts';
import { credentialsOf, credentialText } from './credentials.ts';

const secretOf = (texts: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'binding' },
  data: Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  ),
});
const service = {
  CAs_path: '/cas',
  CAs_signing_path: '/sign',
  api_path: '/api',
  tunnel_path: '/t',
  url: 'https://c',
};
const flat = {
  clientid: 'id',
  clientsecret: 'hidden',
  connectivity_service: JSON.stringify(service),
  subaccount_id: 'sub',
  tags: '["a","b"]',
  'credential-type': 'binding-secret',
};
const expected =
  '{"clientid":"id","clientsecret":"hidden","connectivity_service":{"CAs_path":"/cas","CAs_signing_path":"/sign",' +
  '"api_path":"/api","tunnel_path":"/t","url":"https://c"},"credential-type":"binding-secret","instance_guid":"",' +
  '"instance_name":"","label":"","plan":"","subaccount_id":"sub","subaccount_subdomain":"","tags":["a","b"],' +
  '"token_service_domain":"","token_service_url":"","token_service_url_pattern":"",' +
  '"token_service_url_pattern_tenant_key":"","type":"","xsappname":""}';

describe('the service key of the proxy', () => {
  test.each([
    ['keys of their own', secretOf(flat), undefined],
    ['one text with JSON in texts', secretOf({ root: JSON.stringify(flat) }), 'root'],
    [
      'one text with JSON',
      secretOf({ root: JSON.stringify({ ...flat, connectivity_service: service, tags: ['a', 'b'] }) }),
      'root',
    ],
  ])('from %s', (_what, secret, rootKey) => {
    expect(serviceKeyOf(credentialsOf(secret, rootKey))).toBe(expected);
  });

  test.each([
    ['no such key', secretOf({}), 'no JSON object under root'],
    ['no JSON', secretOf({ root: 'hidden' }), 'no JSON object under root'],
    ['a list', secretOf({ root: '["hidden"]' }), 'no JSON object under root'],
  ])('with %s there is an error that quotes nothing', (_what, secret, message) => {
    expect(() => credentialsOf(secret, 'root')).toThrow(message);
    expect(() => credentialsOf(secret, 'root')).not.toThrow('hidden');
  });

  test('a credential that is missing is named', () => {
    const credentials = credentialsOf(secretOf(flat), undefined);
    expect(credentialText(credentials, 'connectivity_service', 'url')).toBe('https://c');
    expect(() => credentialText(credentials, 'subaccount_subdomain')).toThrow('has no subaccount_subdomain');
  });
});

test('values of the binding are those of its texts and of the JSON in them', () => {
  const configuration: Record<string, unknown> = { kept: 1 };
  const texts = {
    ...flat,
    root: '{"type":"t","nested":"{\\"inner\\":\\"x\\"}","number":1}',
    text: '{broken',
  };

  setBindingValues(configuration, secretOf(texts));

  expect(configuration).toMatchObject({
    kept: 1,
    'global.binding.clientid': 'id',
    'global.binding.url': 'https://c',
    'global.binding.tags': '["a","b"]',
    'global.binding.type': 't',
    'global.binding.inner': 'x',
    'global.binding.number': 1,
    'global.binding.text': '{broken',
  });
  expect(configuration).not.toHaveProperty(['global.binding.connectivity_service']);
});

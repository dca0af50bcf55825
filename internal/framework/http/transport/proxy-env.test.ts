import { describe, expect, test } from '@jest/globals';
import { proxyFromEnv } from './proxy-env.ts';

const proxy = 'http://proxy.example:3128';

describe('proxyFromEnv', () => {
  const cases: readonly [url: string, noProxy: string, direct: boolean, reason: string][] = [
    ['https://api.example.com', '', false, 'nothing is excepted'],
    ['https://api.example.com', '*', true, 'everything is excepted'],
    ['https://api.example.com', 'other.org, example.com', true, 'a domain covers what is below it'],
    ['https://example.com', 'example.com', true, 'a domain covers itself'],
    ['https://EXAMPLE.com.', 'example.com', true, 'names have no case, and the root dot says nothing'],
    ['https://example.com', '.example.com', false, 'a leading dot excepts only what is below'],
    ['https://api.example.com', '.example.com', true, 'and that it does'],
    ['https://example.com', '*.example.com', false, 'a wildcard is a leading dot'],
    ['https://api.example.com', '*.example.com', true, 'a wildcard is a leading dot'],
    ['https://badexample.com', 'example.com', false, 'the end of a name is not its domain'],
    ['https://api.example.com', 'example.com:8443', false, 'the port narrows the entry'],
    ['https://api.example.com:8443', 'example.com:8443', true, 'the port narrows the entry'],
    ['https://api.example.com', 'example.com:443', true, '443 is the port where none is written'],
    ['https://10.1.2.3', '10.0.0.0/8', true, 'a block covers its addresses'],
    ['https://11.1.2.3', '10.0.0.0/8', false, 'and no others'],
    ['https://[::ffff:10.1.2.3]', '10.0.0.0/8', true, 'an IPv4 address in IPv6 clothes is that address'],
    ['https://[fd00::1]:6443', '[fd00::1]:6443', true, 'IPv6 with a port stands in brackets'],
    ['https://[fd00::1]', 'fd00::/8', true, 'blocks of IPv6'],
    ['https://10.1.2.3', '3', false, 'an address has no domain'],
    ['https://10.1.2.3', '10.1.2.3', true, 'a single address'],
    ['https://localhost:8443', '', true, 'loopback never goes through a proxy'],
    ['https://127.0.0.9', '', true, 'loopback never goes through a proxy'],
    ['https://[::1]', '', true, 'loopback never goes through a proxy'],
  ];
  for (const [url, noProxy, direct, reason] of cases) {
    test(`${url} with NO_PROXY="${noProxy}" goes ${direct ? 'directly' : 'through the proxy'}: ${reason}`, () => {
      expect(proxyFromEnv(new URL(url), { HTTPS_PROXY: proxy, NO_PROXY: noProxy })).toBe(
        direct ? undefined : proxy,
      );
    });
  }

  const variables: readonly [env: Record<string, string>, expected: string | undefined, reason: string][] = [
    [{}, undefined, 'without a proxy everything is direct'],
    [{ https_proxy: 'http://a', HTTPS_PROXY: 'http://b' }, 'http://a', 'lower-case names win'],
    [{ https_proxy: '', HTTPS_PROXY: 'http://b' }, 'http://b', 'an empty variable counts as unset'],
    [
      { HTTPS_PROXY: 'http://b', no_proxy: '', NO_PROXY: 'example.com' },
      undefined,
      'an empty variable counts as unset',
    ],
    [{ HTTP_PROXY: 'http://a' }, undefined, 'HTTP_PROXY is not for https'],
    [{ HTTPS_PROXY: 'proxy:3128' }, 'http://proxy:3128', 'a proxy without a scheme speaks http'],
  ];
  for (const [env, expected, reason] of variables) {
    test(`${JSON.stringify(env)} gives ${expected ?? 'none'} for https: ${reason}`, () => {
      expect(proxyFromEnv(new URL('https://example.com'), env)).toBe(expected);
    });
  }
  test('http goes through HTTP_PROXY, and its port is 80 where none is written', () => {
    const env = { HTTP_PROXY: 'http://a', HTTPS_PROXY: 'http://b', NO_PROXY: 'direct.com:80' };
    expect(proxyFromEnv(new URL('http://example.com'), env)).toBe('http://a');
    expect(proxyFromEnv(new URL('http://direct.com'), env)).toBeUndefined();
  });
});

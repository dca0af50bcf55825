import type { LookupFunction } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { assertPublicEndpoint, EndpointRefusedError, guardedLookup, refusalOf } from './endpoint-guard.ts';

describe('refusalOf', () => {
  const refused: readonly [url: string, reason: string][] = [
    ['https://127.0.0.1', 'loopback'],
    ['https://127.255.0.9:8443/x', 'all of 127/8 is loopback'],
    ['https://2130706433', 'an address as one number'],
    ['https://0x7f000001', 'hexadecimal'],
    ['https://0177.0.0.1', 'octal'],
    ['https://127.1', 'with parts left out'],
    ['https://0.0.0.0', 'unspecified, which is loopback on Linux'],
    ['https://10.1.2.3', 'private'],
    ['https://172.16.0.1', 'private'],
    ['https://192.168.0.1', 'private'],
    ['https://100.64.0.1', 'carrier-grade NAT, where some clouds keep metadata'],
    ['https://169.254.169.254', 'metadata of most clouds'],
    ['https://168.63.129.16', 'WireServer, whose range looks public'],
    ['https://192.0.0.192', 'metadata of one more cloud'],
    ['https://224.0.0.1', 'multicast'],
    ['https://255.255.255.255', 'broadcast'],
    ['https://[::1]', 'loopback'],
    ['https://[::]', 'unspecified'],
    ['https://[fe80::1]', 'link-local'],
    ['https://[fd00:ec2::254]', 'metadata in a private range'],
    ['https://[::ffff:10.0.0.1]', 'IPv4 in IPv6 clothes'],
    ['https://[::ffff:7f00:1]', 'the same in hexadecimal'],
    ['https://[64:ff9b::7f00:1]', 'IPv4 behind NAT64'],
    ['https://[64:ff9b:1::7f00:1]', 'the same by the local prefix'],
    ['https://[64:ff9b:1:a00:1:0:808:808]', 'private IPv4 behind NAT64, in front of a public one'],
    ['https://[64:ff9b:1:a9fe:a9:fe00::]', 'metadata behind NAT64 with a shorter prefix'],
    ['https://[64:ff9b:1:ffff::a00:1]', 'the local prefix with more than zeros'],
    ['https://[::10.0.0.1]', 'IPv4-compatible'],
    ['https://[::169.254.169.254]', 'metadata, IPv4-compatible'],
    ['https://[::ffff:0:7f00:1]', 'translated IPv4 (SIIT)'],
    ['https://[fec0::1]', 'site-local'],
    ['https://[2001:0:7f00:1::]', 'Teredo leads to any IPv4 address'],
    ['https://[2002:7f00:1::]', '6to4 leads to any IPv4 address'],
    ['https://localhost', 'a private name'],
    ['https://LOCALHOST.', 'names have no case, and the root dot says nothing'],
    ['https://a.b.localhost:1', 'a private name'],
    ['https://metadata.google.internal', 'a private name'],
    ['https://kubernetes.default.svc', 'a name of the cluster'],
    ['https://x.y.svc.cluster.local', 'a name of the cluster'],
    ['http://api.example.com', 'not https'],
  ];
  test.each(refused)('%s is refused: %s', (url) => {
    expect(refusalOf(new URL(url))).toEqual(expect.any(String));
  });

  test.each([
    ['https://api.example.com'],
    ['https://notlocalhost'],
    ['https://8.8.8.8'],
    ['https://[2606:4700::1111]'],
    ['https://[64:ff9b::808:808]'],
    ['https://[64:ff9b:1::808:808]'],
    ['https://svc.example.com'],
  ])('%s is not', (url) => {
    expect(refusalOf(new URL(url))).toBeUndefined();
  });
});

describe('where private addresses are accepted', () => {
  test.each([
    'https://127.0.0.1',
    'https://[::1]',
    'https://0.0.0.0',
    'https://169.254.169.254',
    'https://[fe80::1]',
    'https://168.63.129.16',
    'https://[fd00:ec2::254]',
    'https://100.100.100.200',
    'https://192.0.0.192',
    'https://224.0.0.1',
    'https://[::ffff:127.0.0.1]',
    'https://x.localhost',
    'http://10.0.0.1',
  ])('%s is refused', (url) => {
    expect(refusalOf(new URL(url), 'private')).toEqual(expect.any(String));
  });

  test.each(['https://10.1.2.3', 'https://[fd12::1]', 'https://kubernetes.default.svc', 'https://8.8.8.8'])(
    '%s is not',
    (url) => {
      expect(refusalOf(new URL(url), 'private')).toBeUndefined();
    },
  );

  test.each([
    { address: '10.1.2.3', refused: false },
    { address: '127.0.0.1', refused: true },
    { address: '169.254.169.254', refused: true },
  ])('a name with the address $address is refused: $refused', async ({ address, refused }) => {
    const lookup: LookupFunction = (_name, _options, callback) => callback(null, [{ address, family: 4 }]);
    const error = await new Promise((resolve) =>
      guardedLookup(lookup, 'private')('api.example.com', { all: true }, resolve),
    );
    expect(error instanceof EndpointRefusedError).toBe(refused);
  });
});

test('assertPublicEndpoint names field, address and the way out', () => {
  expect(() => assertPublicEndpoint(new URL('https://0x7f.1/'), 'baseurl')).toThrow(
    new EndpointRefusedError(
      'baseurl of the credentials is refused: 127.0.0.1 is a loopback address (ALLOW_PRIVATE_ENDPOINTS=true in the environment of the provider permits it)',
    ),
  );
});

describe('guardedLookup', () => {
  const resolving =
    (...addresses: string[]): LookupFunction =>
    (_hostname, options, callback) => {
      expect(options.all).toBe(true);
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
  const run = (lookup: LookupFunction, all: boolean) =>
    new Promise<unknown>((resolve) => {
      guardedLookup(lookup)('h.example.com', { all }, (error, ...answer) => resolve(error ?? answer));
    });

  test('gives public addresses on, in the form that was asked for', async () => {
    const lookup = resolving('8.8.8.8', '2606:4700::1');
    await expect(run(lookup, false)).resolves.toEqual(['8.8.8.8', 4]);
    await expect(run(lookup, true)).resolves.toEqual([
      [
        { address: '8.8.8.8', family: 4 },
        { address: '2606:4700::1', family: 6 },
      ],
    ]);
  });

  test.each([true, false])(
    'refuses a name as soon as one of its addresses is private (all: %s)',
    async (all) => {
      const refusal = await run(resolving('8.8.8.8', '::ffff:169.254.169.254'), all);
      expect(refusal).toBeInstanceOf(EndpointRefusedError);
      expect(refusal).toMatchObject({ message: expect.stringContaining('host h.example.com is refused: ') });
    },
  );

  test('judges each resolution anew, so that a name which was public once gains nothing (DNS rebinding)', async () => {
    const rounds = [['8.8.8.8'], ['127.0.0.1']];
    const lookup: LookupFunction = (...args) => resolving(...(rounds.shift() ?? []))(...args);
    expect(await run(lookup, false)).toEqual(['8.8.8.8', 4]);
    expect(await run(lookup, false)).toBeInstanceOf(EndpointRefusedError);
  });

  test('refuses a name without an address rather than connect to nothing', async () => {
    expect(await run(resolving(), false)).toBeInstanceOf(EndpointRefusedError);
  });

  test('passes the resolver’s own failure on', async () => {
    const failure = Object.assign(new Error('getaddrinfo ENOTFOUND h.example.com'), { code: 'ENOTFOUND' });
    await expect(run((_hostname, _options, callback) => callback(failure, '', 0), false)).resolves.toBe(
      failure,
    );
  });
});

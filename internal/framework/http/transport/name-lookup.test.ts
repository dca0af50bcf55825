import { createSocket, type Socket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import type { LookupFunction } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createNameLookup, type SearchList, searchListOf } from './name-lookup.ts';

let server: Socket;
let resolver: Resolver;
let asked: string[];
let askedSystem: string[];

const A = 1;
const NXDOMAIN = 3;

/** A DNS server: names with `slow` get no response, those with `no4` and `no6` none about this family, those with `missing` do not exist, others have one address of each family. */
beforeEach(async () => {
  asked = [];
  askedSystem = [];
  server = createSocket('udp4');
  server.on('message', (query, { port, address }) => {
    let end = 12;
    const labels: string[] = [];
    for (let size = query.readUInt8(end); size > 0; size = query.readUInt8(end)) {
      labels.push(query.toString('latin1', end + 1, end + 1 + size));
      end += size + 1;
    }
    const name = labels.join('.');
    asked.push(name);
    const type = query.readUInt16BE(end + 1);
    if (name.includes('slow') || name.includes(type === A ? 'no4' : 'no6')) return;
    const isMissing = name.includes('missing');
    const data =
      type === A ? Buffer.from([8, 8, 8, 8]) : Buffer.from('26064700'.padEnd(31, '0').concat('1'), 'hex');
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180 + (isMissing ? NXDOMAIN : 0), 2);
    head.writeUInt16BE(isMissing ? 0 : 1, 6);
    head.writeUInt32BE(0, 8);
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]);
    const answer = isMissing ? [] : [record, data];
    server.send(Buffer.concat([head, query.subarray(12, end + 5), ...answer]), port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  resolver = new Resolver({ timeout: 200, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
});
afterEach(async () => {
  resolver.cancel();
  server.close();
  await once(server, 'close');
});

const system: LookupFunction = (name, _options, callback) => {
  askedSystem.push(name);
  callback(null, '10.0.0.1', 4);
};

function find(
  name: string,
  options: Parameters<LookupFunction>[1] = { all: true },
  search: SearchList = { domains: [], ndots: 1 },
) {
  const lookup = createNameLookup({ resolver, system, hosts: new Set(['alias.example.com']), search });
  return new Promise<string | LookupAddress[]>((resolve, reject) =>
    lookup(name, options, (error, found) => (error ? reject(error) : resolve(found))),
  );
}

test('names that get no response hold up no other', async () => {
  const slow = Array.from({ length: 50 }, (_, n) =>
    find(`n${n}.slow.example.com`).catch((error: unknown) => error),
  );
  expect(await find('fast.example.com')).toHaveLength(2);
  expect(await Promise.race([Promise.all(slow), 'pending'])).toBe('pending');
  for (const error of await Promise.all(slow)) expect(error).toMatchObject({ code: 'EAI_AGAIN' });
});

test.each([
  ['no6.example.com', [{ address: '8.8.8.8', family: 4 }]],
  ['no4.example.com', [{ address: '2606:4700::1', family: 6 }]],
])('a name without an answer about one family is that of the other: %s', async (name, expected) => {
  const patient = new Resolver({ timeout: 60_000, tries: 1 });
  patient.setServers(resolver.getServers());
  const lookup = createNameLookup({
    ...{ resolver: patient, system, hosts: new Set<string>(), search: { domains: [], ndots: 1 } },
    otherFamilyMs: 20,
  });
  const found = Promise.withResolvers<unknown>();
  lookup(name, { all: true }, (error, addresses) => found.resolve(error ?? addresses));
  expect(await found.promise).toEqual(expected);
  patient.cancel();
});

test.each<[string, Parameters<LookupFunction>[1], unknown]>([
  [
    'all of both families',
    { all: true },
    [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ],
  ],
  ['one', { all: false }, '8.8.8.8'],
  ['those of a family', { all: true, family: 6 }, [{ address: '2606:4700::1', family: 6 }]],
])('the addresses have the form that was asked for: %s', async (_what, options, expected) => {
  expect(await find('a.example.com.', options)).toEqual(expected);
});

test('a name that does not exist is told as the system does', async () => {
  await expect(find('missing.example.com')).rejects.toMatchObject({
    message: 'getaddrinfo ENOTFOUND missing.example.com',
    code: 'ENOTFOUND',
    hostname: 'missing.example.com',
  });
});

test.each(['kubernetes', 'kubernetes.default.svc', 'x.localhost', 'ALIAS.example.com'])(
  '%s is a name of the system, which may have a search list and aliases',
  async (name) => {
    expect(await find(name)).toBe('10.0.0.1');
    expect([asked, askedSystem]).toEqual([[], [name]]);
  },
);

describe('a name is looked for in the domains of the search list', () => {
  const pod =
    'nameserver 10.0.0.10\nsearch missing.svc.cluster.local svc.cluster.local\noptions ndots:5 edns0\n';
  const others = 'domain first.example\nsearch corp.example.\n';
  test.each([
    {
      what: 'first, if it has fewer dots than it says: a service of a pod',
      conf: pod,
      name: 'base.dev',
      asked: ['base.dev.missing.svc.cluster.local', 'base.dev.svc.cluster.local'],
    },
    { what: 'not at all, if it ends with a dot', conf: pod, name: 'base.dev.', asked: ['base.dev'] },
    { what: 'only where there is no such name, otherwise', conf: others, name: 'a.dev', asked: ['a.dev'] },
    {
      what: 'after the name itself, otherwise',
      conf: others,
      name: 'missing.dev',
      asked: ['missing.dev', 'missing.dev.corp.example'],
    },
  ])('$what', async ({ conf, name, asked: expected }) => {
    await find(name, { all: true }, searchListOf(conf)).catch(() => undefined);
    expect([...new Set(asked)]).toEqual(expected);
  });
});

import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import { collectGarbage } from '../../base/heap.fixture.ts';
import { rsaKeyOf } from '../../base/text/rsa-key.fixture.ts';
import { cpuTimeMs } from '../../base/time/cpu-time.fixture.ts';
import type { Credentials } from './cluster-config.ts';
import {
  credentialScrubber,
  KubeconfigError,
  type KubeconfigFault,
  parseKubeconfig,
} from './kubeconfig-document.ts';
import {
  base64,
  good,
  kubeconfig,
  refusalOf,
  selfSigned,
  withCluster,
  withUser,
} from './untrusted-kubeconfig.fixture.ts';
import { confidentialTextsOf, parseUntrustedKubeconfig, serverHostOf } from './untrusted-kubeconfig.ts';

let first: { cert: string; key: string };
let second: { cert: string; key: string };
beforeAll(async () => {
  [first, second] = await Promise.all([selfSigned(), selfSigned()]);
});

/** A kubeconfig that is used, with other YAML in it. */
const padded = (yaml: string) => `${kubeconfig(good)}x:\n${yaml}`;
const current = 'current-context: a\ncontexts:\n- name: a\n  context: {cluster: a, user: a}\n';

// Tasks, registrations and Secrets have them, and the event loop reads each several times.
test.each<[what: string, text: string]>([
  ['many lines', padded('- {a: 1, b: [c]}\n'.repeat(200_000))],
  ['many values', padded(`- [${'[],'.repeat(1_000_000)}]\n`)],
  ['a text of 8 MB', padded(`- ${'y'.repeat(8_000_000)}\n`)],
  ['tokens up to the limit', padded('- {a: 1, b: [c]}\n'.repeat(300))],
  [
    'values in JSON',
    JSON.stringify({ ...JSON.parse(JSON.stringify(parse(kubeconfig(good)))), x: Array(19_000).fill({}) }),
  ],
  ['many values in JSON', `{"x": [${'[],'.repeat(500_000)}0]}`],
  ['deep JSON', `{"x": ${'['.repeat(500_000)}`],
  [
    'aliases of aliases',
    padded(
      Array.from({ length: 90 }, (_, n) => `- &a${n} [*a${n - 1}, *a${n - 1}]\n`)
        .join('')
        .replaceAll('*a-1', 'x'),
    ),
  ],
  ['lists in many places', `${current}${'contexts:\n- name: b\n'.repeat(40_000)}`],
  ['a wide indentation', `${current}${' '.repeat(400_000)}- name: b\n${'a\n'.repeat(250_000)}`],
  ['many entries that are not used', `${current}clusters:\n${'- name: b\n  cluster: {}\n'.repeat(40_000)}`],
])('%s cost little', (_, text) => {
  const read = () => {
    for (const parse of [parseUntrustedKubeconfig, serverHostOf, confidentialTextsOf])
      try {
        parse(text);
      } catch (error) {
        if (!(error instanceof KubeconfigError)) throw error;
      }
  };
  read();
  expect(cpuTimeMs(read) / 3).toBeLessThan(250);
});

test.each([
  ['token', 's3cret-token'],
  ['password', 's3cret-password'],
  ['client-key-data', Buffer.from('-----BEGIN PRIVATE KEY-----').toString('base64')],
])('a %s of any user is confidential, as it is and decoded, and so is the whole text', (field, value) => {
  const others = `users:\n- name: of others\n  user: {token: unrelated}\n- name: a\n  user: {${field}: ${value}}\n`;
  const text = `${current}${others}`;
  const found = confidentialTextsOf(text);
  expect(found).toEqual(
    expect.arrayContaining([text, value, Buffer.from(value, 'base64').toString('utf8'), 'unrelated']),
  );
});

test.each(['no YAML: [', 'users: none', 'users: [{name: a}, text]'])(
  'of a text without credentials the text itself is confidential: %j',
  (text) => {
    expect(confidentialTextsOf(text)).toEqual([text]);
  },
);

test.each([
  ['https://API.example.org:6443/path', 'api.example.org'],
  ['https://api.example.org.', 'api.example.org'],
  ['no URL', undefined],
])('the host of the server %j is %s, however it is written', (server, host) => {
  expect(serverHostOf(withCluster({ server }))).toBe(host);
});

test('what is no kubeconfig leads to no host', () => {
  expect(serverHostOf('no YAML: [')).toBeUndefined();
});

describe('masked in texts of a server is', () => {
  const masked = (credentials: Credentials) => credentialScrubber(credentials)(SAID);
  const basic = Buffer.from('user:s3cret').toString('base64');
  const SAID = `token-1, ${basic}, s3cret, and a key`;

  test.each<[what: string, credentials: Credentials, masked: string]>([
    ['a token', { headers: { authorization: 'Bearer token-1' } }, `[redacted], ${basic}, s3cret, and a key`],
    [
      'a user with a password, encoded and not',
      { headers: { authorization: `Basic ${basic}` } },
      'token-1, [redacted], [redacted], and a key',
    ],
    ['a private key', { key: 'a key', headers: {} }, `token-1, ${basic}, s3cret, and [redacted]`],
    ['nothing, without credentials', { headers: {} }, SAID],
  ])('%s', (_, credentials, expected) => {
    expect(masked(credentials)).toBe(expected);
    // It takes time to make.
    expect(credentialScrubber(credentials)).toBe(credentialScrubber(credentials));
  });
});

const faultOf = (text: string): KubeconfigFault => refusalOf(text).fault;

describe('what would endanger the pod or its credentials is refused', () => {
  test.each<[fault: KubeconfigFault, reason: string, text: string]>([
    [
      'exec',
      'a Secret must not run a program, a token beside it or not',
      withUser({ token: 'x', exec: { command: 'sh' } }),
    ],
    ['exec', 'not even one without a command', withUser({ exec: {} })],
    [
      'auth-provider',
      'auth providers run commands',
      withUser({ 'auth-provider': { name: 'gcp', config: { 'cmd-path': 'sh' } } }),
    ],
    ['file', 'files are those of our pod', withCluster({ 'certificate-authority': '/etc/ca.crt' })],
    [
      'file',
      'files are those of our pod',
      withUser({ 'client-certificate': 'a.crt', 'client-key': 'a.key' }),
    ],
    [
      'file',
      'our own token would be sent there',
      withUser({ token: 'x', tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token' }),
    ],
    ['file', 'the name that client-node knows', withUser({ 'token-file': '/var/run/secrets/token' })],
    ['insecure-skip-tls-verify', 'anybody could answer', withCluster({ 'insecure-skip-tls-verify': true })],
    [
      'insecure-skip-tls-verify',
      'a string that means it',
      withCluster({ 'insecure-skip-tls-verify': 'true' }),
    ],
    ['http', 'the token would be sent in the clear', withCluster({ server: 'http://api.kyma.example' })],
    [
      'impersonation',
      'ignored, it would give other rights than meant',
      withUser({ token: 'x', as: 'system:admin' }),
    ],
    [
      'proxy',
      'ignored, the call would go another way than meant',
      withCluster({ 'proxy-url': 'socks5://proxy:1080' }),
    ],
    [
      'bad-server',
      'credentials have their own place',
      withCluster({ server: 'https://user:pw@api.example' }),
    ],
    ['bad-server', 'a query would end up in every path', withCluster({ server: 'https://api.example/?x=1' })],
    ['bad-server', 'no server at all', withCluster({ server: 'file:///etc/passwd' })],
    ['bad-token', 'a header of the attacker’s making', withUser({ token: 'two\nlines' })],
  ])('%s: %s', (fault, _reason, text) => {
    expect(faultOf(text)).toBe(fault);
  });
});

test('of a kubeconfig only what is used is kept', () => {
  const used = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const text = (n: number) =>
    `# ${`${n}`.padEnd(200_000)}\n${withUser({ token: `t-${n}`.padEnd(100, 'x') })}`;
  const [before, kept] = [used(), Array.from({ length: 50 }, (_, n) => parseUntrustedKubeconfig(text(n)))];
  expect((used() - before) / kept.length).toBeLessThan(50_000);
});

describe('what costs more than a kubeconfig can need is refused before it is parsed', () => {
  const withPart = (part: string, times: number) => `${withUser({ token: 'x' })}more: ${part.repeat(times)}`;
  test.each<[fault: KubeconfigFault, reason: string, text: () => string]>([
    ['bytes', 'size', () => withPart('x', 256 * 1024)],
    ['bytes', 'size in bytes, not in characters', () => withPart('\u20ac', 100 * 1024)],
    ['depth', 'flow sequences', () => withPart('[', 17)],
    ['depth', 'flow mappings', () => withPart('{a: ', 17)],
    ['depth', 'block sequences', () => `${withUser({ token: 'x' })}more:\n  ${'- '.repeat(17)}x`],
    ['depth', 'brackets in texts end no collection', () => withPart('["]", ', 17)],
    ['tokens', 'many keys', () => `${withUser({ token: 'x' })}${keys(2000)}`],
    ['anchors', 'anchors', () => `${withUser({ token: 'x' })}more:\n${'  - &a x\n'.repeat(101)}`],
    ['anchors', 'aliases', () => `${withUser({ token: 'x' })}more:\n  - &a x\n${'  - *a\n'.repeat(100)}`],
    ['bad-server', 'the length of its URL', () => withCluster({ server: `https://x/${'/'.repeat(3000)}x` })],
    ['bad-server', 'the length of its host', () => withCluster({ server: `https://${'x.'.repeat(200)}y` })],
    ['proxy', 'the length of its URL', () => withCluster({ 'proxy-url': `http://x/${'/'.repeat(3000)}x` })],
    [
      'long-certificate',
      'authorities without an end',
      () => withCluster({ 'certificate-authority-data': base64(`${first.cert}\n`.repeat(40)) }),
    ],
    ['bad-token', 'the length of a header', () => withUser({ token: 'x'.repeat(17_000) })],
  ])('%s: %s', (fault, _reason, text) => {
    expect(faultOf(text())).toBe(fault);
  });

  test('a client key that is slow to sign with', () => {
    const key = base64(rsaKeyOf(4104));
    const user = { 'client-certificate-data': base64(first.cert), 'client-key-data': key };
    expect(faultOf(withUser(user))).toBe('long-key');
  });

  /** In the order of kubectl. The extensions of the clusters, as minikube writes them, have names too. */
  const many = (count: number, data: unknown, current: string) => {
    const name = (n: number) => current.replace(/\d+/, `${n}`);
    const numbers = Array.from({ length: count }, (_, n) => n);
    const extensions = () => [{ extension: structuredClone(data), name: current }];
    return kubeconfig(good, {
      'current-context': current,
      contexts: numbers.map((n) => ({ context: { cluster: name(n), user: `u${n}` }, name: name(n) })),
      clusters: numbers.map((n) => ({
        cluster: { server: `https://api-${n}.example`, extensions: extensions() },
        name: name(n),
      })),
      users: numbers.map((n) => ({ name: `u${n}`, user: { token: `token-${n}` } })),
    });
  };
  test.each([
    ['c0', ''],
    ['c399', ''],
    ['c7', 'x'.repeat(2000)],
    // In quotes, and with quotes.
    ['7', ''],
    ["c7 'eu'", ''],
  ])('but not 400 contexts, of which only the current one is parsed (%s)', async (current, data) => {
    const text = many(400, data, current);
    const json = JSON.stringify(parse(text));
    const commented = text.replaceAll('\n  - ', `\n# - name: ${current}\n  - `);
    const others = [text.replaceAll('\n', '\r\n'), text.replaceAll('\n  ', '\n'), commented, `---\n${text}`];
    for (const each of [text, ...others, json]) {
      const { server, credentials } = parseUntrustedKubeconfig(each);
      const n = /\d+/.exec(current)?.[0];
      expect(server).toBe(`https://api-${n}.example`);
      expect((await credentials()).headers).toEqual({ authorization: `Bearer token-${n}` });
    }
  });

  test('a context that is not among them is not found, and too large entries stay refused', () => {
    const text = many(400, '', 'c7');
    expect(faultOf(text.replace('current-context: c7', 'current-context: other'))).toBe('tokens');
    expect(faultOf(text.replace('cluster: c7\n', 'cluster: other\n'))).toBe('no-cluster');
    expect(faultOf(text.replace('user: u7\n', 'namespace: x\n'))).toBe('no-user');
    expect(faultOf(text.replace(/\nusers:[\s\S]*/, '\nusers: []\n'))).toBe('no-user');
    expect(faultOf(many(2, 'x'.repeat(300_000), 'c1'))).toBe('bytes');
    expect(faultOf(many(10, Array(2500).fill('x'), 'c1'))).toBe('tokens');
  });

  test('but not some contexts, nor what is written once and meant twice', () => {
    const users = Array.from({ length: 50 }, (_, n) => ({ name: `u${n}`, user: good.user }));
    expect(parseUntrustedKubeconfig(kubeconfig(good, { users })).server).toBe('https://api.kyma.example');
  });

  const parts = ['[', '{a: ', '- ', '? ', '"', "' ", '|\\n', '\\n', 'a ', ': ', '/'];
  const openings = ['', 'a: ', '"', '|\n '];
  test.each([256 * 1024, 1024 * 1024])(
    '%i bytes of anything are refused in little time',
    (size) => {
      for (const opening of openings) {
        for (const part of parts) {
          const text = (opening + part.repeat(size)).slice(0, size);
          const taken = cpuTimeMs(() => faultOf(text));
          if (taken > 1000) throw new Error(`${JSON.stringify(opening + part)} takes ${taken} ms`);
        }
      }
    },
    60_000,
  );
});

const keys = (count: number) => Array.from({ length: count }, (_, n) => `k${n}: v\n`).join('');

test('the operator’s own kubeconfig has no limits, and its keys are compared in linear time', () => {
  expect(Object.keys(parseKubeconfig(keys(30_000)))).toHaveLength(30_000);
  expect(parseKubeconfig('a: &x {b: 1}\nc: *x')).toEqual({ a: { b: 1 }, c: { b: 1 } });
});

describe('each fault has its own message', () => {
  test.each<[fault: KubeconfigFault, text: string]>([
    ['empty', ' \n'],
    ['not-yaml', 'a: [b'],
    ['not-yaml', '*unknown'],
    ['not-a-kubeconfig', 'just a text'],
    ['not-a-kubeconfig', '- a list'],
    ['not-a-kubeconfig', '# a comment'],
    ['no-current-context', kubeconfig(good, { 'current-context': '' })],
    ['no-context', kubeconfig(good, { 'current-context': 'other' })],
    ['no-context', kubeconfig(good, { contexts: 'none' })],
    ['no-cluster', kubeconfig(good, { clusters: [] })],
    ['no-cluster', kubeconfig(good, { clusters: [{ name: 'c1', cluster: null }] })],
    ['no-user', kubeconfig(good, { users: [{ name: 'u1', user: 'text' }] })],
    ['no-user', kubeconfig(good, { contexts: [{ name: 'kyma', context: { cluster: 'c1' } }] })],
    ['no-server', kubeconfig({ ...good, cluster: {} })],
    ['no-credentials', withUser({})],
    ['not-text', withUser({ token: 12345 })],
    ['not-text', withUser({ token: 'x' }).replace('token: x', 'token: no')],
    ['not-text', withUser({ token: 'x' }).replace('token: x', 'token: !!binary eA==')],
    ['not-boolean', withCluster({ 'insecure-skip-tls-verify': 'perhaps' })],
    ['not-boolean', withCluster({ 'insecure-skip-tls-verify': 1 })],
    ['half-certificate', withUser({ 'client-key-data': base64('x') })],
    ['bad-certificate', withUser({ 'client-certificate-data': base64('x'), 'client-key-data': base64('y') })],
    ['bad-certificate', withCluster({ 'certificate-authority-data': base64('not PEM') })],
  ])('%s', (fault, text) => {
    expect(faultOf(text)).toBe(fault);
  });

  test('a key that belongs to another certificate', () => {
    const user = { 'client-certificate-data': base64(first.cert), 'client-key-data': base64(second.key) };
    expect(faultOf(withUser(user))).toBe('bad-certificate');
  });

  test('a document that expands without end', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
    for (let i = 0; i < 9; i++) bomb.push(`b${i}: &b${i} [${Array(10).fill(i === 0 ? '*a' : `*b${i - 1}`)}]`);
    expect(faultOf(bomb.join('\n'))).toBe('not-yaml');
  });
});

describe('no message quotes the kubeconfig', () => {
  const canary = 'CANARY-7f3a';
  const mistakes: readonly ((text: string) => string)[] = [
    (text) => `${text}\n  bad: [`,
    (text) => text.replace('users:', 'users: {'),
    (text) => text.replace('https:', 'http:'),
    (text) => text.replace('current-context: kyma', `current-context: ${canary}`),
    (text) => text.replace('token:', 'exec:'),
    (text) => text.replace('token:', 'tokenFile:'),
    (text) => text.replace('token:', 'client-certificate-data:'),
  ];

  test('nor does its cause, wherever the mistake is', () => {
    fc.assert(
      fc.property(fc.constantFrom(...mistakes), fc.nat(400), (mistake, at) => {
        const text = mistake(withUser({ token: canary, username: canary }));
        const broken = `${text.slice(0, at)}\u0000${text.slice(at)}`;
        for (const each of [text, broken]) {
          try {
            parseUntrustedKubeconfig(each);
          } catch (error) {
            expect(error).toBeInstanceOf(KubeconfigError);
            expect(String(error)).not.toContain(canary);
            expect((error as Error).cause).toBeUndefined();
          }
        }
      }),
    );
  });
});

describe('a sound kubeconfig', () => {
  test('gives server, trust, identity, proxy and server name', async () => {
    const text = kubeconfig({
      cluster: {
        server: 'https://rancher.example:8443/k8s/clusters/c-1/',
        'certificate-authority-data': base64(first.cert),
        'tls-server-name': 'api.internal',
        'proxy-url': 'http://user:pw@proxy.example:3128',
        'insecure-skip-tls-verify': false,
      },
      user: { 'client-certificate-data': base64(first.cert), 'client-key-data': base64(first.key) },
    });
    const { credentials, ...config } = parseUntrustedKubeconfig(text);
    expect(config).toEqual({
      server: 'https://rancher.example:8443/k8s/clusters/c-1',
      isForeign: true,
      tlsServerName: 'api.internal',
      proxyUrl: 'http://user:pw@proxy.example:3128',
    });
    expect(await credentials()).toEqual({
      ...{ ca: first.cert, cert: first.cert, key: first.key, headers: {} },
      secureContext: expect.anything(),
    });
  });

  test.each<[user: Record<string, string>, authorization: string, reason: string]>([
    [{ token: ' abc\n' }, 'Bearer abc', 'tokens are often stored with the newline of a file'],
    [{ token: 'abc', username: 'u', password: 'p' }, 'Bearer abc', 'a token goes before a password'],
    [{ username: 'ü', password: 'p:q' }, `Basic ${base64('ü:p:q')}`, 'basic authentication'],
    [{ username: 'u' }, `Basic ${base64('u:')}`, 'a user without a password'],
  ])('authorizes with %j as %s: %s', async (user, authorization) => {
    expect((await parseUntrustedKubeconfig(withUser(user)).credentials()).headers).toEqual({ authorization });
  });

  test.each([
    ['at the top', (text: string) => `current-context: other\n${text}`],
    ['in a cluster', (text: string) => text.replace('server:', 'server: http://other\n      server:')],
    ['in a context', (text: string) => text.replace('user: u1', 'user: other\n      user: u1')],
  ])('may have a key twice %s: the last one counts', (_where, change) => {
    const text = change(withUser({ token: 'x' }));
    expect(parseUntrustedKubeconfig(text).server).toBe('https://api.kyma.example');
  });

  test.each(['no', 'No', 'off', 'n', 'False', '!!bool no'])(
    'may say that verification is not skipped by %s',
    (no) => {
      const text = withCluster({ 'insecure-skip-tls-verify': false }).replace(
        'verify: false',
        `verify: ${no}`,
      );
      expect(text).toContain(`verify: ${no}\n`);
      parseUntrustedKubeconfig(text);
      expect(faultOf(text.replace(`verify: ${no}`, 'verify: yes'))).toBe('insecure-skip-tls-verify');
    },
  );

  test('may be JSON, may hold other users that we would refuse, and empty fields count as absent', async () => {
    const text = kubeconfig(
      { cluster: { ...good.cluster, 'certificate-authority': '' }, user: { ...good.user, exec: null } },
      {
        users: [
          { name: 'u1', user: good.user },
          { name: 'other', user: { exec: { command: 'sh' } } },
        ],
      },
    );
    const { headers } = await parseUntrustedKubeconfig(text).credentials();
    expect(headers).toEqual({ authorization: 'Bearer a-bearer-token' });
  });
});

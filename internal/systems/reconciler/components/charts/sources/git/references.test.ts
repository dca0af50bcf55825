import { expect, test } from '@jest/globals';
import { collectGarbage } from '../../../../../../framework/base/heap.fixture.ts';
import { createGitHttp, FLUSH, type GitHttp, type GitRequest, packet, packets } from './git-http.ts';
import { resolveRevision } from './git-source.ts';
import { readCapabilities, readReferences } from './references.ts';

const url = 'https://git.example/charts.git';
const oid = (digit: string) => digit.repeat(40);
const SERVICE = [packet('# service=git-upload-pack\n'), FLUSH];

/** A server that says these packets to a GET, and to a POST. */
function serverOf(
  references: Iterable<Buffer>,
  answer: Iterable<Buffer> = [],
  contentType = 'application/x-git-upload-pack-advertisement',
) {
  const requests: GitRequest[] = [];
  const http: GitHttp = {
    request: async (request) => {
      requests.push(request);
      const body = request.body === undefined ? references : answer;
      return { headers: { 'content-type': contentType }, body: chunksOf(body) };
    },
  };
  return { repository: { url, http }, requests };
}

async function* chunksOf(packets: Iterable<Buffer>): AsyncGenerator<Uint8Array, void, undefined> {
  yield* packets;
}

const NAMES = ['refs/heads/1.0', 'refs/tags/1.0'];
const line = (text: string) => packet(`${text}\n`);

test.each(['; charset=utf-8', ' ; a=b'])(
  'the type of what a server sends may have parameters, as Git accepts it:%s',
  async (end) => {
    const type = `Application/x-git-upload-pack-advertisement${end}`;
    const { repository } = serverOf(
      [...SERVICE, line(`${oid('a')} refs/heads/1.0\0shallow`), FLUSH],
      [],
      type,
    );
    expect(Object.fromEntries(await readReferences(repository, NAMES))).toEqual({
      'refs/heads/1.0': oid('a'),
    });
  },
);

test('a server of the second version is asked for the references that are needed', async () => {
  const { repository, requests } = serverOf(
    [...SERVICE, line('version 2'), line('ls-refs'), line('fetch=shallow'), FLUSH],
    [
      line(`${oid('a')} refs/heads/1.0`),
      line(`${oid('b')} refs/heads/1.0-rc`),
      line(`${oid('c')} refs/tags/1.0 peeled:${oid('d')}`),
      FLUSH,
    ],
  );
  const found = await readReferences(repository, NAMES);
  expect(Object.fromEntries(found)).toEqual({ [NAMES[0] ?? '']: oid('a'), [NAMES[1] ?? '']: oid('d') });
  expect(requests.map(({ headers }) => headers['git-protocol'])).toEqual(['version=2', 'version=2']);
  expect(Buffer.from(requests[1]?.body ?? []).toString()).toBe(
    `${packet('command=ls-refs\n')}${packet('agent=git/provider-kyma')}0001${packet('peel\n')}` +
      `${packet('ref-prefix refs/heads/1.0\n')}${packet('ref-prefix refs/tags/1.0\n')}0000`,
  );
});

test.each([
  ['', []],
  ['of the first version ', [line('version 1')]],
])('a server %sthat knows no second one sends all its references', async (_which, begin) => {
  const { repository, requests } = serverOf([
    ...SERVICE,
    ...begin,
    line(`${oid('e')} HEAD\0shallow side-band-64k symref=HEAD:refs/heads/main`),
    line(`${oid('a')} refs/heads/1.0`),
    line(`${oid('c')} refs/tags/1.0`),
    line(`${oid('d')} refs/tags/1.0^{}`),
    line(`${oid('f')} refs/tags/light`),
    FLUSH,
  ]);
  const found = await readReferences(repository, [...NAMES, 'HEAD', 'refs/tags/light', 'refs/heads/none']);
  expect(Object.fromEntries(found)).toEqual({
    HEAD: oid('e'),
    'refs/heads/1.0': oid('a'),
    'refs/tags/1.0': oid('d'),
    'refs/tags/light': oid('f'),
  });
  expect(requests).toHaveLength(1);
  expect(await readCapabilities(repository)).toContain('side-band-64k');
});

test.each<[what: string, server: ReturnType<typeof serverOf>, kind: string, message: RegExp]>([
  ['of a page', serverOf([Buffer.from('<h1>')], [], 'text/html'), 'terminal', /not a Git repository/],
  [
    'of the dumb protocol',
    serverOf([Buffer.from(`${oid('a')}\tHEAD\n`)], [], 'text/plain'),
    'terminal',
    /not a Git repository/,
  ],
  ['that begins in another way', serverOf([line('hello'), FLUSH]), 'terminal', /not a Git repository/],
  ['that refuses', serverOf([...SERVICE, line('ERR secret')]), 'not-found', /gives no references$/],
  ['that breaks off', serverOf([...SERVICE, line(`${oid('a')} x\0shallow`)]), 'transient', /has no end/],
  [
    'that breaks off when it is asked',
    serverOf([...SERVICE, line('version 2'), FLUSH], [line(`${oid('a')} refs/heads/1.0`)]),
    'transient',
    /has no end/,
  ],
  [
    'of an empty repository',
    serverOf([...SERVICE, line(`${oid('0')} capabilities^{}\0x`), FLUSH]),
    'not-found',
    /has no branch/,
  ],
])('an answer %s is an error that says so', async (_what, { repository }, kind, message) => {
  const error = await resolveRevision(repository, '1.0').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind, message: expect.stringMatching(message) });
});

/** As many bytes as are read of references, in packets of these, as they come from the network. */
function* manyOf(bytes: Buffer): Generator<Buffer> {
  const chunk = Buffer.concat(Array(Math.floor(65_536 / bytes.length)).fill(bytes));
  for (let n = 0; n < 256; n++) yield Buffer.from(chunk);
}

test('of as many references as are read none is kept that was not asked for', async () => {
  const used = () => {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return (heapUsed + arrayBuffers) / 2 ** 20;
  };
  const before = used();
  let [chunks, highest] = [0, 0];
  const watched = function* () {
    for (const chunk of manyOf(line(`${oid('b')} r/x`))) {
      if (chunks++ % 32 === 31) highest = Math.max(highest, used());
      yield chunk;
    }
  };
  const first = line(`${oid('e')} HEAD\0shallow side-band-64k`);
  const all = serverOf(chained([...SERVICE, first], watched(), [FLUSH]));
  expect([...(await readReferences(all.repository, NAMES))]).toEqual([]);
  expect(highest - before).toBeLessThan(8);
});

test('packets that come together are given together, also millions without content', async () => {
  const batches: number[] = [];
  for await (const contents of packets(chunksOf(manyOf(Buffer.from('0005\u0001'))), url))
    batches.push(contents.length);
  expect(batches).toHaveLength(256);
  expect(Math.min(...batches)).toBeGreaterThan(13_000);
});

test('a packet that comes byte by byte is whole', async () => {
  const bytes = [...Buffer.concat([line('hello'), FLUSH])].map((byte) => Buffer.from([byte]));
  const contents: (string | undefined)[] = [];
  for await (const some of packets(chunksOf(bytes), url))
    contents.push(...some.map((content) => content?.toString()));
  expect(contents).toEqual(['hello\n', undefined]);
});

function* chained(...all: readonly Iterable<Buffer>[]): Generator<Buffer> {
  for (const each of all) yield* each;
}

test('requests are those of a client of Git, of which some servers take nothing else for this protocol', async () => {
  const agents: unknown[] = [];
  const http = createGitHttp({
    http: {
      send: async ({ url: requested, headers }) => {
        agents.push(headers?.['user-agent']);
        return { url: requested, status: 200, headers: {}, body: chunksOf([]) };
      },
    },
    credential: undefined,
    maxBytes: 1000,
    signal: new AbortController().signal,
  });
  await http.request({ url: `${url}/info/refs?service=git-upload-pack`, headers: {} });
  expect(agents).toEqual(['git/provider-kyma']);
});

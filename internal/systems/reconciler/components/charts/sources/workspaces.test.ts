import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { packTar } from 'modern-tar';
import { createFakeClock } from '../../../../../framework/base/time/fake-clock.ts';
import { startHttpServer } from './http-server.fixture.ts';
import { openTestWorkspaces } from './workspaces.fixture.ts';
import { packZip } from './zip.fixture.ts';

const signal = () => AbortSignal.timeout(20_000);
const chartOf = async (name = 'chart'): Promise<Buffer> =>
  gzipSync(await packTar([{ header: { name: `${name}/Chart.yaml`, size: 4 }, body: 'a: 1' }]));
const request = (url: string, component = 'some-chart') => ({ component, version: 'v1', url });

/** Serves `/name` from the map; a function answers itself. */
const serve = (answers: Readonly<Record<string, Uint8Array | ((response: ServerResponse) => void)>>) =>
  startHttpServer((incoming, response) => {
    const answer = answers[incoming.url ?? ''];
    if (typeof answer === 'function') answer(response);
    else if (answer === undefined) response.writeHead(404).end();
    else response.end(answer);
  });

const redirectTo =
  (location: string, status = 302) =>
  (response: ServerResponse) => {
    response.writeHead(status, { location }).end();
  };

describe('archives', () => {
  test('[R74] an archive is downloaded once, also by ten at the same time', async () => {
    await using server = await serve({ '/chart.tgz': await chartOf() });
    await using workspaces = await openTestWorkspaces();
    const url = `${server.url}/chart.tgz`;

    const all = await Promise.all(Array.from({ length: 10 }, () => workspaces.open(request(url), signal())));
    await workspaces.open(request(url), signal());

    expect(server.requests).toEqual(['GET /chart.tgz']);
    expect(new Set(all.map(({ chart }) => chart)).size).toBe(1);
    const folder = `${createHash('sha1').update(url).digest('hex')}-some-chart`;
    expect(all[0]?.chart).toBe(join(workspaces.storage, folder, 'chart'));
    expect(await readdir(workspaces.storage)).toEqual([folder]);
  });

  test('[R74] zip archives are recognised by their bytes', async () => {
    await using server = await serve({ '/chart': packZip([{ name: 'Chart.yaml', content: 'a: 1' }]) });
    await using workspaces = await openTestWorkspaces();

    const { folder, chart } = await workspaces.open(request(`${server.url}/chart`), signal());

    expect(chart).toBe(folder);
  });

  test('the content must have the checksum in the fragment of the URL', async () => {
    const chart = await chartOf();
    await using server = await serve({ '/chart.tgz': chart });
    await using workspaces = await openTestWorkspaces();
    const open = (sha256: string) =>
      workspaces.open(request(`${server.url}/chart.tgz#sha256=${sha256}`), signal());

    await open(createHash('sha256').update(chart).digest('hex'));
    await expect(open('0'.repeat(64))).rejects.toThrow(/has the digest sha256:/);
    await expect(open('abc')).rejects.toThrow('64 hexadecimal digits');
  });

  test('[R76] archives of connectivity-proxy get the token of Git, others do not', async () => {
    const tokens: (string | undefined)[] = [];
    const chart = await chartOf();
    await using server = await startHttpServer((incoming, response) => {
      tokens.push(incoming.headers.authorization);
      response.end(chart);
    });
    await using workspaces = await openTestWorkspaces({ gitToken: 'secret', gitTokenHosts: server.url });

    await workspaces.open(request(`${server.url}/a`, 'connectivity-proxy'), signal());
    await workspaces.open(request(`${server.url}/a`, 'other'), signal());

    expect(tokens).toEqual(['Bearer secret', undefined]);
  });

  test('the token of Git is not for namespaces, nor is what was fetched with it', async () => {
    const tokens: (string | undefined)[] = [];
    const chart = await chartOf();
    await using server = await startHttpServer((incoming, response) => {
      tokens.push(incoming.headers.authorization);
      if (incoming.headers.authorization === undefined) response.writeHead(404).end();
      else response.end(chart);
    });
    await using workspaces = await openTestWorkspaces({
      ...{ gitToken: 'secret', gitTokenHosts: server.url, resolveEveryMs: 60_000 },
    });
    const open = (tenant: string, path = '/a') =>
      workspaces.open({ ...request(`${server.url}${path}`, 'connectivity-proxy'), tenant }, signal());

    await open('account a');
    await expect(open('namespace shop')).rejects.toThrow('answered 404');
    await open('account b');
    expect(tokens).toEqual(['Bearer secret', undefined]);
    const commit = '0123456789'.repeat(4);
    for (const version of ['main', commit])
      await expect(
        workspaces.open(
          { component: 'c', version, url: `${server.url}/x.git`, tenant: 'namespace shop' },
          signal(),
        ),
      ).rejects.toThrow();
    expect(tokens.slice(2).every((token) => token === undefined)).toBe(true);
  });

  test('an archive without a chart is refused', async () => {
    const empty = gzipSync(await packTar([{ header: { name: 'a', size: 1 }, body: 'x' }]));
    await using server = await serve({ '/a': empty });
    await using workspaces = await openTestWorkspaces();

    await expect(workspaces.open(request(`${server.url}/a`), signal())).rejects.toThrow('has no Chart.yaml');
  });

  test('the marker in an archive does not count', async () => {
    const body = 'source: evil';
    const entries = [
      { header: { name: 'workspace-ready.yaml', size: body.length }, body },
      { header: { name: 'Chart.yaml', size: 1 }, body: 'x' },
    ];
    await using server = await serve({ '/a': gzipSync(await packTar(entries)) });
    await using workspaces = await openTestWorkspaces();

    const { folder } = await workspaces.open(request(`${server.url}/a`), signal());

    expect(await readFile(join(folder, 'workspace-ready.yaml'), 'utf8')).toContain(server.url);
  });

  test('an endless response ends at the limit; one that stops ends with the time of a fetch', async () => {
    await using server = await serve({
      '/endless': (response) => {
        const write = () => {
          while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 31)));
        };
        response.on('drain', write);
        write();
      },
      '/stuck': (response) => {
        response.write('x');
      },
    });
    await using workspaces = await openTestWorkspaces({
      limits: { maxDownloadBytes: 500_000, fetchTimeoutMs: 300 },
    });

    await expect(workspaces.open(request(`${server.url}/endless`), signal())).rejects.toThrow(
      'larger than 500000',
    );
    await expect(workspaces.open(request(`${server.url}/stuck`), signal())).rejects.toThrow(
      'timed out after 0.3 s',
    );
    expect(await readdir(workspaces.storage)).toEqual([]);
  });

  test('a fetch ends when all that wait for it have gone, and not before', async () => {
    let closed = false;
    const started = Promise.withResolvers<void>();
    await using server = await serve({
      '/stuck': (response) => {
        response.write('x');
        response.on('close', () => {
          closed = true;
        });
        started.resolve();
      },
    });
    await using workspaces = await openTestWorkspaces();
    const [one, two] = [new AbortController(), new AbortController()];
    const fetches = [one, two].map((controller) =>
      workspaces
        .open(request(`${server.url}/stuck`), controller.signal)
        .catch((error: Error) => error.message),
    );
    await started.promise;

    one.abort(new Error('first'));
    expect(await fetches[0]).toBe('first');
    expect(closed).toBe(false);
    two.abort(new Error('second'));
    expect(await fetches[1]).toBe('second');
  });
});

describe('addresses', () => {
  test.each([
    'http://example.com/chart.tgz',
    'https://127.0.0.1/chart.tgz',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/a.git',
    'https://[::1]/a',
    'https://localhost/a.git',
    'https://kubernetes.default.svc/a',
    'oci://10.1.2.3/chart:v1',
    'oci://localhost:5000/chart:v1',
  ])('%s is refused', async (url) => {
    await using workspaces = await openTestWorkspaces({ allowPrivateEndpoints: false });
    await expect(workspaces.open(request(url), signal())).rejects.toThrow(/is refused: /);
  });

  test.each(['file:///etc/passwd', 'ssh://git@example.com/a.git', 'https://', 'not a url'])(
    'the URL %s is no source',
    async (url) => {
      await using workspaces = await openTestWorkspaces();
      await expect(workspaces.open(request(url), signal())).rejects.toMatchObject({ kind: 'terminal' });
    },
  );

  test.each([
    ['ftp://example.com/', /redirects to no address of HTTP/],
    ['file:///etc/passwd', /redirects to no address of HTTP/],
    ['/loop', /redirects more than 5 times/],
  ])('a redirect to %s is refused', async (location, message) => {
    await using server = await serve({ '/a': redirectTo(location), '/loop': redirectTo('/loop') });
    await using workspaces = await openTestWorkspaces();
    await expect(workspaces.open(request(`${server.url}/a`), signal())).rejects.toThrow(message);
  });

  test('a redirect is followed, without the token to another origin', async () => {
    const tokens: (string | undefined)[] = [];
    const chart = await chartOf();
    await using other = await startHttpServer((incoming, response) => {
      tokens.push(incoming.headers.authorization);
      response.end(chart);
    });
    await using server = await serve({ '/a': redirectTo('/b'), '/b': redirectTo(`${other.url}/c`) });
    await using workspaces = await openTestWorkspaces({ gitToken: 'secret', gitTokenHosts: server.url });

    await workspaces.open(request(`${server.url}/a`, 'connectivity-proxy'), signal());

    expect(tokens).toEqual([undefined]);
  });

  test.each([
    ['anything', '/x.git'],
    ['connectivity-proxy', '/x.tgz'],
    ['connectivity-proxy', '/x.git'],
  ])('a host that only the URL of %s names does not get the token: %s', async (component, path) => {
    const tokens: (string | undefined)[] = [];
    await using server = await startHttpServer((incoming, response) => {
      tokens.push(incoming.headers.authorization);
      response.writeHead(404).end();
    });
    await using workspaces = await openTestWorkspaces({
      gitToken: 'secret',
      kymaRepository: 'https://git.example.org/kyma.git',
    });

    const opened = workspaces.open(request(`${server.url}${path}`, component), signal());

    await expect(opened).rejects.toMatchObject({ kind: 'not-found' });
    expect(tokens).toEqual([undefined]);
  });
});

test('processes that share a workspace fetch a revision at the same time, and each can read it', async () => {
  const chart = await chartOf();
  const waiting: (() => void)[] = [];
  const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using server = await startHttpServer((_, response) => {
    asked[waiting.length]?.resolve();
    waiting.push(() => response.end(chart));
  });
  await using one = await openTestWorkspaces();
  await using other = await openTestWorkspaces({ storage: one.storage });
  const first = one.open(request(`${server.url}/a`), signal());
  await asked[0]?.promise;
  const second = other.open(request(`${server.url}/a`), signal());
  await asked[1]?.promise;
  waiting[0]?.();
  const { folder } = await first;
  const { ino } = await stat(folder);
  waiting[1]?.();
  expect((await second).folder).toBe(folder);
  // The folder that the first one reads was not replaced.
  expect((await stat(folder)).ino).toBe(ino);
});

describe('failures', () => {
  test.each([
    [404, 'not-found'],
    [401, 'auth'],
    [500, 'transient'],
    [429, 'throttled'],
    [418, 'terminal'],
  ])('status %d is an error of kind %s, which quotes no body', async (status, kind) => {
    await using server = await serve({ '/a': (response) => response.writeHead(status).end('<secret>') });
    await using workspaces = await openTestWorkspaces();

    const failure = await workspaces
      .open(request(`${server.url}/a?token=x`.replace('?token=x', '')), signal())
      .catch((error: unknown) => error);

    expect(failure).toMatchObject({ kind });
    expect(String(failure)).not.toContain('secret');
  });

  test('after a failure the source is asked again after 1, 2, 4 … seconds', async () => {
    const clock = createFakeClock();
    await using server = await serve({});
    await using workspaces = await openTestWorkspaces({ clock });
    const open = () =>
      workspaces.open(request(`${server.url}/a`), signal()).catch((error: { kind: string }) => error.kind);

    expect([await open(), await open()]).toEqual(['not-found', 'throttled']);
    await clock.advance(1000);
    expect([await open(), await open()]).toEqual(['not-found', 'throttled']);
    await clock.advance(1000);
    expect(await open()).toBe('throttled');
    await clock.advance(1000);
    expect(await open()).toBe('not-found');
    expect(server.requests).toHaveLength(3);
  });
});

describe('the storage folder', () => {
  const kyma = async (storage: string): Promise<void> => {
    for (const folder of ['resources/eventing', 'installation/resources/crds']) {
      await mkdir(join(storage, folder), { recursive: true });
    }
    await writeFile(join(storage, 'resources/eventing/Chart.yaml'), 'name: eventing');
  };

  test('[R74] version local is the storage folder itself', async () => {
    await using workspaces = await openTestWorkspaces();
    await kyma(workspaces.storage);

    const workspace = await workspaces.open({ component: 'eventing', version: 'local', url: '' }, signal());

    expect(workspace).toMatchObject({
      folder: workspaces.storage,
      chart: join(workspaces.storage, 'resources/eventing'),
      revision: 'local',
    });
  });

  test('a prepared version with its marker is used as it is', async () => {
    await using workspaces = await openTestWorkspaces();
    const folder = join(workspaces.storage, '2.20.5');
    await kyma(folder);
    await writeFile(join(folder, 'workspace-ready.yaml'), '');

    const workspace = await workspaces.open({ component: 'eventing', version: '2.20.5', url: '' }, signal());

    expect(workspace.folder).toBe(folder);
  });

  test.each(['../etc', 'a/../b', '/etc', '-x', 'a b', 'x'.repeat(300)])(
    'version %p is refused',
    async (version) => {
      await using workspaces = await openTestWorkspaces();
      const opened = workspaces.open({ component: 'eventing', version, url: '' }, signal());
      await expect(opened).rejects.toThrow('the version is not the name of');
    },
  );

  test.each(['..', 'a/b', '', '.hidden', 'x'.repeat(200)])('component %p is refused', async (component) => {
    await using workspaces = await openTestWorkspaces();
    const opened = workspaces.open({ component, version: 'local', url: '' }, signal());
    await expect(opened).rejects.toThrow('the name of the component is not');
  });

  test('old revisions are removed beyond the bounds; folders of users and used revisions stay', async () => {
    await using server = await serve(
      Object.fromEntries(
        await Promise.all([1, 2, 3, 4].map(async (n) => [`/${n}`, await chartOf()] as const)),
      ),
    );
    await using workspaces = await openTestWorkspaces({ bounds: { maxRevisions: 2, keepUsedMs: 60_000 } });
    const { storage } = workspaces;
    await mkdir(join(storage, '0123456789abcdef-of-a-user'));
    const age = async (folder: string, seconds: number) => {
      const time = new Date(Date.now() - seconds * 1000);
      await utimes(join(folder, 'workspace-ready.yaml'), time, time);
    };
    const open = async (n: number) => (await workspaces.open(request(`${server.url}/${n}`), signal())).folder;
    const [one, two, three] = [await open(1), await open(2), await open(3)];
    await age(one, 500);
    await age(two, 5000);
    // An interrupted fetch of a process that has ended.
    const interrupted = join(storage, '.fetching-old');
    await mkdir(interrupted);
    await utimes(interrupted, 0, 0);

    const four = await open(4);

    const names = [one, three, four].map((folder) => folder.slice(storage.length + 1));
    expect((await readdir(storage)).sort()).toEqual(['0123456789abcdef-of-a-user', ...names].sort());
  });

  test('a fetch is refused when twice the bounds are in use', async () => {
    await using server = await serve({ '/1': await chartOf(), '/2': await chartOf(), '/3': await chartOf() });
    await using workspaces = await openTestWorkspaces({ bounds: { maxRevisions: 1 } });
    await workspaces.open(request(`${server.url}/1`), signal());
    await workspaces.open(request(`${server.url}/2`), signal());

    await expect(workspaces.open(request(`${server.url}/3`), signal())).rejects.toThrow(
      'the cache of charts is full',
    );
  });

  test('a tenant that uses many revisions leaves room in the cache for others', async () => {
    const chart = await chartOf();
    await using server = await startHttpServer((_, response) => void response.end(chart));
    const bounds = { maxRevisions: 4, maxBytes: 1e9, keepUsedMs: 60_000 };
    await using workspaces = await openTestWorkspaces({ bounds });
    const open = (tenant: string, n: number) =>
      workspaces.open({ ...request(`${server.url}/${n}.tgz`), tenant }, signal());

    for (let n = 0; n < 6; n++) await open('hostile', n);
    await expect(open('hostile', 6)).rejects.toThrow(
      'the share of the tenant in the cache of charts is full',
    );

    await open('honest', 7);
    await open('hostile', 0);
  });

  test('slow hosts of a tenant, on however many ports, hold no download of another one', async () => {
    const chart = await chartOf();
    await using quick = await startHttpServer((_, response) => void response.end(chart));
    const silent = await Promise.all(Array.from({ length: 8 }, () => startHttpServer(() => undefined)));
    await using workspaces = await openTestWorkspaces();
    const ending = new AbortController();
    const slow = silent.map(({ url }) =>
      workspaces
        .open({ ...request(`${url}/a.tgz`), tenant: 'hostile' }, ending.signal)
        .catch((error: unknown) => error),
    );

    for (let n = 0; n < 3; n++) {
      await workspaces.open({ ...request(`${quick.url}/${n}.tgz`), tenant: 'honest' }, signal());
    }

    ending.abort(new Error('enough'));
    expect((await Promise.all(slow)).map(String)).toEqual(slow.map(() => 'Error: enough'));
    for (const server of silent) await server[Symbol.asyncDispose]();
  });

  test('a tenant that asks for the chart of another one, and has no slots, does not hold it up', async () => {
    const chart = await chartOf();
    await using quick = await startHttpServer((_, response) => void response.end(chart));
    const silent = await Promise.all(Array.from({ length: 2 }, () => startHttpServer(() => undefined)));
    await using workspaces = await openTestWorkspaces();
    const ending = new AbortController();
    const wanted = request(`${quick.url}/chart.tgz`);
    const all = [...silent.map(({ url }) => request(`${url}/a.tgz`)), wanted].map((each) =>
      workspaces.open({ ...each, tenant: 'hostile' }, ending.signal).catch(() => undefined),
    );

    await workspaces.open({ ...wanted, tenant: 'honest' }, signal());

    ending.abort(new Error('enough'));
    await Promise.all(all);
    for (const server of silent) await server[Symbol.asyncDispose]();
  });

  test('a new archive that four tenants need at the same time is downloaded once', async () => {
    const chart = await chartOf();
    await using server = await startHttpServer((_, response) => {
      setTimeout(() => response.end(chart), 300);
    });
    await using workspaces = await openTestWorkspaces();
    const tenants = ['a', 'b', 'c', 'd'];
    const wanted = request(`${server.url}/chart.tgz`);
    await Promise.all(tenants.map((tenant) => workspaces.open({ ...wanted, tenant }, signal())));
    expect(server.requests).toEqual(['GET /chart.tgz']);
  });

  test('a download of another tenant that takes long is awaited for two seconds', async () => {
    const chart = await chartOf();
    let requests = 0;
    await using server = await startHttpServer((_, response) => {
      // The first one never ends.
      if (requests++ > 0) response.end(chart);
    });
    await using workspaces = await openTestWorkspaces();
    const ending = new AbortController();
    const wanted = request(`${server.url}/chart.tgz`);
    const first = workspaces.open({ ...wanted, tenant: 'hostile' }, ending.signal).catch(() => undefined);
    while (requests === 0) await new Promise((done) => setTimeout(done, 10));
    await workspaces.open({ ...wanted, tenant: 'honest' }, AbortSignal.timeout(10_000));
    expect(requests).toBe(2);
    ending.abort(new Error('enough'));
    await first;
  });

  test('the failures of a tenant, whose share is full, are not those of another one', async () => {
    const chart = await chartOf();
    await using server = await startHttpServer((_, response) => void response.end(chart));
    const bounds = { maxRevisions: 4, maxBytes: 1e9, keepUsedMs: 60_000 };
    await using workspaces = await openTestWorkspaces({ bounds });
    const open = (tenant: string, n: number) =>
      workspaces.open({ ...request(`${server.url}/${n}.tgz`), tenant }, signal());
    for (let n = 0; n < 6; n++) await open('hostile', n);
    await expect(open('hostile', 6)).rejects.toThrow('the share of the tenant');
    await expect(open('hostile', 6)).rejects.toMatchObject({ kind: 'throttled' });

    await open('honest', 6);
  });

  test.each<[what: string, isPermitted: (incoming: IncomingMessage) => boolean, path: string]>([
    ['a token in its query', ({ url }) => url === '/chart.tgz?private_token=t', '/chart.tgz?private_token=t'],
    ['a signature', ({ url = '' }) => url.includes('sig=s'), '/chart.tgz?sv=1&sig=s'],
  ])(
    'an archive that was fetched by %s is not given to a URL without it',
    async (_what, isPermitted, path) => {
      const chart = await chartOf();
      await using server = await startHttpServer((incoming, response) => {
        response.writeHead(isPermitted(incoming) ? 200 : 403).end(isPermitted(incoming) ? chart : '');
      });
      await using workspaces = await openTestWorkspaces();
      const open = (url: string) =>
        workspaces.open({ ...request(server.url + url), tenant: 'honest' }, signal());
      await open(path);
      for (const url of ['/chart.tgz', '/chart.tgz?', '/chart.tgz?private_token=', '/chart.tgz?sv=1'])
        await expect(open(url)).rejects.toMatchObject({ kind: 'auth' });
    },
  );

  test.each<[what: string, urlOf: (host: string, n: number) => string]>([
    ['repositories of Git', (host, n) => `http://${host}/${n}.git`],
    ['registries', (host, n) => `oci://${host}/charts/${n}:1`],
    ['archives of hosts with a user', (host, n) => `http://u${n}@${host}/${n}.tgz`],
  ])('%s that never answer hold no download of another tenant', async (_what, urlOf) => {
    const chart = await chartOf();
    await using quick = await startHttpServer((_, response) => void response.end(chart));
    const silent = await Promise.all(Array.from({ length: 8 }, () => startHttpServer(() => undefined)));
    await using workspaces = await openTestWorkspaces();
    const ending = new AbortController();
    const slow = silent.map(({ url }, n) =>
      workspaces
        .open({ ...request(urlOf(new URL(url).host, n)), version: '', tenant: 'hostile' }, ending.signal)
        .catch(() => undefined),
    );
    for (let n = 0; n < 3; n++)
      await workspaces.open({ ...request(`${quick.url}/${n}.tgz`), tenant: 'honest' }, signal());
    ending.abort(new Error('enough'));
    await Promise.all(slow);
    for (const server of silent) await server[Symbol.asyncDispose]();
  });

  test('what an interrupted fetch has left is not taken for complete', async () => {
    await using server = await serve({ '/a': await chartOf() });
    const storage = await mkdtemp(join(tmpdir(), 'charts-'));
    const url = `${server.url}/a`;
    const folder = join(storage, `${createHash('sha1').update(url).digest('hex')}-some-chart`);
    await mkdir(join(folder, 'chart'), { recursive: true });
    await writeFile(join(folder, 'chart/Chart.yaml'), 'half');
    await using workspaces = await openTestWorkspaces({ storage });

    const { chart } = await workspaces.open(request(url), signal());

    expect(await readFile(join(chart, 'Chart.yaml'), 'utf8')).toBe('a: 1');
    await rm(storage, { recursive: true });
  });
});

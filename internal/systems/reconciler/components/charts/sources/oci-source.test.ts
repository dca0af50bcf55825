import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { packTar } from 'modern-tar';
import { ociRevision } from './oci-source.ts';
import { performUnpackJob } from './perform-unpack-job.ts';
import { CHART_LAYER, type RegistryOfTest, startRegistry } from './registry.fixture.ts';
import type { SourceHttp } from './source-http.ts';
import { openTestWorkspaces } from './workspaces.fixture.ts';

const chartOf = async (text: string): Promise<Buffer> =>
  gzipSync(await packTar([{ header: { name: 'chart/Chart.yaml', size: text.length }, body: text }]));
const signal = () => AbortSignal.timeout(20_000);

test.each(['docker.io', 'index.docker.io', 'registry-1.docker.io'])(
  'a chart of Docker Hub, by its name %s, is asked of its registry, as by Helm',
  async (host) => {
    const urls: string[] = [];
    const send: SourceHttp['send'] = async ({ url }) => {
      urls.push(url.href);
      throw new Error('offline');
    };
    const wanted = { url: new URL(`oci://${host}/bitnamicharts/nginx`), version: '1.2.3', name: 'nginx' };
    const jobs = { unpack: performUnpackJob };
    const asking = { http: { send }, scheme: 'https', tenant: '', jobs } as const;
    await expect(ociRevision(wanted, asking, signal())).rejects.toThrow('offline');
    expect(urls).toEqual(['https://registry-1.docker.io/v2/bitnamicharts/nginx/manifests/1.2.3']);
  },
);

describe('charts in registries', () => {
  let registry: RegistryOfTest;
  beforeAll(async () => {
    registry = await startRegistry();
  });
  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
  });
  const request = (path: string, version = '') => ({
    component: 'some-chart',
    version,
    url: `oci://${registry.host}/${path}`,
  });

  test('[R74] a chart is pulled by tag, by version and by digest, with a token for its repository', async () => {
    await using workspaces = await openTestWorkspaces();
    const digest = registry.push('charts/one', '1.0.0_build', await chartOf('name: one'));

    const [tag, version, byDigest] = await Promise.all([
      workspaces.open(request('charts/one:1.0.0_build'), signal()),
      workspaces.open(request('charts/one', '1.0.0+build'), signal()),
      workspaces.open(request(`charts/one@${digest}`), signal()),
    ]);

    expect(tag?.revision).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(new Set([tag?.folder, version?.folder, byDigest?.folder]).size).toBe(1);
    expect(
      registry.requests.filter((line) => line.includes('/blobs/') && !line.includes('token')),
    ).not.toEqual([]);
  });

  test('a tag that moves gives the new chart', async () => {
    await using workspaces = await openTestWorkspaces();
    registry.push('moving', 'latest', await chartOf('name: old'));
    const before = await workspaces.open(request('moving:latest'), signal());
    registry.push('moving', 'latest', await chartOf('name: new'));

    const after = await workspaces.open(request('moving:latest'), signal());

    expect(after.revision).not.toBe(before.revision);
  });

  test.each<readonly [string, (manifest: Record<string, unknown>) => Record<string, unknown>, RegExp]>([
    [
      'an image',
      (m) => ({ ...m, config: { mediaType: 'application/vnd.oci.image.config.v1+json' } }),
      /is not a chart/,
    ],
    ['an index', () => ({ schemaVersion: 2, manifests: [] }), /is not a chart of Helm/],
    ['no layer', (m) => ({ ...m, layers: [] }), /has 0 layers with a chart/],
    ['two charts', (m) => ({ ...m, layers: [m.layers, m.layers].flat() }), /has 2 layers with a chart/],
    ['no digest', (m) => ({ ...m, layers: [{ mediaType: CHART_LAYER, size: 1 }] }), /without a digest/],
    [
      'another size',
      (m) => ({ ...m, layers: [m.layers].flat().map((layer) => ({ ...Object(layer), size: 5 })) }),
      /larger than 5 bytes/,
    ],
    [
      'a huge size',
      (m) => ({ ...m, layers: [m.layers].flat().map((layer) => ({ ...Object(layer), size: 1e12 })) }),
      /layer of the chart is larger than/,
    ],
  ])('a manifest with %s is refused', async (_what, change, message) => {
    await using workspaces = await openTestWorkspaces();
    registry.push('bad', 'v1', await chartOf('name: bad'), change);

    await expect(workspaces.open(request('bad:v1'), signal())).rejects.toThrow(message);
  });

  test('of a refusal that is as large as a layer little is read', async () => {
    await using workspaces = await openTestWorkspaces();
    const chart = await chartOf('name: large');
    const size = 50_000_000;
    registry.push('large', 'v1', chart, (m) => ({
      ...m,
      layers: [m.layers].flat().map((layer) => ({ ...Object(layer), size })),
    }));
    let sent = 0;
    let isRefused = false;
    registry.intercept = (incoming, response) => {
      if (!incoming.url?.includes('/blobs/') || isRefused) return false;
      isRefused = true;
      response.writeHead(401, { 'www-authenticate': 'Basic' });
      const write = () => {
        while (!response.destroyed && sent < size && response.write(Buffer.alloc(64 * 1024)))
          sent += 64 * 1024;
        if (sent >= size) response.end();
      };
      response.on('drain', write);
      write();
      return true;
    };
    // The manifest needs no token here, so that the one of the layer is asked for.
    const manifest = registry.manifestOf('large', 'v1');
    const whole = registry.intercept;
    registry.intercept = (incoming, response) => {
      if (!incoming.url?.includes('/manifests/')) return whole(incoming, response);
      response.end(manifest);
      return true;
    };

    await expect(workspaces.open(request('large:v1'), signal())).rejects.toThrow(/without a user/);
    registry.intercept = () => false;
    expect(isRefused).toBe(true);
    expect(sent).toBeLessThan(20_000_000);
  });

  test('a layer with other bytes than its digest is refused, and nothing of it is left', async () => {
    await using workspaces = await openTestWorkspaces();
    const good = await chartOf('name: good');
    registry.push('forged', 'v1', good);
    const digest = `sha256:${createHash('sha256').update(good).digest('hex')}`;
    registry.blobs.set(digest, Buffer.alloc(good.length, 7));

    await expect(workspaces.open(request('forged:v1'), signal())).rejects.toThrow(/has the digest sha256:/);
    expect(await readdir(workspaces.storage)).toEqual([]);
  });

  test('a manifest with another digest than was asked for is refused', async () => {
    await using workspaces = await openTestWorkspaces();
    registry.intercept = (incoming, response) => {
      if (!incoming.url?.includes('/manifests/sha256:')) return false;
      response.end('{}');
      return true;
    };
    const digest = `sha256:${'0'.repeat(64)}`;

    await expect(workspaces.open(request(`other@${digest}`), signal())).rejects.toThrow(`not ${digest}`);
    registry.intercept = () => false;
  });

  test.each([
    ['Basic realm="registry"', /does not give charts without a user/],
    ['Bearer realm="nowhere"', /does not give charts without a user/],
    [undefined, /does not give charts without a user/],
  ])('the challenge %p is refused', async (challenge, message) => {
    await using workspaces = await openTestWorkspaces();
    registry.intercept = (_incoming, response) => {
      response.writeHead(401, challenge === undefined ? {} : { 'www-authenticate': challenge }).end();
      return true;
    };

    await expect(workspaces.open(request('private:v1'), signal())).rejects.toThrow(message);
    registry.intercept = () => false;
  });

  test.each<[which: string, change: (challenge: string) => string | string[]]>([
    ['after others', (bearer) => `Negotiate, Basic realm="Registry, of us", ${bearer}`],
    ['before others', (bearer) => `${bearer}, Basic realm="registry"`],
    ['in a header of its own', (bearer) => ['Basic realm="registry"', bearer]],
    ['with a value that is not quoted', (bearer) => bearer.replace('service="registry"', 'service=registry')],
    ['in other letters, with spaces', (bearer) => bearer.replace('Bearer realm=', 'BEARER  Realm = ')],
  ])('a challenge for a token is found %s', async (_which, change) => {
    await using workspaces = await openTestWorkspaces();
    registry.push('challenge', 'v1', await chartOf('name: challenge'));
    registry.intercept = (incoming, response) => {
      if (incoming.url === undefined || incoming.url.startsWith('/token') || incoming.headers.authorization)
        return false;
      const scope = 'repository:challenge:pull';
      const bearer = `Bearer realm="${registry.url}/token",service="registry",scope="${scope}"`;
      response.writeHead(401, { 'www-authenticate': change(bearer) }).end();
      return true;
    };

    const opened = await workspaces.open(request('challenge:v1'), signal()).finally(() => {
      registry.intercept = () => false;
    });

    expect(opened.revision).toMatch(/^sha256:/);
  });

  test('a token that has expired before the layer is fetched is replaced once', async () => {
    await using workspaces = await openTestWorkspaces();
    registry.push('expiring', 'v1', await chartOf('name: expiring'));
    let refusals = 0;
    registry.intercept = (incoming, response) => {
      if (!incoming.url?.includes('/blobs/') || refusals > 0) return false;
      refusals++;
      const challenge = `Bearer realm="${registry.url}/token",service="registry",error="invalid_token"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return true;
    };
    const tokens = () => registry.requests.filter((line) => line.includes('/token')).length;
    const before = tokens();

    const opened = await workspaces.open(request('expiring:v1'), signal()).finally(() => {
      registry.intercept = () => false;
    });

    expect(opened.revision).toMatch(/^sha256:/);
    expect([refusals, tokens() - before]).toEqual([1, 2]);
  });

  test('a registry that refuses its own token is not asked without end', async () => {
    await using workspaces = await openTestWorkspaces();
    let refusals = 0;
    registry.intercept = (incoming, response) => {
      if (incoming.url?.startsWith('/token')) return false;
      refusals++;
      const challenge = `Bearer realm="${registry.url}/token",service="registry"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return true;
    };

    await expect(workspaces.open(request('refusing:v1'), signal())).rejects.toMatchObject({ kind: 'auth' });
    registry.intercept = () => false;
    expect(refusals).toBe(2);
  });

  test('an empty token counts as none: the token of OAuth beside it is used', async () => {
    await using workspaces = await openTestWorkspaces();
    registry.push('oauth', 'v1', await chartOf('name: oauth'));
    registry.intercept = (incoming, response) => {
      const url = new URL(incoming.url ?? '/', registry.url);
      if (url.pathname !== '/token') return false;
      const text = `token registry ${url.searchParams.get('scope')}`;
      response.end(JSON.stringify({ token: '', access_token: Buffer.from(text).toString('base64url') }));
      return true;
    };

    const opened = await workspaces.open(request('oauth:v1'), signal()).finally(() => {
      registry.intercept = () => false;
    });

    expect(opened.revision).toMatch(/^sha256:/);
  });

  test.each(['UPPER:v1', 'no-tag', 'a:tag with space', ':v1', ''])(
    'the reference %p is refused',
    async (path) => {
      await using workspaces = await openTestWorkspaces();
      await expect(workspaces.open(request(path), signal())).rejects.toThrow(
        /registry|needs a tag|is invalid|name/,
      );
    },
  );

  test('an unknown tag is not found', async () => {
    await using workspaces = await openTestWorkspaces();
    await expect(workspaces.open(request('charts/none:v1'), signal())).rejects.toMatchObject({
      kind: 'not-found',
    });
  });
});

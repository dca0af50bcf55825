import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { cacheKey, cacheRoot, ensureBinaries } from './binaries.ts';
import { SERVERS, type Server } from './versions.ts';

let root: string;
let downloaded: Server[];
let built: Server[];
let reports: string[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'binaries-test-'));
  downloaded = [];
  built = [];
  reports = [];
});

afterEach(() => rm(root, { recursive: true, force: true }));

const cache = () => join(root, 'cache', 'control-planes');
const cached = () => join(cache(), cacheKey());

async function put(directory: string, servers: readonly string[], content = 'x') {
  await mkdir(directory, { recursive: true });
  for (const server of servers) {
    await writeFile(join(directory, server), content);
    await chmod(join(directory, server), 0o755);
  }
  return directory;
}

/** A machine with a download that has `online` and a build that has `buildable`. */
const machine = (online: readonly Server[], buildable: readonly Server[] = []) => ({
  report: (line: string) => reports.push(line),
  download: async (server: Server, directory: string) => {
    downloaded.push(server);
    if (!online.includes(server)) throw new Error('no network');
    await put(directory, [server], 'downloaded');
  },
  build: async (servers: readonly Server[], directory: string) => {
    built.push(...servers);
    const impossible = servers.filter((server) => !buildable.includes(server));
    if (impossible.length > 0) throw new Error('no Go toolchain on PATH');
    await put(directory, servers, 'built');
  },
});

const env = (more: NodeJS.ProcessEnv = {}) => ({ PROVIDER_KYMA_CACHE: join(root, 'cache'), ...more });

describe('the first place that has all binaries wins', () => {
  test('KUBEBUILDER_ASSETS before the cache', async () => {
    const assets = await put(join(root, 'assets'), SERVERS);
    await put(cached(), SERVERS);

    const found = await ensureBinaries({ env: env({ KUBEBUILDER_ASSETS: assets }), ...machine(SERVERS) });

    expect(found.directory).toBe(assets);
    expect(found.paths['kube-apiserver']).toBe(join(assets, 'kube-apiserver'));
    expect(reports).toEqual([]);
  });

  test('KUBEBUILDER_ASSETS that is relative to where the run began', async () => {
    const assets = await put(join(root, 'assets'), SERVERS);
    const variables = { KUBEBUILDER_ASSETS: relative(process.cwd(), assets) };

    expect((await ensureBinaries({ env: env(variables), ...machine([]) })).paths.etcd).toBe(
      join(assets, 'etcd'),
    );
  });

  test('the cache before a KUBEBUILDER_ASSETS that lacks a binary, with a message', async () => {
    const assets = await put(join(root, 'assets'), ['etcd', 'kube-apiserver', 'kubectl']);
    await put(cached(), SERVERS);

    const found = await ensureBinaries({ env: env({ KUBEBUILDER_ASSETS: assets }), ...machine(SERVERS) });

    expect(found.directory).toBe(cached());
    expect(reports).toEqual(['KUBEBUILDER_ASSETS is not used: it has no kube-controller-manager']);
    expect(downloaded).toEqual([]);
  });

  test('the download before the build', async () => {
    const found = await ensureBinaries({ env: env(), ...machine(SERVERS, SERVERS) });

    expect(await readFile(found.paths.etcd, 'utf8')).toBe('downloaded');
    expect(built).toEqual([]);
  });

  test('the build for what cannot be downloaded, and only that', async () => {
    const found = await ensureBinaries({ env: env(), ...machine(['etcd'], SERVERS) });

    expect(built).toEqual(['kube-apiserver', 'kube-controller-manager']);
    expect(await readFile(found.paths.etcd, 'utf8')).toBe('downloaded');
    expect(await readFile(found.paths['kube-apiserver'], 'utf8')).toBe('built');
  });
});

describe('the cache', () => {
  test('spares the second run all work', async () => {
    await ensureBinaries({ env: env(), ...machine(SERVERS) });
    downloaded = [];
    reports = [];

    await ensureBinaries({ env: env(), ...machine([]) });

    expect({ downloaded, built, reports }).toEqual({ downloaded: [], built: [], reports: [] });
  });

  test('is filled once by two concurrent callers', async () => {
    const one = ensureBinaries({ env: env(), ...machine(SERVERS) });
    const two = ensureBinaries({ env: env(), ...machine(SERVERS) });

    expect((await one).paths).toEqual((await two).paths);
    expect(downloaded).toHaveLength(SERVERS.length);
  });

  test('keeps no files of a failed attempt', async () => {
    await expect(ensureBinaries({ env: env(), ...machine(['etcd']) })).rejects.toThrow(
      'cannot provide kube-apiserver, kube-controller-manager: download: no network; ' +
        'build: no Go toolchain on PATH; set KUBEBUILDER_ASSETS to a folder that has them',
    );

    expect(await readdir(cache())).toEqual([]);
  });

  test('is repaired where a binary is missing from it', async () => {
    await put(cached(), ['etcd']);

    const found = await ensureBinaries({ env: env(), ...machine(SERVERS) });

    expect((await readdir(found.directory)).sort()).toEqual([...SERVERS].sort());
  });

  test.each<[NodeJS.ProcessEnv, unknown, string]>([
    [{ PROVIDER_KYMA_CACHE: '/a', XDG_CACHE_HOME: '/b' }, '/a', 'its own variable'],
    [{ XDG_CACHE_HOME: '/b' }, '/b/provider-kyma', 'the standard variable'],
    [{ PROVIDER_KYMA_CACHE: '' }, expect.stringMatching(/\/\.cache\/provider-kyma$/), 'the user’s home'],
  ])('with %j lies in %s: %s', (variables, expected) => {
    expect(cacheRoot(variables)).toEqual(expected);
  });
});

import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { MockAgent } from 'undici';
import { temporaryFolders } from '../../../internal/framework/base/temporary-folder.fixture.ts';
import { downloadServer, releaseOf } from './download.ts';
import { ETCD_VERSION, KUBERNETES_VERSION, type Server } from './versions.ts';

const BINARY = 'the binary';
const CHECKSUM = createHash('sha256').update(BINARY).digest('hex');
const PATH = `/v${KUBERNETES_VERSION}/bin/linux/amd64/kube-apiserver`;

const directory = temporaryFolders('download-test-');
let web: MockAgent;

beforeEach(async () => {
  web = new MockAgent();
  web.disableNetConnect();
});

afterEach(async () => {
  await web.close();
});

const serve = (path: string, status: number, body: string) =>
  web.get('https://dl.k8s.io').intercept({ path }).reply(status, body);

const download = (server: Server = 'kube-apiserver') =>
  downloadServer(server, directory(), {
    report: () => undefined,
    dispatcher: web,
    platform: 'linux',
    arch: 'x64',
  });

test('a download with the published checksum becomes an executable file', async () => {
  serve(`${PATH}.sha256`, 200, `${CHECKSUM}\n`);
  serve(PATH, 200, BINARY);

  await download();

  expect(await readFile(join(directory(), 'kube-apiserver'), 'utf8')).toBe(BINARY);
  expect((await stat(join(directory(), 'kube-apiserver'))).mode & 0o777).toBe(0o755);
});

describe('a download is refused', () => {
  test('where its checksum is another than the published one', async () => {
    serve(`${PATH}.sha256`, 200, 'a'.repeat(64));
    serve(PATH, 200, BINARY);

    await expect(download()).rejects.toThrow(/^cannot trust https:\/\/dl\.k8s\.io\/.*published is aaa/);
  });

  test('where no checksum is published, before the binary is fetched', async () => {
    serve(`${PATH}.sha256`, 200, '<html>sign in to this network</html>');

    await expect(download()).rejects.toThrow(/names no checksum/);
    expect(await readdir(directory())).toEqual([]);
  });

  test('where the server does not have it', async () => {
    serve(`${PATH}.sha256`, 404, 'not here');

    await expect(download()).rejects.toThrow(/^cannot download https:.*: the server answered 404$/);
  });

  test('with the reason of the network', async () => {
    web
      .get('https://dl.k8s.io')
      .intercept({ path: `${PATH}.sha256` })
      .replyWithError(new Error('getaddrinfo ENOTFOUND dl.k8s.io'));

    await expect(download()).rejects.toThrow(/^cannot download .*: getaddrinfo ENOTFOUND dl\.k8s\.io$/);
  });
});

test.each<[Server, NodeJS.Platform, string, string]>([
  [
    'kube-apiserver',
    'linux',
    'x64',
    `https://dl.k8s.io/v${KUBERNETES_VERSION}/bin/linux/amd64/kube-apiserver`,
  ],
  [
    'kube-controller-manager',
    'linux',
    'arm64',
    `https://dl.k8s.io/v${KUBERNETES_VERSION}/bin/linux/arm64/kube-controller-manager`,
  ],
  [
    'etcd',
    'linux',
    'x64',
    `https://github.com/etcd-io/etcd/releases/download/v${ETCD_VERSION}/etcd-v${ETCD_VERSION}-linux-amd64.tar.gz`,
  ],
  [
    'etcd',
    'darwin',
    'arm64',
    `https://github.com/etcd-io/etcd/releases/download/v${ETCD_VERSION}/etcd-v${ETCD_VERSION}-darwin-arm64.zip`,
  ],
])('%s for %s on %s is fetched from where its project publishes it', (server, platform, arch, url) => {
  expect(releaseOf(server, platform, arch).url).toBe(url);
});

test.each<[Server, NodeJS.Platform, string]>([
  ['kube-apiserver', 'darwin', 'arm64'],
  ['etcd', 'win32', 'x64'],
  ['etcd', 'linux', 'riscv64'],
])('%s for %s on %s is not published', (server, platform, arch) => {
  expect(() => releaseOf(server, platform, arch)).toThrow(`no official ${server} for ${platform} on ${arch}`);
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Loopback, listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
import { temporaryFolders } from '../../../internal/framework/base/temporary-folder.fixture.ts';
import type { ImageManifest } from '../../xpkg/images/oci-layout.ts';
import { imageName, imagesOf } from './node-images.ts';
import { programImage } from './program-image.ts';
import { registryServer } from './serve-images.ts';

const root = temporaryFolders('registry-test-');
let server: Loopback;
let base: string;
beforeEach(async () => {
  await writeFile(join(root(), 'program'), 'a program');
  await writeFile(join(root(), 'secret'), 'outside of the images');
  server = await listenOnLoopback(registryServer(join(root(), 'images')));
  base = `${server.url}/v2`;
  const image = await programImage({ path: '/pause', file: join(root(), 'program') });
  await imagesOf(join(root(), 'images')).publish(imageName('registry.example.org/team/pause:v1'), [image]);
});
afterEach(async () => {
  await server.close();
});

test.each([
  ['as a mirror', 'team/pause', '?ns=registry.example.org'],
  ['by a rewritten reference', 'registry.example.org/team/pause', ''],
])('an image is pulled %s', async (_, name, query) => {
  const head = await fetch(`${base}/${name}/manifests/v1${query}`, { method: 'HEAD' });
  const digest = head.headers.get('docker-content-digest');
  expect(head.headers.get('content-type')).toBe('application/vnd.oci.image.manifest.v1+json');
  const answer = await fetch(`${base}/${name}/manifests/${digest}${query}`);
  const manifest = (await answer.json()) as ImageManifest;
  expect(answer.headers.get('content-type')).toBe(head.headers.get('content-type'));
  for (const { digest, size } of [manifest.config, ...manifest.layers]) {
    const blob = await fetch(`${base}/${name}/blobs/${digest}${query}`);
    expect((await blob.arrayBuffer()).byteLength).toBe(size);
  }
});

test.each([
  'team/other/manifests/v1?ns=registry.example.org',
  'team/pause/manifests/v2?ns=registry.example.org',
  `team/pause/blobs/sha256:${'0'.repeat(64)}?ns=registry.example.org`,
  'team/pause/blobs/..%2F..%2Fsecret?ns=registry.example.org',
  '%2e%2e/secret/manifests/v1',
  'pause/manifests/v1?ns=..%2F..',
])('what is no image is not found: %s', async (path) => {
  expect((await fetch(`${base}/${path}`)).status).toBe(404);
});

test.each([
  ['xpkg.crossplane.io/org/name:v1', { host: 'xpkg.crossplane.io', name: 'org/name', tag: 'v1' }],
  ['127.0.0.1:5000/name:v1', { host: '127.0.0.1:5000', name: 'name', tag: 'v1' }],
  ['org/name:v1', { host: 'docker.io', name: 'org/name', tag: 'v1' }],
  ['name:v1', { host: 'docker.io', name: 'library/name', tag: 'v1' }],
])('the parts of %s', (reference, parts) => {
  expect(imageName(reference)).toEqual(parts);
});

test('a reference without a tag is refused', () => {
  expect(() => imageName('registry.example.org/name')).toThrow('is no image with a tag');
});

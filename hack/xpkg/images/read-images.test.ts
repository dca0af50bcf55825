import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolders } from '../../../internal/framework/base/temporary-folder.fixture.ts';
import { writeDockerArchive } from './docker-archive.ts';
import type { ContainerImage } from './image.ts';
import { writeOciLayout } from './oci-layout.ts';
import { readImages } from './read-images.ts';
import { amd64, arm64, sampleImage } from './sample-image.fixture.ts';

const folder = temporaryFolders('images-');

async function tarball(image: ContainerImage): Promise<string> {
  const path = join(folder(), `${image.config.architecture}.tar`);
  await writeFile(path, await writeDockerArchive(image));
  return path;
}

test('linux/amd64 comes first, in any order of arguments', async () => {
  const paths = [await tarball(await sampleImage(arm64)), await tarball(await sampleImage(amd64))];

  const images = await readImages(paths);

  expect(images.map(({ config }) => config.architecture)).toEqual(['amd64', 'arm64']);
});

test('a folder is read as an OCI layout, with all its platforms', async () => {
  const images = [await sampleImage(amd64), await sampleImage(arm64)];
  await writeOciLayout(join(folder(), 'oci'), images, { annotations: {}, tag: 'v1' });

  expect(await readImages([join(folder(), 'oci')])).toEqual(images);
});

test.each([
  [
    'no linux/amd64',
    async () => [await sampleImage(arm64)],
    /for linux\/arm64\/v8: Crossplane always asks for linux\/amd64/,
  ],
  [
    'an image without a platform',
    async () => [await sampleImage({ architecture: '', os: '' })],
    /it is for no platform/,
  ],
  [
    'an image that starts nothing',
    async () => {
      const image = await sampleImage(amd64);
      return [{ ...image, config: { ...image.config, config: {} } }];
    },
    /it has no ENTRYPOINT/,
  ],
])('refuses %s', async (_reason, images, message) => {
  const paths = await Promise.all((await images()).map(tarball));
  await expect(readImages(paths)).rejects.toThrow(message);
});

test('refuses two images for one platform', async () => {
  const path = await tarball(await sampleImage(amd64));
  await expect(readImages([path, path])).rejects.toThrow(/there are two for linux\/amd64/);
});

test('names the file that is no image', async () => {
  const path = join(folder(), 'x.tar');
  await writeFile(path, 'no archive');
  await expect(readImages([path])).rejects.toThrow(/cannot read image .*x\.tar/);
});

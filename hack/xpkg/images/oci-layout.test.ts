import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolders } from '../../../internal/framework/base/temporary-folder.fixture.ts';
import { hexOf, jsonBlob } from './image.ts';
import { type ImageIndex, mediaTypes, readOciLayout, writeOciLayout } from './oci-layout.ts';
import { amd64, arm64, sampleImage } from './sample-image.fixture.ts';

const folder = temporaryFolders('layout-');

const options = { annotations: { a: 'b' }, tag: 'v1' };
const readIndex = async (name = 'index.json'): Promise<ImageIndex> =>
  JSON.parse(await readFile(join(folder(), name), 'utf8'));

test('one image is the only entry, under its tag', async () => {
  await writeOciLayout(folder(), [await sampleImage(amd64)], options);

  expect((await readIndex()).manifests).toEqual([
    expect.objectContaining({
      mediaType: mediaTypes.manifest,
      platform: amd64,
      annotations: { 'org.opencontainers.image.ref.name': 'v1' },
    }),
  ]);
  expect(await readOciLayout(folder())).toEqual([await sampleImage(amd64)]);
});

test('several images are behind one index, each with its platform', async () => {
  const images = [await sampleImage(amd64, 'x'), await sampleImage(arm64, 'y')];
  await writeOciLayout(folder(), images, options);

  const { manifests } = await readIndex();
  expect(manifests).toHaveLength(1);
  const inner = await readIndex(join('blobs/sha256', hexOf(manifests[0]?.digest ?? '')));
  expect(inner.manifests.map(({ platform }) => platform)).toEqual([amd64, arm64]);
  expect(inner.annotations).toEqual({ a: 'b' });
  expect(await readOciLayout(folder())).toEqual(images);
});

test('nothing of an earlier build is left', async () => {
  await writeOciLayout(folder(), [await sampleImage(amd64, 'x'), await sampleImage(arm64, 'y')], options);
  await writeOciLayout(folder(), [await sampleImage(amd64)], options);

  expect(await readdir(join(folder(), 'blobs/sha256'))).toHaveLength(3);
});

test('an attestation beside an image, as Docker writes it, is passed over', async () => {
  await writeOciLayout(folder(), [await sampleImage(amd64)], options);
  const index = await readIndex();
  const attestation = {
    mediaType: mediaTypes.manifest,
    digest: `sha256:${'0'.repeat(64)}`,
    size: 1,
    platform: { architecture: 'unknown', os: 'unknown' },
    annotations: { 'vnd.docker.reference.type': 'attestation-manifest' },
  };
  const manifests = [...index.manifests, attestation];
  await writeFile(join(folder(), 'index.json'), JSON.stringify({ ...index, manifests }));

  expect(await readOciLayout(folder())).toHaveLength(1);
});

test('a blob whose content does not match its digest is refused', async () => {
  const image = await sampleImage(amd64);
  await writeOciLayout(folder(), [image], options);
  await writeFile(join(folder(), 'blobs/sha256', hexOf(jsonBlob(image.config).digest)), '{}');

  await expect(readOciLayout(folder())).rejects.toThrow(/has other content/);
});

import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { packTar } from 'modern-tar';
import { readDockerArchive, writeDockerArchive } from './docker-archive.ts';
import { archiveOf } from './image.ts';
import { amd64, arm64, sampleImage } from './sample-image.fixture.ts';
import { type TarMember, writeTar } from './tar-archive.ts';

const image = await sampleImage(amd64);
const [layer] = image.layers;
if (layer === undefined) throw new Error('the sample has no layer');
const plain = archiveOf(layer);

const json = (name: string, value: unknown): TarMember => ({
  name,
  bytes: Buffer.from(JSON.stringify(value)),
});
const saved = (bytes: Uint8Array) =>
  writeTar([
    json('abc.json', image.config),
    { name: '1/layer.tar', bytes },
    json('manifest.json', [{ Config: 'abc.json', RepoTags: ['x:1'], Layers: ['1/layer.tar'] }]),
  ]);

test('a written archive can be read back', async () => {
  expect(await readDockerArchive(await writeDockerArchive(image))).toEqual([image]);
});

describe('a layer is taken', () => {
  test.each([
    ['plain', plain],
    ['gzipped', gzipSync(plain)],
    ['compressed with zstd', zstdCompressSync(plain)],
  ])('%s', async (_form, bytes) => {
    const [read] = await readDockerArchive(await saved(bytes));
    expect(gunzipSync(read?.layers[0]?.blob.bytes ?? '')).toEqual(Buffer.from(plain));
    expect(read?.layers[0]?.diffId).toBe(layer.diffId);
  });

  test('as a link to that of another image', async () => {
    const other = { ...image.config, ...arm64 };
    const body = (value: unknown) => Buffer.from(JSON.stringify(value));
    const contents = body([
      { Config: 'a.json', RepoTags: null, Layers: ['1/layer.tar'] },
      { Config: 'b.json', RepoTags: null, Layers: ['2/layer.tar'] },
    ]);
    const file = (name: string, bytes: Uint8Array) => ({ header: { name, size: bytes.length }, body: bytes });
    const archive = await packTar([
      file('a.json', body(image.config)),
      file('b.json', body(other)),
      { header: { name: '2/layer.tar', size: 0, type: 'symlink', linkname: '../1/layer.tar' } },
      file('1/layer.tar', plain),
      file('manifest.json', contents),
    ]);

    const images = await readDockerArchive(archive);

    expect(images.map(({ config }) => config.architecture)).toEqual(['amd64', 'arm64']);
    expect(images[1]?.layers[0]?.diffId).toBe(layer.diffId);
  });
});

test.each([
  [
    'a layer with other content',
    () => saved(Buffer.concat([plain, Buffer.alloc(512)])),
    /a layer is not sha256:/,
  ],
  ['no manifest', () => writeTar([json('abc.json', {})]), /has no manifest\.json/],
  [
    'a config that names another number of layers',
    () =>
      writeTar([
        json('c', image.config),
        json('manifest.json', [{ Config: 'c', RepoTags: null, Layers: [] }]),
      ]),
    /0 layers, its config names 1/,
  ],
])('refuses %s', async (_reason, archive, message) => {
  await expect(readDockerArchive(await archive())).rejects.toThrow(message);
});

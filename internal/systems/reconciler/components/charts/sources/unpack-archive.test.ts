import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { packTar, type TarEntry } from 'modern-tar';
import { createTargetFolder } from './cache/target-folder.ts';
import { defaultSourceLimits, type TargetFolder } from './chart-source.ts';
import { unpackArchive } from './unpack-archive.ts';
import { packZip, type ZipEntry } from './zip.fixture.ts';

const limits = {
  ...defaultSourceLimits,
  maxFiles: 20,
  maxFileBytes: 100_000,
  maxUnpackedBytes: 200_000,
};
let root: string;
let count = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'archives-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Unpacks the bytes; the names of all that is in the folder afterwards. */
async function unpack(bytes: Uint8Array): Promise<{ folder: string; names: readonly string[] }> {
  const work = join(root, String(count++));
  const folder = join(work, 'target');
  await mkdir(folder, { recursive: true });
  const file = join(work, 'archive');
  await writeFile(file, bytes);
  await unpackArchive(file, createTargetFolder(folder, limits), limits);
  const names = await readdir(folder, { recursive: true });
  expect(await readdir(work)).toEqual(['archive', 'target']);
  return { folder, names: names.sort() };
}

const tarGz = async (...entries: readonly TarEntry[]): Promise<Buffer> => gzipSync(await packTar(entries));
const file = (name: string, body: string | Uint8Array = 'x'): TarEntry => ({
  header: { name, size: Buffer.byteLength(body) },
  body,
});
const special = (type: NonNullable<TarEntry['header']['type']>, linkname?: string): TarEntry => ({
  header: { name: 'special', size: 0, type, ...(linkname && { linkname }) },
});
const zip = async (...entries: readonly ZipEntry[]): Promise<Buffer> => packZip(entries);
const zeros = (size: number) => new Uint8Array(size);
const unpackedNames = ['chart', 'chart/Chart.yaml', 'chart/templates', 'chart/templates/a.yaml'];

describe('archives', () => {
  test.each([
    ['tar.gz', () => tarGz(file('chart/Chart.yaml', 'name: a'), file('chart/templates/a.yaml'))],
    [
      'tar.gz with ./ and folders',
      () =>
        tarGz(
          { header: { name: './chart/', size: 0, type: 'directory' } },
          file('./chart/Chart.yaml', 'name: a'),
          file('chart//templates/a.yaml'),
        ),
    ],
    [
      'tar.gz with a name of 300 characters',
      async () => {
        const name = `chart/${'n'.repeat(150)}/${'m'.repeat(150)}`;
        expect((await unpack(await tarGz(file(name)))).names).toContain(name);
        return await tarGz(file('chart/Chart.yaml', 'name: a'), file('chart/templates/a.yaml'));
      },
    ],
    [
      'zip',
      () =>
        zip(
          { name: 'chart/' },
          { name: 'chart/Chart.yaml', content: 'name: a' },
          { name: 'chart/templates/a.yaml' },
        ),
    ],
    [
      'zip with modes',
      () =>
        zip(
          { name: 'chart/Chart.yaml', content: 'name: a', mode: 0o100755 },
          { name: 'chart/templates/', mode: 0o040755 },
          { name: 'chart/templates/a.yaml', mode: 0o100644 },
        ),
    ],
  ])('[R74] %s is unpacked', async (_name, pack) => {
    const { folder, names } = await unpack(await pack());

    expect(names).toEqual(unpackedNames);
    expect(await readFile(join(folder, 'chart/Chart.yaml'), 'utf8')).toBe('name: a');
  });

  const hostile: readonly (readonly [string, () => Promise<Uint8Array>, RegExp])[] = [
    ['a path with ..', () => tarGz(file('chart/../../evil')), /leads out of its folder/],
    ['a path that ends with ..', () => tarGz(file('chart/..')), /leads out of its folder/],
    ['an absolute path', () => tarGz(file('/etc/cron.d/evil')), /is absolute/],
    ['a drive letter', () => tarGz(file('C:/evil')), /is absolute/],
    ['a backslash', () => tarGz(file('..\\evil')), /backslash or control character/],
    ['a line break in a name', () => tarGz(file('a\nb')), /backslash or control character/],
    ['a long path', () => tarGz(file('a/'.repeat(600))), /more than 1024 characters|deeper than/],
    ['a deep path', () => tarGz(file(`${'a/'.repeat(70)}b`)), /deeper than 64 folders/],
    ['a long name', () => tarGz(file('n'.repeat(300))), /name of more than 255 bytes/],
    ['a symbolic link', () => tarGz(special('symlink', '/etc/passwd')), /has a symlink: "special"/],
    ['a hard link', () => tarGz(special('link', 'chart/Chart.yaml')), /has a link: "special"/],
    ['a character device', () => tarGz(special('character-device')), /has a character-device/],
    ['a block device', () => tarGz(special('block-device')), /has a block-device/],
    ['a named pipe', () => tarGz(special('fifo')), /has a fifo/],
    ['a file twice', () => tarGz(file('a'), file('a')), /the path a is there twice/],
    ['a file below a file', () => tarGz(file('a'), file('a/b')), /the path a is there twice/],
    [
      'a link and a file through it',
      () => tarGz(special('symlink', '/tmp'), file('special/evil')),
      /has a symlink/,
    ],
    ['many files', () => tarGz(...Array.from({ length: 21 }, (_, i) => file(`f${i}`))), /more than 20 files/],
    ['many folders', () => tarGz(file(`${'a/'.repeat(25)}b`)), /more than 20 files and folders/],
    [
      'a bomb in one file',
      () => tarGz(file('bomb', zeros(5_000_000))),
      /file bomb is larger than 100000 bytes/,
    ],
    [
      'a bomb in several files',
      () => tarGz(...['a', 'b', 'c'].map((name) => file(name, zeros(90_000)))),
      /more than 200000 bytes, unpacked|unpacked, is larger than/,
    ],
    [
      'a bomb behind the end',
      async () => gzipSync(Buffer.concat([await packTar([file('a')]), zeros(50_000_000)])),
      /unpacked, is larger than/,
    ],
    [
      'a large header',
      () => tarGz({ header: { name: 'a', size: 1, pax: { comment: 'x'.repeat(3_000_000) } }, body: 'x' }),
      /damaged|larger/,
    ],
    [
      'a truncated archive',
      async () => (await tarGz(file('a', 'x'.repeat(5000)))).subarray(0, 60),
      /is damaged/,
    ],
    [
      'a truncated tar',
      async () => gzipSync((await packTar([file('a', 'x'.repeat(5000))])).subarray(0, 1500)),
      /damaged/,
    ],
    ['no tar within gzip', async () => gzipSync('x'.repeat(2000)), /is damaged/],
    [
      'a wrong checksum',
      async () => {
        const tar = Buffer.from(await packTar([file('a')]));
        tar.write('zz', 0);
        return gzipSync(tar);
      },
      /is damaged/,
    ],
    ['zip: a path with ..', () => zip({ name: '../evil' }), /damaged|leads out/],
    ['zip: an absolute path', () => zip({ name: '/etc/evil' }), /damaged|is absolute/],
    ['zip: a backslash', () => zip({ name: '..\\evil' }), /damaged|backslash/],
    [
      'zip: a symbolic link',
      () => zip({ name: 'l', content: '/etc/passwd', mode: 0o120777 }),
      /link or special file/,
    ],
    ['zip: a device', () => zip({ name: 'd', mode: 0o020644 }), /link or special file/],
    ['zip: an encrypted file', () => zip({ name: 'e', flags: 1 }), /encrypted file/],
    ['zip: a file twice', () => zip({ name: 'a' }, { name: 'a' }), /the path a is there twice/],
    [
      'zip: many files',
      () => zip(...Array.from({ length: 21 }, (_, i) => ({ name: `f${i}` }))),
      /more than 20 files/,
    ],
    ['zip: a bomb', () => zip({ name: 'bomb', content: zeros(5_000_000) }), /larger than 100000 bytes/],
    [
      'zip: a bomb that states a small size',
      () => zip({ name: 'bomb', content: zeros(50_000), statedSize: 10 }),
      /is damaged/,
    ],
    ['zip: truncated', async () => (await zip({ name: 'a' })).subarray(0, 40), /is damaged/],
    ['rar', async () => Buffer.from('Rar!\x1a\x07\x00'), /unsupported archive: the format rar/],
    ['7z', async () => Buffer.from('377abcaf271c', 'hex'), /the format 7z/],
    ['xz', async () => Buffer.from('fd377a585a00', 'hex'), /the format xz/],
    ['a page of HTML', async () => Buffer.from('<!DOCTYPE html>'), /an unknown format; supported are/],
    ['nothing', async () => Buffer.alloc(0), /an unknown format/],
  ];

  test('an error in the content of a zip file reaches who reads it later, and ends no process', async () => {
    const path = join(root, 'late.zip');
    await writeFile(path, await zip({ name: 'bomb', content: zeros(50_000), statedSize: 10 }));
    const late: TargetFolder = {
      files: 0,
      bytes: 0,
      addFolder: async () => undefined,
      addFile: async (_: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) => {
        await new Promise((done) => setTimeout(done, 50));
        for await (const _ of content);
      },
    };
    const unpacked = unpackArchive(path, late, limits);
    await expect(unpacked).rejects.toThrow(/is damaged: too many bytes/);
  });

  test('an archive that is refused while its stream still delivers ends no process', async () => {
    const entries = Array.from({ length: 3000 }, (_, i) => file(`chart/templates/${i}.yaml`));
    const path = join(root, 'many-files');
    await writeFile(path, await tarGz(...entries));
    const few = { ...defaultSourceLimits, maxFiles: 1500 };
    for (let attempt = 0; attempt < 4; attempt++) {
      const folder = await mkdtemp(join(root, 'many-'));
      const unpacked = unpackArchive(path, createTargetFolder(folder, few), few);
      await expect(unpacked).rejects.toThrow(/more than 1500 files/);
    }
    // What the stream would throw later reaches no caller.
    await new Promise((done) => setTimeout(done, 50));
  });

  test.each(hostile)('[R74] %s is refused', async (_name, pack, message) => {
    await expect(pack().then(unpack)).rejects.toThrow(message);
  });
});

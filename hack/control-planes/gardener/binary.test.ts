import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ensureGardener, GARDENER_VERSION, NEWER_GARDENER_VERSION } from './binary.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gardener-binary-test-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(folder: string): Promise<string> {
  const file = join(folder, 'gardener-apiserver');
  await writeFile(file, 'x');
  await chmod(file, 0o755);
  return file;
}
const refuse = async () => {
  throw new Error('no Go toolchain on PATH');
};
const env = (more: NodeJS.ProcessEnv = {}) => ({ PROVIDER_KYMA_CACHE: join(root, 'cache'), ...more });

test('GARDENER_APISERVER comes first, and must be an executable file', async () => {
  const own = await put(root);
  expect(await ensureGardener({ env: env({ GARDENER_APISERVER: own }), build: refuse })).toBe(own);
  const none = env({ GARDENER_APISERVER: join(root, 'none') });
  await expect(ensureGardener({ env: none, build: refuse })).rejects.toThrow('cannot use GARDENER_APISERVER');
});

test('it is built once, and then taken from the cache', async () => {
  const build = async (folder: string) => void (await put(folder));
  const first = await ensureGardener({ env: env(), build });
  expect(first).toBe(
    join(
      root,
      `cache/gardener/gardener-${GARDENER_VERSION}-${process.platform}-${process.arch}/gardener-apiserver`,
    ),
  );
  expect(await ensureGardener({ env: env(), build: refuse })).toBe(first);
});

test('where it cannot be built, the error has the cause and the way out', async () => {
  await expect(ensureGardener({ env: env(), build: refuse })).rejects.toThrow(
    'cannot provide gardener-apiserver: build: no Go toolchain on PATH; set GARDENER_APISERVER to a binary',
  );
  await expect(ensureGardener({ env: env(), build: async () => undefined })).rejects.toThrow(
    'no file came of it',
  );
});

test.each([
  ['build', GARDENER_VERSION],
  ['build-newer', NEWER_GARDENER_VERSION],
])('the Go module %s pins the version that is named', async (folder, version) => {
  const module = await readFile(join(import.meta.dirname, folder, 'go.mod'), 'utf8');
  expect(module).toContain(`github.com/gardener/gardener v${version} `);
});

test('both versions are kept side by side', async () => {
  const build = async (folder: string) => void (await put(folder));
  const newer = await ensureGardener({ env: env(), build, version: NEWER_GARDENER_VERSION });
  expect(newer).toContain(`gardener-${NEWER_GARDENER_VERSION}-`);
  const own = await put(root);
  const given = env({ NEWER_GARDENER_APISERVER: own });
  expect(await ensureGardener({ env: given, build: refuse, version: NEWER_GARDENER_VERSION })).toBe(own);
});

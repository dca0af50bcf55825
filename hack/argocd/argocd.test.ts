import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ARGOCD_VERSION, ensureArgoCd } from './argocd.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'argocd-test-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const env = (more: NodeJS.ProcessEnv = {}) => ({ PROVIDER_KYMA_CACHE: join(root, 'cache'), ...more });

const put = (names: readonly string[], content: string) => async (folder: string) => {
  await mkdir(folder, { recursive: true });
  for (const name of names) await writeFile(join(folder, name), content);
};
const contents = async (paths: object) =>
  Promise.all(Object.values(paths).map((path: string) => readFile(path, 'utf8')));
const refuse = (why: string) => async () => {
  throw new Error(why);
};
const offline = refuse('no network');
const noGo = refuse('no Go toolchain on PATH');
const argocd = ['argocd', 'core-install.yaml'];

test('ARGOCD_ASSETS comes first, and must be complete', async () => {
  const own = join(root, 'own');
  const options = { env: env({ ARGOCD_ASSETS: own }) };
  await put(argocd, 'own')(own);
  await expect(ensureArgoCd(options)).rejects.toThrow('lacks one of argocd, redis, core-install.yaml');
  await put(['redis'], 'own')(own);
  expect(await contents(await ensureArgoCd(options))).toEqual(['own', 'own', 'own']);
});

test('it is downloaded, and only its Redis is built, once', async () => {
  const download = put(argocd, 'downloaded');
  const buildRedis = put(['redis'], 'built');
  const expected = ['downloaded', 'built', 'downloaded'];
  expect(await contents(await ensureArgoCd({ env: env(), download, build: noGo, buildRedis }))).toEqual(
    expected,
  );
  const again = { env: env(), download: offline, build: noGo, buildRedis: noGo };
  expect(await contents(await ensureArgoCd(again))).toEqual(expected);
});

test('it is built where it cannot be downloaded', async () => {
  const build = put(argocd, 'built');
  const buildRedis = put(['redis'], 'built');
  const found = await ensureArgoCd({ env: env(), download: offline, build, buildRedis });
  expect(await contents(found)).toEqual(['built', 'built', 'built']);
});

test.each([
  ['Argo CD', { download: offline, build: noGo }, 'download: no network; build: no Go toolchain on PATH'],
  ['its Redis', { download: put(argocd, 'x'), buildRedis: noGo }, 'Redis of Argo CD .*: build: no Go'],
])('where %s can be neither, the error has the causes and the way out', async (_, machine, causes) => {
  await expect(ensureArgoCd({ env: env(), ...machine })).rejects.toThrow(
    new RegExp(`${causes}.*; set ARGOCD_ASSETS to a folder`),
  );
});

test('the Go module builds the Argo CD that is downloaded', async () => {
  const module = await readFile(join(import.meta.dirname, 'build/argocd/go.mod'), 'utf8');
  expect(module).toContain(`github.com/argoproj/argo-cd/v3 v${ARGOCD_VERSION} `);
});

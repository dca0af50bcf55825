import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ensureHelm, HELM_VERSION } from './helm.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'helm-test-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(folder: string, content: string) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'helm'), content);
  await chmod(join(folder, 'helm'), 0o755);
  return join(folder, 'helm');
}
const env = (more: NodeJS.ProcessEnv = {}) => ({
  PATH: join(root, 'bin'),
  PROVIDER_KYMA_CACHE: root,
  ...more,
});
const refuse = async () => {
  throw new Error('no network');
};
const putInto = (content: string) => async (folder: string) => void (await put(folder, content));

test('HELM comes first, and must be an executable file', async () => {
  const own = await put(join(root, 'own'), 'x');
  expect(await ensureHelm({ env: env({ HELM: own }) })).toBe(own);
  await expect(ensureHelm({ env: env({ HELM: join(root, 'none') }) })).rejects.toThrow('cannot use HELM');
});

test('a Helm on PATH is used if it has the same major version', async () => {
  const download = putInto('downloaded');
  const installed = await put(join(root, 'bin'), '#!/bin/sh\nprintf v4.0.1');
  expect(await ensureHelm({ env: env(), download })).toBe(installed);
  await put(join(root, 'bin'), '#!/bin/sh\nprintf v3.18.0');
  expect(await readFile(await ensureHelm({ env: env(), download }), 'utf8')).toBe('downloaded');
});

test('it is built where it cannot be downloaded, once', async () => {
  const first = await ensureHelm({ env: env(), download: refuse, build: putInto('built') });
  expect(await readFile(first, 'utf8')).toBe('built');
  expect(await ensureHelm({ env: env(), download: refuse, build: refuse })).toBe(first);
});

test('where it can be neither, the error has both causes and the way out', async () => {
  const build = async () => {
    throw new Error('no Go toolchain on PATH');
  };
  await expect(ensureHelm({ env: env(), download: refuse, build })).rejects.toThrow(
    'cannot provide helm: download: no network; build: no Go toolchain on PATH; set HELM to a binary',
  );
});

test('the Go module builds the version that is downloaded', async () => {
  const module = await readFile(join(import.meta.dirname, 'build/go.mod'), 'utf8');
  expect(module).toContain(`helm.sh/helm/v4 v${HELM_VERSION} `);
});

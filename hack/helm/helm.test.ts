import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ensureHelm, HELM_VERSIONS } from './helm.ts';

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
  expect(await ensureHelm({ major: 3, env: env({ HELM: 'other', HELM3: own }) })).toBe(own);
  await expect(ensureHelm({ env: env({ HELM: join(root, 'none') }) })).rejects.toThrow('cannot use HELM');
});

test('a Helm on PATH is used if it has the same major version', async () => {
  const download = putInto('downloaded');
  const installed = await put(join(root, 'bin'), '#!/bin/sh\nprintf v4.0.1');
  expect(await ensureHelm({ env: env(), download })).toBe(installed);
  await put(join(root, 'bin'), '#!/bin/sh\nprintf v3.18.0');
  expect(await readFile(await ensureHelm({ env: env(), download }), 'utf8')).toBe('downloaded');
  expect(await ensureHelm({ major: 3, env: env(), download: refuse })).toBe(installed);
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

test.each(Object.entries(HELM_VERSIONS))(
  'the Go module builds the Helm %s that is downloaded',
  async (major, version) => {
    const module = await readFile(join(import.meta.dirname, 'build/go.mod'), 'utf8');
    expect(module).toContain(`helm.sh/helm/v${major} v${version} `);
  },
);

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { RUNTIME_OPTIONS } from '../../../hack/xpkg/runtime-image.ts';

const LAUNCHER = join(import.meta.dirname, '../../../bin/provider-kyma');

/** Prints its program and arguments, and a line for each signal. */
const BUNDLE = `
  if (process.argv[2] === 'wait') {
    process.on('SIGTERM', () => process.exit(7));
    setInterval(() => {}, 1000);
  }
  const { execPath: node, execArgv: options, pid } = process;
  console.log(JSON.stringify({ node, options, args: process.argv.slice(2), pid }));
`;

let root: string;
let checkout: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'launcher test ')));
  checkout = join(root, 'check out');
  for (const folder of ['bin', 'dist', 'node_modules/node/bin']) {
    await mkdir(join(checkout, folder), { recursive: true });
  }
  await copyFile(LAUNCHER, join(checkout, 'bin/provider-kyma'));
  await writeFile(join(checkout, 'dist/provider-kyma.mjs'), BUNDLE);
  await symlink(process.execPath, join(checkout, 'node_modules/node/bin/node'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

const environment = (path = process.env.PATH) => ({ PATH: path, HOME: root });

function launch(path: string, args: readonly string[], options: { cwd?: string; path?: string } = {}) {
  return spawnSync(path, args, {
    cwd: options.cwd ?? '/',
    env: environment(options.path),
    encoding: 'utf8',
  });
}

/** A folder with a `node` that calls itself `version`, and what the launcher itself needs. */
async function pathWithNode(version: string): Promise<string> {
  const folder = join(root, 'path');
  await mkdir(folder);
  const script = `#!/bin/sh\n[ "$1" = --version ] && { echo ${version}; exit; }\nexec "${process.execPath}" "$@"\n`;
  await writeFile(join(folder, 'node'), script);
  await chmod(join(folder, 'node'), 0o755);
  return [folder, '/usr/bin', '/bin'].join(delimiter);
}

test('runs the bundle with the pinned Node and the options of the image from any folder, arguments intact', () => {
  const result = launch(join(checkout, 'bin/provider-kyma'), ['start', '--kubeconfig', 'a b', '']);

  expect(result.stderr).toBe('');
  expect(JSON.parse(result.stdout)).toMatchObject({
    node: process.execPath,
    options: RUNTIME_OPTIONS,
    args: ['start', '--kubeconfig', 'a b', ''],
  });
});

test('finds its bundle through a chain of links, absolute and relative ones', async () => {
  await mkdir(join(root, 'usr/bin'), { recursive: true });
  await symlink(join(checkout, 'bin/provider-kyma'), join(root, 'usr/first'));
  await symlink('../first', join(root, 'usr/bin/provider-kyma'));

  expect(launch('provider-kyma', ['x'], { path: `${join(root, 'usr/bin')}:/usr/bin:/bin` })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('"args":["x"]'),
  });
  expect(launch('./bin/provider-kyma', [], { cwd: join(root, 'usr') }).status).toBe(0);
});

test('is replaced by Node, so that signals and exit codes are Node’s', async () => {
  const child: ChildProcess = spawn(join(checkout, 'bin/provider-kyma'), ['wait'], { env: environment() });
  if (child.stdout === null) throw new Error('no standard output');
  const [line]: Buffer[] = await once(child.stdout, 'data');
  expect(JSON.parse(String(line))).toMatchObject({ pid: child.pid });

  child.kill('SIGTERM');

  expect(await once(child, 'exit')).toEqual([7, null]);
});

test('uses a Node of 24 or newer from PATH where the pinned one is not installed', async () => {
  await rm(join(checkout, 'node_modules'), { recursive: true });

  const result = launch(join(checkout, 'bin/provider-kyma'), [], { path: await pathWithNode('v26.1.0') });

  expect(result).toMatchObject({ status: 0, stdout: expect.stringContaining('"args":[]') });
});

test('prints what to do where Node is too old', async () => {
  await rm(join(checkout, 'node_modules'), { recursive: true });

  const result = launch(join(checkout, 'bin/provider-kyma'), [], { path: await pathWithNode('v20.20.2') });

  expect(result.status).toBe(1);
  expect(result.stderr).toMatch(/is v20\.20\.2, 24 or newer is needed; run `make install` in .*check out\n$/);
});

test('prints what to do where nothing is built', async () => {
  await rm(join(checkout, 'dist'), { recursive: true });

  const result = launch(join(checkout, 'bin/provider-kyma'), []);

  expect(result).toMatchObject({ status: 1, stderr: expect.stringContaining('run `make build` in') });
});

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolders } from '../../internal/framework/base/temporary-folder.fixture.ts';
import { findMachine, requireMachine } from './requirements.ts';

const root = temporaryFolders('requirements-test-');

const TOOLS = ['runc', 'iptables', 'ip', 'unshare', 'mount'];
const PLUGINS = ['ptp', 'host-local', 'loopback'];

async function machine(tools: readonly string[], plugins: readonly string[]) {
  for (const [folder, names] of Object.entries({ bin: tools, cni: plugins })) {
    await mkdir(join(root(), folder));
    for (const name of names) {
      await writeFile(join(root(), folder, name), '');
      await chmod(join(root(), folder, name), 0o755);
    }
  }
  return {
    env: { PATH: join(root(), 'bin') },
    systemFolders: [],
    pluginFolders: [join(root(), 'none'), join(root(), 'cni')],
    platform: 'linux',
    uid: 0,
  } as const;
}

test('a machine with all parts can run a node', async () => {
  expect(await findMachine(await machine(TOOLS, PLUGINS))).toEqual({
    runc: join(root(), 'bin/runc'),
    cniPlugins: join(root(), 'cni'),
  });
});

test('CNI_PLUGINS names another folder of plugins', async () => {
  const options = await machine(TOOLS, PLUGINS);
  const env = { ...options.env, CNI_PLUGINS: join(root(), 'cni') };
  expect(await findMachine({ ...options, env, pluginFolders: [] })).toMatchObject({
    cniPlugins: join(root(), 'cni'),
  });
});

test.each([
  ['runc', TOOLS.filter((tool) => tool !== 'runc'), PLUGINS, 'apt-get install runc'],
  ['one plugin', TOOLS, ['ptp', 'loopback'], 'apt-get install containernetworking-plugins'],
  ['most', ['ip', 'unshare', 'mount'], [], 'apt-get install runc iptables containernetworking-plugins'],
])('a machine without %s says which packages to install', async (_, tools, plugins, sentence) => {
  await expect(requireMachine(await machine(tools, plugins))).rejects.toThrow(
    `cannot start a node: a node needs what this machine lacks: ${sentence}`,
  );
});

test.each([
  ['another system', { platform: 'darwin' }, 'a node needs Linux, and this is darwin'],
  ['another user', { uid: 1000 }, 'a node needs root, for its namespaces and mounts'],
] as const)('%s is said', async (_, more, missing) => {
  expect(await findMachine({ ...(await machine(TOOLS, PLUGINS)), ...more })).toEqual({ missing });
});

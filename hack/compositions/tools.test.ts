import { chmod, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolders } from '../../internal/framework/base/temporary-folder.fixture.ts';
import { toolsInFolder } from './tools.ts';

const folder = temporaryFolders('tools-test-');

async function program(name: string, script: string): Promise<void> {
  await writeFile(join(folder(), name), script);
  await chmod(join(folder(), name), 0o755);
}

/** A minimal function: it listens on the given address. */
const listener = `#!${process.execPath}
const address = process.argv.find((each) => each.startsWith('--address=')).split('=')[1];
require('node:net').createServer().listen(address.split(':')[1], '127.0.0.1');
`;
const manifest = (name: string) => ({
  apiVersion: 'pkg.crossplane.io/v1',
  kind: 'Function',
  metadata: { name },
  spec: { package: `registry.example.org/org/${name}:v1` },
});

const answers = (target: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(Number(target.split(':')[1]), '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

describe('programs in a folder', () => {
  test('run as functions, and the CLI receives the address of each', async () => {
    for (const name of ['crossplane', 'crossplane-core']) await program(name, '#!/bin/sh\n');
    for (const name of ['function-a', 'function-b']) await program(name, listener);

    const tools = await toolsInFolder(folder());
    const { manifests, stop } = await tools.start([manifest('function-a'), manifest('function-b')]);

    const targets = manifests.map(({ metadata }) => {
      expect(metadata.annotations).toMatchObject({ 'render.crossplane.io/runtime': 'Development' });
      return metadata.annotations?.['render.crossplane.io/runtime-development-target'] ?? '';
    });
    expect(new Set(targets).size).toBe(2);
    expect(await Promise.all(targets.map(answers))).toEqual([true, true]);
    await stop();
    expect(await Promise.all(targets.map(answers))).toEqual([false, false]);
  });

  test('render with the core beside them', async () => {
    await program('crossplane', `#!/bin/sh\necho "$@" | tee ${folder()}/asked\n`);
    await program('crossplane-core', '#!/bin/sh\n');
    const tools = await toolsInFolder(folder());

    const output = await tools.render(['xr.yaml']);

    expect(output).toBe(`composition render xr.yaml --crossplane-binary=${folder()}/crossplane-core\n`);
    expect(await readFile(join(folder(), 'asked'), 'utf8')).toBe(output);
  });

  test('that cannot render give the reason', async () => {
    await program('crossplane', '#!/bin/sh\necho "no such function" >&2\nexit 3\n');
    await program('crossplane-core', '#!/bin/sh\n');
    const tools = await toolsInFolder(folder());

    await expect(tools.render([])).rejects.toThrow(
      /^cannot render: .*crossplane ended with 3: no such function$/,
    );
  });

  test('that are missing are reported before anything starts', async () => {
    await program('crossplane', '#!/bin/sh\n');
    await expect(toolsInFolder(folder())).rejects.toThrow('crossplane-core');
  });
});

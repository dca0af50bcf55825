import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@jest/globals';
import { accessControlPlane } from '../../../hack/control-planes/access/access.ts';
import { ensureBinaries } from '../../../hack/control-planes/binaries/binaries.ts';
import { eventually } from '../../environment/eventually.ts';

const MAIN = join(import.meta.dirname, '../../../hack/control-planes/run.ts');

test('make cluster prints how to reach a control plane, and leaves nothing when it is interrupted', async () => {
  await ensureBinaries({ report: () => undefined });
  const child = spawn(process.execPath, [MAIN], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const [, kubeconfig = ''] = /^export KUBECONFIG=(\S+)$/.exec(line) ?? [];
    const directory = dirname(kubeconfig);
    const { request } = await accessControlPlane({ name: 'management', server: '', directory });
    expect(await request('/readyz')).toMatchObject({ status: 200 });

    const ended = once(child, 'close');
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    await eventually(() => expect(access(directory)).rejects.toThrow('ENOENT'));
  } finally {
    child.kill('SIGKILL');
  }
});

import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const testdata = join(import.meta.dirname, 'testdata/wrapped');

test('mistakes are one line each', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kit-command-'));
  try {
    await copyFile(join(testdata, 'openapi.yaml'), join(folder, 'openapi.yaml'));
    const lines = [
      'name: oncall',
      'group: oncall.example.org',
      'openapi: openapi.yaml',
      'kinds:',
      '  Policy:',
      '    create: { operation: createPolicy, request: policy, result: policy }',
      '    read: { operation: getPolcy, result: policy }',
      '    delete: deletePolcy',
    ];
    await writeFile(join(folder, 'provider.yaml'), lines.join('\n'));

    const command = join(import.meta.dirname, 'command.ts');
    const { status, stderr } = spawnSync(process.execPath, [command, 'generate'], {
      cwd: folder,
      encoding: 'utf8',
    });

    expect([status, stderr]).toEqual([
      1,
      'provider.yaml:7:5: unknown operation getPolcy; did you mean getPolicy?\n' +
        'provider.yaml:8:5: unknown operation deletePolcy; did you mean deletePolicy?\n',
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { requireNode } from './kit-command.ts';

const testdata = join(import.meta.dirname, 'testdata/wrapped');

const inFolder = (folder: string, ...args: readonly string[]) => {
  const command = join(import.meta.dirname, 'command.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

test('an older version of Node than package.json has is refused by name', async () => {
  const text = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8');
  const { engines } = JSON.parse(text) as { engines: { node: string } };
  const least = Number(engines.node.replace('>=', ''));
  expect(() => requireNode(`${least}.0.0`)).not.toThrow();
  expect(() => requireNode(`${least - 1}.9.0`)).toThrow(`needs Node.js ${least} or newer`);
});

test('a project in the current folder, in a file, in a folder that is none, and without a manifest', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kit-command-'));
  const init = ['init', 'a', '--group', 'a.example.org', '--openapi', 'openapi.json', '--folder'];
  try {
    const document = { openapi: '3.0.3', info: { title: 'a\u001b[31m\nb' }, paths: {} };
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
    const refused = `cannot write into ${join(folder, 'openapi.json')}: it is no folder\n`;
    expect(inFolder(folder, ...init, 'openapi.json')).toEqual({ status: 1, stdout: '', stderr: refused });
    const below = inFolder(folder, ...init, 'openapi.json/x');
    expect(below).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(/^ENOTDIR: .*\n$/) });

    const here = join(folder, 'here');
    await mkdir(here);
    const { status, stdout } = inFolder(here, ...init.with(-2, '../openapi.json'), '.');
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^a b: 0 op.*\n\nwrote \.\. Next:\n {2}uncomment .*\n {2}npm install\n/s),
    ]);
    expect(inFolder(here, 'generate').stderr).toMatch(/^provider\.yaml:\d+:\d+: there is no kind\n$/);
    await rm(join(here, 'package.json'));
    expect(inFolder(here, 'upgrade')).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^ENOENT: .*package\.json'\n$/),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

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

    await writeFile(join(folder, 'kinds.gen.test.ts'), '');
    expect(inFolder(folder, 'test', '--kind', 'Polcy')).toEqual({
      ...{ status: 1, stdout: '', stderr: '--kind: unknown kind Polcy; did you mean Policy?\n' },
    });
    const init = ['init', 'x', '--group', 'x.example.org', '--openapi', 'openapi.yaml', '--kind', 'Servce'];
    expect(inFolder(folder, ...init, '--kind', 'Unrelated').stderr).toBe(
      'cannot make\n' +
        '  Servce: the document has no such candidate; did you mean Service?\n' +
        '  Unrelated: the document has no such candidate\n' +
        '--list prints all candidates\n',
    );
    const { status, stderr } = inFolder(folder, 'generate');
    expect([status, stderr]).toEqual([
      1,
      'provider.yaml:7:5: unknown operation getPolcy; did you mean getPolicy?\n' +
        'provider.yaml:8:5: unknown operation deletePolcy; did you mean deletePolicy?\n',
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('monitoring of a provider that is written by hand: the files name the command, which checks them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kit-monitoring-'));
  const args = ['monitoring', '--program', 'provider-hello', '--system', 'greeter', '--api', 'The greeter'];
  try {
    expect(inFolder(folder, 'monitoring').stderr).toContain('--program is missing');
    expect(inFolder(folder, 'monitoring', '--program', 'Hello {x}').stderr).toContain('is not lower-case');
    expect(inFolder(folder, ...args)).toMatchObject({ status: 0, stderr: '' });
    const page = await readFile(join(folder, 'docs/alerts.md'), 'utf8');
    expect(page).toContain(
      "run `npx provider-kyma-kit monitoring --program provider-hello --system greeter --api 'The greeter'`",
    );
    expect(page).toContain('`ProviderHelloApiErrors` | warning');
    expect(inFolder(folder, ...args, '--check').status).toBe(0);
    expect(inFolder(folder, 'monitoring', '--program', 'provider-other', '--check').stderr).toContain(
      'package/monitoring/grafana-dashboard.json (differs)',
    );
    await writeFile(join(folder, 'provider.yaml'), '');
    expect(inFolder(folder, ...args).stderr).toContain('generate makes it of provider.yaml');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

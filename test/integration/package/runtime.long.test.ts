import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { readDockerArchive, writeDockerArchive } from '../../../hack/xpkg/images/docker-archive.ts';
import type { ContainerImage } from '../../../hack/xpkg/images/image.ts';
import { eventually } from '../../environment/eventually.ts';
import {
  type Container,
  type Containers,
  noContainersBecause,
  unpack,
} from '../harness/provider/container.ts';
import { nodeBaseImage } from '../harness/provider/node-base-image.ts';
import { startTestEnvironment, type TestEnvironment } from '../harness/test-environment.ts';
import { POD_USER, type Pod, preparePod } from './pod.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** An image of 100 MB is built and unpacked, possibly on a busy machine. */
jest.setTimeout(300_000);

const reason = noContainersBecause();

if (reason !== undefined) {
  test.todo(`containers cannot be run here: ${reason}`);
} else {
  describe('the package’s own image, as the Deployment of Crossplane runs it', () => {
    let folder: string;
    let image: ContainerImage;
    let containers: Containers;
    let environment: TestEnvironment;
    let pod: Pod;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'runtime-'));
      const base = join(folder, 'base.tar');
      await writeFile(base, await writeDockerArchive(await nodeBaseImage()));
      const args = ['hack/xpkg/main.ts', '--base-image', base, '--output', folder];
      execFileSync(process.execPath, args, { cwd: ROOT });
      const [built] = await readDockerArchive(await readFile(join(folder, 'provider-kyma.xpkg')));
      if (built === undefined) throw new Error('the package has no image');
      image = built;
      containers = await unpack(image);
      environment = await startTestEnvironment();
      await environment.provider.stop();
      pod = await preparePod(environment, folder);
    });
    afterAll(async () => {
      await containers?.stop();
      await environment?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const start = (
      name: string,
      more: { command?: readonly string[]; args?: readonly string[] } = {},
    ): Promise<Container> =>
      containers.run({ name, user: POD_USER, env: pod.env, mounts: pod.mounts, ...more });

    test('has user 2000, no home, and a root file system that cannot be written', async () => {
      const code = `
        const { writeFileSync, existsSync } = require('node:fs');
        const write = (folder) => { try { writeFileSync(folder + '/x', ''); return 'written'; } catch (e) { return e.code; } };
        console.log(JSON.stringify({
          uid: process.getuid(), gid: process.getgid(), groups: process.getgroups(), home: process.env.HOME ?? null,
          root: write(''), tmp: write('/tmp'), shell: existsSync('/bin/sh'),
        }));`;
      const container = await start('look', { command: ['/nodejs/bin/node', '-e', code] });

      expect(await container.gone).toBe('it ended with 0');
      expect(JSON.parse(container.output())).toEqual({
        uid: 2000,
        gid: 2000,
        groups: [2000],
        home: null,
        root: 'EROFS',
        tmp: 'EROFS',
        shell: false,
      });
      expect(image.config.config?.User).toBe(POD_USER);
    });

    test('makes a mapping Ready with no arguments and Crossplane’s permissions, and exits cleanly', async () => {
      const container = await start('provider');
      const scenario = await environment.scenario();
      await scenario.createReady();

      expect(scenario.mappings()).toHaveLength(1);
      const { body } = await environment.planes.management.request(
        `/apis/coordination.k8s.io/v1/namespaces/${pod.namespace}/leases`,
      );
      expect((body as { items: { metadata: { name: string } }[] }).items).toEqual([
        expect.objectContaining({
          metadata: expect.objectContaining({
            name: expect.stringMatching(/^crossplane-leader-election-provider-kyma/),
          }),
        }),
      ]);
      container.signal('SIGTERM');
      expect(await container.gone).toBe('it ended with 0');
      expect(container.output()).not.toMatch(/EROFS|EACCES|ENOENT/);
    });

    test.each([
      { command: ['provider-kyma', 'doctor', '--help'], shows: /Usage: provider-kyma doctor/, code: 0 },
      {
        command: ['/manager', '--gardener-project-name=kyma', '--leader-elect=false'],
        shows: /cannot read \/converter-config\/converter_config.json/,
        code: 2,
      },
    ])('has the command $command.0, without a shell', async ({ command, shows, code }) => {
      const container = await start('command', { command });
      expect(await container.gone).toBe(`it ended with ${code}`);
      expect(container.output()).toMatch(shows);
    });

    test('takes the arguments of a DeploymentRuntimeConfig as flags', async () => {
      const container = await start('flags', { args: ['--poll=soon'] });

      expect(await container.gone).toBe('it ended with 2');
      await eventually(() => expect(container.output()).toMatch(/--poll.*soon/));
    });
  });
}

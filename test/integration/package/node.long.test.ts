/** The runtime image on a real node: a container engine starts it as its pod would be started. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { writeDockerArchive } from '../../../hack/xpkg/images/docker-archive.ts';
import { eventually } from '../../environment/eventually.ts';
import { type BareEnvironment, startBareEnvironment } from '../harness/bare-environment.ts';
import { createFleet } from '../harness/mappings/fleet.ts';
import type { ContainerOptions } from '../harness/provider/container.ts';
import {
  type ContainerEngine,
  containerEngine,
  type EngineContainer,
  findContainerEngine,
} from '../harness/provider/container-engine.ts';
import { nodeBaseImage } from '../harness/provider/node-base-image.ts';
import { POD_USER, type Pod, preparePod } from './pod.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Images of 100 MB are built and loaded, possibly on a busy machine. */
jest.setTimeout(300_000);
/** Below the limit of examples/provider/runtime-config.yaml. */
const MEMORY = 128 * 2 ** 20;

/** Not beside other tests: on a slow machine, fifty mappings in a container of 128 MiB take longer than the limit of a test. */
const found =
  process.env.CONTAINER_TESTS === '1'
    ? findContainerEngine()
    : { missing: '`npm run test:containers` does it' };

if ('missing' in found) {
  test.todo(`the runtime image is not run on a node: ${found.missing}`);
} else {
  describe(`with ${found[0]}`, () => {
    let folder: string;
    let engine: ContainerEngine;
    let images: Readonly<Record<Origin, string>>;
    let environment: BareEnvironment;
    let pod: Pod;
    type Origin = 'package/Dockerfile' | 'the package';
    const origins: readonly Origin[] = ['package/Dockerfile', 'the package'];

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'node-'));
      engine = containerEngine(found);
      environment = await startBareEnvironment();
      pod = await preparePod(environment, folder);
      const base = join(folder, 'base.tar');
      await writeFile(base, await writeDockerArchive(await nodeBaseImage()));
      execFileSync(process.execPath, ['hack/xpkg/main.ts', '--base-image', base, '--output', folder], {
        cwd: ROOT,
      });
      images = {
        'package/Dockerfile': await engine.build({
          dockerfile: join(ROOT, 'package/Dockerfile'),
          context: ROOT,
          args: { NODE_IMAGE: await engine.load(base) },
        }),
        'the package': await engine.load(join(folder, 'provider-kyma.xpkg')),
      };
    });
    afterAll(async () => {
      await engine?.clean();
      await environment?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const start = (origin: Origin, more: Partial<Pick<ContainerOptions, 'command' | 'args' | 'env'>> = {}) =>
      engine.start(images[origin], {
        name: 'provider',
        user: POD_USER,
        env: pod.env,
        mounts: pod.mounts,
        memoryBytes: MEMORY,
        ...more,
      });

    /** Asks from outside of the container. */
    async function get(container: EngineContainer, page: '/metrics' | '/healthz' | '/readyz') {
      const address = await eventually(async () => {
        const output = await container.output();
        const lines = output.split('\n').filter((line) => line.includes('"serving"'));
        const line = lines.map((text) => JSON.parse(text)).find(({ pages }) => pages.includes(page));
        if (line === undefined) throw new Error(`it does not serve ${page}:\n${output}`);
        return line.address;
      });
      const response = await fetch(`http://${address}${page}`);
      return { status: response.status, body: await response.text() };
    }

    test('doctor in the container has its certificates, and the flags of its arguments', async () => {
      const { ALLOW_PRIVATE_ENDPOINTS: _, ...env } = pod.env;
      const container = await start('the package', { env, args: ['--allow-private-endpoints'] });
      const scenario = await environment.scenario();
      await scenario.createReady();
      expect(await container.exec('provider-kyma', 'doctor', scenario.name)).toMatch(/every check succeeds/);
      await container.signal('SIGTERM');
      expect(await container.exit()).toEqual({ code: 0, killedForMemory: false });
    });

    test('both images are configured alike', async () => {
      const [built, embedded] = await Promise.all(origins.map((origin) => engine.configOf(images[origin])));
      for (const field of ['User', 'WorkingDir', 'Env', 'Entrypoint', 'Cmd', 'ExposedPorts'])
        expect({ field, value: built?.[field] ?? null }).toEqual({ field, value: embedded?.[field] ?? null });
    });

    test.each(origins)('the image of %s has no rights, no shell and no place to write', async (origin) => {
      const code = `
        const { readFileSync, writeFileSync, existsSync } = require('node:fs');
        const write = (folder) => { try { writeFileSync(folder + '/x', ''); return 'written'; } catch (e) { return e.code; } };
        const status = readFileSync('/proc/self/status', 'utf8');
        const field = (name) => status.match(new RegExp('^' + name + ':\\\\s*(.*)$', 'm'))[1];
        console.log(JSON.stringify({
          uid: process.getuid(), gid: process.getgid(), capabilities: [field('CapEff'), field('CapBnd')].map((hex) => parseInt(hex, 16)),
          noNewPrivileges: field('NoNewPrivs'), root: write(''), bundle: write('/provider-kyma'),
          account: write('/var/run/secrets/kubernetes.io/serviceaccount'), shell: existsSync('/bin/sh'),
          memory: process.constrainedMemory(),
        }));`;
      const container = await start(origin, { command: ['/nodejs/bin/node', '-e', code] });

      expect(await container.exit()).toEqual({ code: 0, killedForMemory: false });
      expect(JSON.parse(await container.output())).toEqual({
        uid: 2000,
        gid: 2000,
        capabilities: [0, 0],
        noNewPrivileges: '1',
        root: 'EROFS',
        bundle: 'EROFS',
        account: 'EROFS',
        shell: false,
        memory: MEMORY,
      });
    });

    test.each(origins)(
      'the image of %s reconciles fifty mappings within its memory, answers probes, and ends by SIGTERM with 0',
      async (origin) => {
        const container = await start(origin);
        // The body names the check that fails.
        const ready = { status: 200, body: expect.anything() };
        await eventually(async () => expect(await get(container, '/readyz')).toEqual(ready));
        const fleet = await createFleet(environment, 50);
        await fleet.applyClusterIDs();
        await fleet.create();
        await fleet.untilReady(120_000);

        expect(fleet.mappings()).toEqual(fleet.wanted());
        expect((await get(container, '/healthz')).status).toBe(200);
        const metrics = (await get(container, '/metrics')).body;
        expect(metrics).toMatch(
          /^crossplane_managed_resource_first_time_to_readiness_seconds_count\{.*\} 50$/m,
        );
        expect(metrics).toMatch(/^process_resident_memory_bytes \d+$/m);

        await fleet.delete();
        await fleet.untilGone(120_000);
        await container.signal('SIGTERM');
        expect(await container.exit()).toEqual({ code: 0, killedForMemory: false });
        expect(await container.output()).not.toMatch(/EROFS|EACCES|ENOENT|"level":"error"/);
      },
    );

    test('a pod whose flags are wrong ends with 2 and says which', async () => {
      const container = await start('package/Dockerfile', { args: ['--poll=soon'] });

      expect(await container.exit()).toEqual({ code: 2, killedForMemory: false });
      expect(await container.output()).toMatch(/--poll.*soon/);
    });
  });
}

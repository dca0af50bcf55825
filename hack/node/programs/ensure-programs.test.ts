import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ensurePrograms, missingPrograms } from './ensure-programs.ts';
import { GROUPS, PROGRAMS, type Program, type ProgramGroup } from './groups.ts';

let root: string;
let reports: string[];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'programs-test-'));
  reports = [];
});
afterEach(() => rm(root, { recursive: true, force: true }));

const env = (more: NodeJS.ProcessEnv = {}) => ({ PROVIDER_KYMA_CACHE: join(root, 'cache'), ...more });

async function put(directory: string, programs: readonly Program[], content: string) {
  await mkdir(directory, { recursive: true });
  for (const program of programs) {
    await writeFile(join(directory, program), content);
    await chmod(join(directory, program), 0o755);
  }
}

/** A machine that downloads `online`, and builds all but `broken`. */
const machine = (online: readonly Program[], broken: readonly string[] = []) => ({
  report: (line: string) => reports.push(line),
  download: async (_: ProgramGroup, program: Program, directory: string) => {
    if (!online.includes(program)) throw new Error('no network');
    await put(directory, [program], 'downloaded');
  },
  build: async ({ name, programs }: ProgramGroup, directory: string) => {
    if (broken.includes(name)) throw new Error('no Go toolchain on PATH');
    await put(directory, programs, 'built');
  },
});

const contentOf = async (paths: Readonly<Record<Program, string>>) =>
  Object.fromEntries(
    await Promise.all(PROGRAMS.map(async (program) => [program, await readFile(paths[program], 'utf8')])),
  );

describe('each group of programs comes from the first place that has all of it', () => {
  test('NODE_ASSETS, the download, then the build', async () => {
    const assets = join(root, 'assets');
    await put(assets, ['coredns', 'containerd'], 'own');
    const online: Program[] = ['kubelet', 'kube-scheduler', 'kube-proxy', 'kubectl', 'containerd'];

    const found = await ensurePrograms({ env: env({ NODE_ASSETS: assets }), ...machine(online) });

    expect(await contentOf(found)).toEqual({
      kubelet: 'downloaded',
      'kube-scheduler': 'downloaded',
      'kube-proxy': 'downloaded',
      kubectl: 'downloaded',
      // Not one without its shim, from another place.
      containerd: 'built',
      'containerd-shim-runc-v2': 'built',
      coredns: 'own',
      pause: 'built',
    });
  });

  test('the cache before all work, without a message', async () => {
    await ensurePrograms({ env: env(), ...machine([]) });
    reports = [];
    await ensurePrograms({
      env: env(),
      ...machine(
        [],
        GROUPS.map(({ name }) => name),
      ),
    });
    expect(reports).toEqual([]);
  });
});

test('where a group can be had in no way, the error has both causes and the way out', async () => {
  await expect(ensurePrograms({ env: env(), ...machine([], ['coredns']) })).rejects.toThrow(
    /^cannot provide coredns [\d.]+: download: no network; build: no Go toolchain on PATH; set NODE_ASSETS/,
  );
});

test('what would need a download or a build is missing', async () => {
  expect(await missingPrograms(env())).toEqual(PROGRAMS);
  await ensurePrograms({ env: env(), ...machine([]) });
  expect(await missingPrograms(env())).toEqual([]);
});

test('every program is in one group, with a main package', () => {
  expect(GROUPS.flatMap(({ programs }) => programs)).toEqual(PROGRAMS);
  for (const { programs, packages } of GROUPS) expect(packages).toHaveLength(programs.length);
});

test.each(GROUPS.filter(({ release }) => release !== undefined))(
  'the Go module of $name builds the version that is downloaded',
  async ({ module, version }) => {
    expect(await readFile(join(module, 'go.mod'), 'utf8')).toMatch(
      new RegExp(`^\\t?(require )?\\S+ v${version}( //.*)?$`, 'm'),
    );
  },
);

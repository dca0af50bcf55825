import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { temporaryFolders } from '../../../internal/framework/base/temporary-folder.fixture.ts';
import { ARGOCD, ARGOCD_VERSION } from '../../argocd/argocd.ts';
import { CROSSPLANE, CROSSPLANE_VERSION } from '../../crossplane/crossplane.ts';
import { functionProgram } from '../../crossplane/functions.ts';
import { PROVIDER_KUBERNETES, PROVIDER_KUBERNETES_VERSION } from '../../crossplane/provider-kubernetes.ts';
import { HELM_VERSIONS, helm } from '../../helm/helm.ts';
import { nodePrograms } from '../../node/programs/ensure-programs.ts';
import { GROUPS, PROGRAMS } from '../../node/programs/groups.ts';
import { GARDENER_VERSION, gardener, NEWER_GARDENER_VERSION } from '../gardener/binary.ts';
import { SERVERS_PROGRAM } from './binaries.ts';
import { cacheRoot, ensureProgram, findProgram, type Program } from './ensure-program.ts';
import { ETCD_VERSION, KUBERNETES_VERSION, SERVERS } from './versions.ts';

const root = temporaryFolders('programs-test-');
let reports: string[];
beforeEach(async () => {
  reports = [];
});

async function put(folder: string, files: readonly string[], content = 'x'): Promise<void> {
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), content);
    await chmod(join(folder, file), 0o755);
  }
}
const contentOf = (folder: string) => readFile(join(folder, 'tool'), 'utf8');

describe('a program', () => {
  const refuse = (why: string) => async () => {
    throw new Error(why);
  };
  const from = (content: string) => (folder: string) => put(folder, ['tool'], content);
  /** A folder with a file `tool`, which can be had in no way. */
  const program = (more: Partial<Program<string>> = {}): Program<string> => ({
    ...{ title: 'tool 1.0', variable: 'TOOL', own: 'a folder with tool', cache: ['tools', 'tool-1.0'] },
    inFolder: async (folder) =>
      (await readdir(folder).catch((): string[] => [])).includes('tool') ? folder : undefined,
    download: refuse('no network'),
    build: refuse('no Go toolchain on PATH'),
    ...more,
  });
  const ensure = (more: Partial<Program<string>>, env: NodeJS.ProcessEnv = {}) =>
    ensureProgram(program(more), {
      env: { PROVIDER_KYMA_CACHE: join(root(), 'cache'), ...env },
      report: (line) => reports.push(line),
    });

  test('is first that of the variable, which may be relative to where the run began', async () => {
    await put(join(root(), 'own'), ['tool'], 'own');
    const found = await ensure(
      { download: from('x') },
      { TOOL: relative(process.cwd(), join(root(), 'own')) },
    );
    expect([found, reports]).toEqual([join(root(), 'own'), []]);
  });

  test('that the variable does not have is an error, or is looked for elsewhere, with a message', async () => {
    const env = { TOOL: join(root(), 'own') };
    const why = `TOOL: ${join(root(), 'own')} is not a folder with tool`;
    await expect(ensure({ download: from('x') }, env)).rejects.toThrow(`cannot use ${why}`);
    const found = await ensure({ isOwnOptional: true, download: from('downloaded') }, env);
    expect(await contentOf(found)).toBe('downloaded');
    expect(reports[0]).toBe(
      `TOOL is not used for tool 1.0: ${join(root(), 'own')} is not a folder with tool`,
    );
  });

  test('that is installed is used before the cache', async () => {
    await ensure({ download: from('downloaded') });
    expect(await ensure({ installed: async () => 'installed' })).toBe('installed');
  });

  test('is downloaded rather than built, once, and then found without a message', async () => {
    expect(await findProgram(program(), { PROVIDER_KYMA_CACHE: join(root(), 'cache') })).toBeUndefined();
    let downloads = 0;
    const download = (folder: string) => from(`download ${++downloads}`)(folder);
    const both = await Promise.all([ensure({ download, build: from('built') }), ensure({ download })]);
    expect(await contentOf(both[0])).toBe('download 1');
    expect([both[1], downloads]).toEqual([both[0], 1]);
    reports = [];
    expect(await ensure({})).toBe(both[0]);
    expect(reports).toEqual([]);
  });

  test.each([
    ['cannot be downloaded', refuse('no network')],
    ['is not complete after the download', (folder: string) => put(folder, ['other'])],
  ])('that %s is built', async (_, download) => {
    expect(await contentOf(await ensure({ download, build: from('built') }))).toBe('built');
    expect(reports).toContain('building tool 1.0 from Go modules; a first build takes some minutes');
  });

  test('that has no download is built', async () => {
    const { download: _, ...offline } = program({ build: from('built') });
    expect(await contentOf(await ensureProgram(offline, { env: { PROVIDER_KYMA_CACHE: root() } }))).toBe(
      'built',
    );
  });

  test('that can be had in no way has causes and the way out in the error, and leaves no files', async () => {
    await expect(ensure({})).rejects.toThrow(
      'cannot provide tool 1.0: download: no network; build: no Go toolchain on PATH; set TOOL to a folder with tool',
    );
    await expect(ensure({ build: async () => undefined })).rejects.toThrow('no file came of it');
    expect(await readdir(join(root(), 'cache/tools'))).toEqual([]);
  });

  test('is repaired where a file is missing in the cache', async () => {
    await put(join(root(), 'cache/tools/tool-1.0'), ['other']);
    expect(await contentOf(await ensure({ build: from('built') }))).toBe('built');
  });
});

test.each<[NodeJS.ProcessEnv, unknown, string]>([
  [{ PROVIDER_KYMA_CACHE: '/a', XDG_CACHE_HOME: '/b' }, '/a', 'its own variable'],
  [{ XDG_CACHE_HOME: '/b' }, '/b/provider-kyma', 'the standard variable'],
  [{ PROVIDER_KYMA_CACHE: '' }, expect.stringMatching(/\/\.cache\/provider-kyma$/), 'the user’s home'],
])('the cache with %j lies in %s: %s', (variables, expected) => {
  expect(cacheRoot(variables)).toEqual(expected);
});

const AUTO_READY = functionProgram('xpkg.example.org/team/function-auto-ready:v0.7.0');

/** Each program with its files, the Go module that it is built from, and its version as the module pins it. */
const table: readonly {
  readonly program: Program<unknown>;
  readonly files: readonly string[];
  readonly module: string;
  readonly pins: readonly string[];
  /** What the variable names in the folder of the files; default the folder. */
  readonly given?: string;
}[] = [
  {
    program: SERVERS_PROGRAM,
    files: SERVERS,
    module: 'control-planes/binaries/build',
    pins: [`k8s.io/kubernetes v${KUBERNETES_VERSION}`, `go.etcd.io/etcd/server/v3 v${ETCD_VERSION}`],
  },
  ...([GARDENER_VERSION, NEWER_GARDENER_VERSION] as const).map((version) => ({
    ...{ program: gardener(version), files: ['gardener-apiserver'], given: 'gardener-apiserver' },
    module: `control-planes/gardener/build${version === GARDENER_VERSION ? '' : '-newer'}`,
    pins: [`github.com/gardener/gardener v${version}`],
  })),
  ...([3, 4] as const).map((major) => ({
    ...{ program: helm(major), files: ['helm'], given: 'helm', module: 'helm/build' },
    pins: [`helm.sh/helm/v${major} v${HELM_VERSIONS[major]}`],
  })),
  {
    program: ARGOCD,
    files: ['argocd', 'redis', 'core-install.yaml'],
    module: 'argocd/build/argocd',
    pins: [`github.com/argoproj/argo-cd/v3 v${ARGOCD_VERSION}`],
  },
  {
    program: CROSSPLANE,
    files: ['image/index.json', 'chart/Chart.yaml'],
    module: 'crossplane/build/core',
    pins: [`github.com/crossplane/crossplane/v2 v${CROSSPLANE_VERSION}`],
  },
  {
    program: PROVIDER_KUBERNETES,
    files: ['program', 'crds/objects.yaml'],
    module: 'crossplane/build/provider-kubernetes',
    pins: [`provider-kubernetes v${PROVIDER_KUBERNETES_VERSION}`],
  },
  {
    program: AUTO_READY,
    files: ['function-auto-ready/index.json'],
    module: 'crossplane/build/function-auto-ready',
    pins: ['v0.7.0'],
  },
  ...GROUPS.map((group) => ({
    program: nodePrograms(group),
    files: group.programs,
    module: relative(join(import.meta.dirname, '../..'), group.module),
    pins: group.release === undefined ? [] : [`v${group.version}`],
  })),
];

test.each(table)(
  '$program.title: the variable names all of its files, and the Go module pins its version',
  async (row) => {
    const { program, files, module, pins, given = '' } = row;
    const [last = '', ...others] = files.toReversed();
    const find = () =>
      findProgram(program, { PROVIDER_KYMA_CACHE: root(), [program.variable]: join(root(), 'own', given) });
    await put(join(root(), 'own'), others);
    if (program.isOwnOptional) expect(await find()).toBeUndefined();
    else await expect(find()).rejects.toThrow(`cannot use ${program.variable}`);
    await put(join(root(), 'own'), [last]);
    expect(await find()).toBeDefined();
    const pinned = await readFile(join(import.meta.dirname, '../..', module, 'go.mod'), 'utf8');
    for (const pin of pins) expect(`${pinned.replaceAll('\n', ' ')} `).toContain(`${pin} `);
  },
);

test('the functions and the provider that examples install are those that are built', async () => {
  const read = (name: string) =>
    readFile(join(import.meta.dirname, '../../../examples/composition', name), 'utf8');
  expect(await read('functions.yaml')).toContain('function-auto-ready:v0.7.0\n');
  expect(await read('kyma-runtime/provider-kubernetes.yaml')).toContain(
    `provider-kubernetes:v${PROVIDER_KUBERNETES_VERSION}\n`,
  );
});

test('every part of Kubernetes is pinned at the matching version', async () => {
  const goMod = await readFile(join(import.meta.dirname, 'build/go.mod'), 'utf8');
  const replaced = [...goMod.matchAll(/^\s+(k8s\.io\/\S+) => (\S+) (\S+)$/gm)];
  expect(replaced.length).toBeGreaterThan(30);
  for (const [, module, target, version] of replaced) {
    expect(target).toBe(module);
    expect(version).toBe(`v${KUBERNETES_VERSION.replace(/^1\./, '0.')}`);
  }
});

test('a Helm on PATH is used if it has the same major version', async () => {
  await put(join(root(), 'bin'), ['helm'], '#!/bin/sh\nprintf v3.18.0');
  const env = { PATH: join(root(), 'bin'), PROVIDER_KYMA_CACHE: root() };
  expect(await findProgram(helm(4), env)).toBeUndefined();
  expect(await findProgram(helm(3), env)).toBe(join(root(), 'bin/helm'));
});

test('every program of a node is in one group, with a main package', () => {
  expect(GROUPS.flatMap(({ programs }) => programs)).toEqual(PROGRAMS);
  for (const { programs, packages } of GROUPS) expect(packages).toHaveLength(programs.length);
});

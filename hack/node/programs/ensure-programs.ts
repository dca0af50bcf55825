import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '../../../internal/framework/base/time/clock.ts';
import { cacheRoot } from '../../control-planes/binaries/binaries.ts';
import { downloadRelease } from '../../control-planes/binaries/download.ts';
import { downloadOrBuild } from '../../control-planes/binaries/download-or-build.ts';
import { fillFolder, isExecutable } from '../../control-planes/binaries/fill-folder.ts';
import { buildProgram } from '../../control-planes/binaries/go-build.ts';
import { GROUPS, type Program, type ProgramGroup } from './groups.ts';

/** Absolute path of each program. */
export type Programs = Readonly<Record<Program, string>>;

export interface EnsureProgramsOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Called with progress of long work; never called when the programs exist. */
  readonly report?: (line: string) => void;
  readonly clock?: Clock;
  /** Replaces the network in tests. */
  readonly download?: (group: ProgramGroup, program: Program, directory: string) => Promise<void>;
  /** Replaces Go in tests. */
  readonly build?: (group: ProgramGroup, directory: string) => Promise<void>;
}

/**
 * The programs of a node. For each group the first of these that has all of its programs: the folder `NODE_ASSETS`, the
 * cache, the official download, a build from Go modules. Several processes may call it concurrently.
 */
export async function ensurePrograms(options: EnsureProgramsOptions = {}): Promise<Programs> {
  const { env = process.env, clock = systemClock, report = () => undefined } = options;
  const paths: Partial<Record<Program, string>> = {};
  for (const group of GROUPS) {
    let directory = await presentFolder(group, env);
    if (directory === undefined) {
      directory = cacheFolder(group, env);
      await fillFolder({
        cache: resolve(cacheRoot(env), 'node'),
        directory,
        isComplete: async () => (await missingFrom(cacheFolder(group, env), group)).length === 0,
        fill: (partial) => provide(group, partial, { ...options, report }),
        clock,
        report,
      });
    }
    for (const program of group.programs) paths[program] = join(directory, program);
  }
  // Every program is in one of the groups, as the table's test holds.
  return paths as Programs;
}

/** The programs that need neither a download nor a build to be there. */
export async function missingPrograms(env: NodeJS.ProcessEnv = process.env): Promise<Program[]> {
  const missing: Program[] = [];
  for (const group of GROUPS) {
    if ((await presentFolder(group, env)) === undefined) missing.push(...group.programs);
  }
  return missing;
}

async function presentFolder(group: ProgramGroup, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const given = env.NODE_ASSETS ? [resolve(env.NODE_ASSETS)] : [];
  for (const folder of [...given, cacheFolder(group, env)]) {
    if ((await missingFrom(folder, group)).length === 0) return folder;
  }
  return undefined;
}

/** One folder per version and machine type, so that an upgrade never uses old programs. */
const cacheFolder = ({ name, version }: ProgramGroup, env: NodeJS.ProcessEnv): string =>
  resolve(cacheRoot(env), 'node', `${name}-${version}-${process.platform}-${process.arch}`);

async function missingFrom(folder: string, { programs }: ProgramGroup): Promise<Program[]> {
  const present = await Promise.all(programs.map((program) => isExecutable(join(folder, program))));
  return programs.filter((_, i) => !present[i]);
}

async function provide(
  group: ProgramGroup,
  directory: string,
  options: EnsureProgramsOptions & { readonly report: (line: string) => void },
): Promise<void> {
  const { report, download = downloadProgram(report), build = buildGroup } = options;
  const title = `${group.programs.join(', ')} ${group.version}`;
  await downloadOrBuild({
    title,
    download: async () => {
      for (const program of group.programs) await download(group, program, directory);
    },
    onNoDownload: (reason) => report(`no download of ${title}: ${reason}; building from Go modules`),
    build: () => build(group, directory),
    wayOut: 'set NODE_ASSETS to a folder that has them',
  });
  const missing = await missingFrom(directory, group);
  if (missing.length > 0) throw new Error(`cannot provide ${missing.join(', ')}: no file came of it`);
}

const downloadProgram =
  (report: (line: string) => void) =>
  async (group: ProgramGroup, program: Program, directory: string): Promise<void> => {
    const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
    if (group.release === undefined || arch === undefined) {
      throw new Error(`there is no official ${program} for ${process.arch}`);
    }
    const release = group.release(program, arch);
    await downloadRelease(
      { name: program, description: `${program} ${group.version}`, ...release },
      directory,
      { report },
    );
  };

async function buildGroup(group: ProgramGroup, directory: string): Promise<void> {
  const { module, packages, programs, linkerFlags } = group;
  for (const [position, program] of programs.entries()) {
    const path = packages[position] ?? '.';
    await buildProgram({ module, path, output: join(directory, program), linkerFlags });
  }
}

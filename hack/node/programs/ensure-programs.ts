import { join } from 'node:path';
import { downloadRelease } from '../../control-planes/binaries/download.ts';
import {
  type EnsureOptions,
  ensureProgram,
  findProgram,
  MACHINE,
  type Program,
} from '../../control-planes/binaries/ensure-program.ts';
import { isExecutable } from '../../control-planes/binaries/fill-folder.ts';
import { buildProgram } from '../../control-planes/binaries/go-build.ts';
import { GROUPS, type Program as Name, type ProgramGroup } from './groups.ts';

/** Absolute path of each program. */
export type Programs = Readonly<Record<Name, string>>;

/** The programs of a group come from one place. `NODE_ASSETS` may have some groups. */
export const nodePrograms = (group: ProgramGroup): Program<Partial<Programs>> => ({
  title: `${group.programs.join(', ')} ${group.version}`,
  variable: 'NODE_ASSETS',
  own: `a folder with ${group.programs.join(', ')}`,
  isOwnOptional: true,
  cache: ['node', `${group.name}-${group.version}-${MACHINE}`],
  inFolder: async (folder) => {
    const present = await Promise.all(group.programs.map((program) => isExecutable(join(folder, program))));
    if (!present.every(Boolean)) return undefined;
    return Object.fromEntries(group.programs.map((program) => [program, join(folder, program)]));
  },
  download: async (folder, report) => {
    for (const program of group.programs) {
      const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
      if (group.release === undefined || arch === undefined)
        throw new Error(`there is no official ${program} for ${process.arch}`);
      const description = `${program} ${group.version}`;
      await downloadRelease({ name: program, description, ...group.release(program, arch) }, folder, {
        report,
      });
    }
  },
  build: async (folder) => {
    const { module, packages, programs, linkerFlags } = group;
    for (const [position, program] of programs.entries()) {
      const path = packages[position] ?? '.';
      await buildProgram({ module, path, output: join(folder, program), linkerFlags });
    }
  },
});

/** The programs of a node. */
export async function ensurePrograms(options?: EnsureOptions): Promise<Programs> {
  const paths: Partial<Programs> = {};
  for (const group of GROUPS) Object.assign(paths, await ensureProgram(nodePrograms(group), options));
  // Every program is in one of the groups, as the table's test holds.
  return paths as Programs;
}

/** The programs that need neither a download nor a build to be there. */
export async function missingPrograms(env?: NodeJS.ProcessEnv): Promise<Name[]> {
  const missing: Name[] = [];
  for (const group of GROUPS) {
    if ((await findProgram(nodePrograms(group), env)) === undefined) missing.push(...group.programs);
  }
  return missing;
}

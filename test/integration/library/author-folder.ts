import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { LIBRARY } from '../../../hack/library/library.ts';

const ROOT = join(import.meta.dirname, '../../..');

export interface Run {
  readonly code: number;
  /** What it wrote, to stdout and stderr. */
  readonly output: string;
}

/** The folder of a provider's author: outside of the repository, with the files of the package installed. */
export interface AuthorFolder {
  readonly path: string;
  /** The installed files of the package, below its folder. */
  installed(): Promise<string[]>;
  /** Writes a file, in a folder that need not exist. */
  write(file: string, text: string): Promise<void>;
  /** Copies a folder of the repository into this one, without what is installed there. Returns its path. */
  copy(folder: string): Promise<string>;
  /** @param cwd default: this folder */
  node(args: readonly string[], cwd?: string): Promise<Run>;
  /** `npx provider-kyma-generate`. */
  generate(args?: readonly string[], cwd?: string): Promise<Run>;
  /** `npx provider-kyma-kit`. */
  kit(args: readonly string[], cwd?: string): Promise<Run>;
  /** The compiler of the repository, on a folder's tsconfig.json. */
  tsc(cwd?: string): Promise<Run>;
  remove(): Promise<void>;
}

export async function createAuthorFolder(): Promise<AuthorFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'provider-author-')));
  const modules = join(path, 'node_modules');
  await install(modules);
  const run: AuthorFolder['node'] = (args, cwd = path) =>
    outcome(promisify(execFile)(process.execPath, args, { cwd }));
  const command = async (name: string, args: readonly string[], cwd: string) => {
    const installed = join(modules, 'provider-kyma');
    const manifest: { bin: Record<string, string> } = JSON.parse(
      await readFile(join(installed, 'package.json'), 'utf8'),
    );
    return run([join(installed, manifest.bin[name] ?? 'missing'), ...args], cwd);
  };
  return {
    path,
    installed: async () => {
      const entries = await readdir(join(modules, 'provider-kyma'), { recursive: true, withFileTypes: true });
      const from = join(modules, 'provider-kyma').length + 1;
      return entries.flatMap((each) => (each.isFile() ? [join(each.parentPath, each.name).slice(from)] : []));
    },
    write: async (file, text) => {
      await mkdir(dirname(join(path, file)), { recursive: true });
      await writeFile(join(path, file), text);
    },
    copy: async (folder) => {
      const copied = join(path, basename(folder));
      await cp(join(ROOT, folder), copied, {
        recursive: true,
        filter: (source) => !source.slice(ROOT.length).includes('node_modules'),
      });
      return copied;
    },
    node: run,
    generate: (args = [], cwd = path) => command('provider-kyma-generate', args, cwd),
    kit: (args, cwd = path) => command('provider-kyma-kit', args, cwd),
    tsc: (cwd) => run([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.'], cwd),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/**
 * The files that npm packs, of what `npm run build` wrote (library.test.ts compares the lists); its dependencies are linked, so
 * no registry is needed.
 */
async function install(modules: string): Promise<void> {
  if (!existsSync(LIBRARY)) throw new Error('the library is not built: `npm run build` does it');
  const manifest: {
    files: string[];
    dependencies: Record<string, string>;
    peerDependencies: Record<string, string>;
  } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  for (const file of ['package.json', 'LICENSE', 'README.md', ...manifest.files])
    await cp(join(ROOT, file), join(modules, 'provider-kyma', file), {
      recursive: true,
      // npm packs neither.
      filter: (source) => !/\/(?:node_modules|\.npmrc)$/.test(source.slice(ROOT.length)),
    });
  const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  for (const name of [...names, '@types/node']) {
    const link = join(modules, name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), link);
  }
}

async function outcome(run: Promise<{ stdout: string; stderr: string }>): Promise<Run> {
  try {
    const { stdout, stderr } = await run;
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { code, output: `${stdout}${stderr}` };
  }
}

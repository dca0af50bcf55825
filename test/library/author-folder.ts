import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildLibrary } from '../../hack/library/library.ts';

const ROOT = join(import.meta.dirname, '../..');

export interface Run {
  readonly code: number;
  /** What it wrote, to stdout and stderr. */
  readonly output: string;
}

/** The folder of a provider's author: outside of the repository, with the package installed as npm packs it. */
export interface AuthorFolder {
  readonly path: string;
  /** The files of the package, below its folder. */
  packed(): Promise<string[]>;
  /** Writes a file, in a folder that need not exist. */
  write(file: string, text: string): Promise<void>;
  /** Copies a folder of the repository into this one, without what is installed there. Returns its path. */
  copy(folder: string): Promise<string>;
  /** @param cwd default: this folder */
  node(args: readonly string[], cwd?: string): Promise<Run>;
  /** `npx provider-kyma-generate`. */
  generate(args?: readonly string[], cwd?: string): Promise<Run>;
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
  return {
    path,
    packed: async () => {
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
    generate: async (args = [], cwd = path) => {
      const installed = join(modules, 'provider-kyma');
      const manifest: { bin: Record<string, string> } = JSON.parse(
        await readFile(join(installed, 'package.json'), 'utf8'),
      );
      const command = manifest.bin['provider-kyma-generate'] ?? 'missing';
      return run([join(installed, command), ...args], cwd);
    },
    tsc: (cwd) => run([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.'], cwd),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** The package from its tarball; its dependencies are linked, so no registry is needed. */
async function install(modules: string): Promise<void> {
  const manifest: { files: string[]; dependencies: Record<string, string> } = JSON.parse(
    await readFile(join(ROOT, 'package.json'), 'utf8'),
  );
  const staging = `${modules}.staging`;
  await buildLibrary(join(staging, 'dist', 'lib'));
  const files = [
    'package.json',
    'LICENSE',
    'README.md',
    ...manifest.files.filter((file) => file !== 'dist/lib'),
  ];
  for (const file of files) await cp(join(ROOT, file), join(staging, file), { recursive: true });
  const npm = promisify(execFile);
  const { stdout } = await npm('npm', ['pack', '--json', '--offline', '--ignore-scripts'], { cwd: staging });
  const [packed]: { filename: string }[] = JSON.parse(stdout);
  const target = join(modules, 'provider-kyma');
  await mkdir(target, { recursive: true });
  const tarball = join(staging, packed?.filename ?? 'missing.tgz');
  await promisify(execFile)('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
  await rm(staging, { recursive: true });
  for (const name of [...Object.keys(manifest.dependencies), '@types/node']) {
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

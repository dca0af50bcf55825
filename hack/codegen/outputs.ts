import { existsSync } from 'node:fs';
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generatedHeader, isGenerated } from './generated-header.ts';
import type { Project } from './project.ts';
import { SourceError } from './source/source-error.ts';

/** What a run brings forth: text by path relative to the project, with `/`. */
export type Outputs = ReadonlyMap<string, string>;

/**
 * Adds a file with its header.
 *
 * @param source what the header names
 */
export type Put = (path: string, source: string, text: string) => void;

/** Outputs to which `put` adds. It throws SourceError if two sources ask for one file. */
export function collectOutputs(project: Project): { readonly outputs: Outputs; readonly put: Put } {
  const outputs = new Map<string, string>();
  const put: Put = (path, source, text) => {
    if (outputs.has(path)) {
      throw new SourceError(source, { line: 1, col: 1 }, `${path} is generated from another source already`);
    }
    outputs.set(path, generatedHeader(project, path, source) + text);
  };
  return { outputs, put };
}

export interface Drift {
  readonly path: string;
  readonly state: 'missing' | 'differs' | 'left over';
}

/** How the files on disk differ from what the sources ask for, sorted by path. Touches nothing. */
export async function findDrift(project: Project, outputs: Outputs): Promise<Drift[]> {
  const drift: Drift[] = [];
  for (const [path, text] of outputs) {
    const file = join(project.root, path);
    if (!existsSync(file)) drift.push({ path, state: 'missing' });
    else if ((await readFile(file, 'utf8')) !== text) drift.push({ path, state: 'differs' });
  }
  for (const path of await leftOver(project, outputs)) drift.push({ path, state: 'left over' });
  return drift.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Brings the files on disk to what the sources ask for. Returns what was changed. */
export async function writeOutputs(project: Project, outputs: Outputs): Promise<Drift[]> {
  const drift = await findDrift(project, outputs);
  for (const { path, state } of drift) {
    const file = join(project.root, path);
    if (state === 'left over') {
      await rm(file);
      continue;
    }
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, outputs.get(path) ?? '');
  }
  return drift;
}

/**
 * Writes the files and prints which were changed; with `check` it writes nothing and prints which differ.
 *
 * @param prefix of the paths that are printed
 * @returns false if a check found differences
 */
export async function applyOutputs(
  project: Project,
  outputs: Outputs,
  { check, prefix = '' }: { readonly check: boolean; readonly prefix?: string },
): Promise<boolean> {
  if (!check) {
    for (const { path, state } of await writeOutputs(project, outputs)) {
      console.log(`${state === 'left over' ? 'removed' : 'wrote'} ${prefix}${path}`);
    }
    return true;
  }
  const drift = await findDrift(project, outputs);
  if (drift.length === 0) return true;
  console.error(`generated files are not what their sources ask for; run \`${project.command}\`:`);
  for (const { path, state } of drift) console.error(`  ${prefix}${path} (${state})`);
  return false;
}

/** Generated files whose source is gone. */
async function leftOver(project: Project, outputs: Outputs): Promise<string[]> {
  const { root, apis, crds, others } = project;
  const patterns = [`${apis}/**/*.gen.ts`, `${crds.split('/', 1)[0]}/**/*.yaml`, ...others];
  const found: string[] = [];
  for await (const entry of glob(patterns, { cwd: root })) {
    const path = entry.replaceAll('\\', '/');
    if (outputs.has(path)) continue;
    if (isGenerated(project, await readFile(join(root, path), 'utf8'))) found.push(path);
  }
  return found;
}

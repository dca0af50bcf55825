import { existsSync } from 'node:fs';
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isGenerated } from './generated-header.ts';

/** What a run brings forth: text by path relative to the repository, with `/`. */
export type Outputs = ReadonlyMap<string, string>;

/** A file with the generated header was written by an earlier run. */
const generatedPatterns = [
  'apis/**/*.gen.ts',
  'package/**/*.yaml',
  'docs/reference/*.md',
  'internal/clients/*/openapi.gen.ts',
  'docs/api/*.api.md',
];

export interface Drift {
  readonly path: string;
  readonly state: 'missing' | 'differs' | 'left over';
}

/** How the files on disk differ from what the sources ask for, sorted by path. Touches nothing. */
export async function findDrift(root: string, outputs: Outputs): Promise<Drift[]> {
  const drift: Drift[] = [];
  for (const [path, text] of outputs) {
    const file = join(root, path);
    if (!existsSync(file)) drift.push({ path, state: 'missing' });
    else if ((await readFile(file, 'utf8')) !== text) drift.push({ path, state: 'differs' });
  }
  for (const path of await leftOver(root, outputs)) drift.push({ path, state: 'left over' });
  return drift.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Brings the files on disk to what the sources ask for. Returns what was changed. */
export async function writeOutputs(root: string, outputs: Outputs): Promise<Drift[]> {
  const drift = await findDrift(root, outputs);
  for (const { path, state } of drift) {
    const file = join(root, path);
    if (state === 'left over') {
      await rm(file);
      continue;
    }
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, outputs.get(path) ?? '');
  }
  return drift;
}

/** Generated files whose source is gone. */
async function leftOver(root: string, outputs: Outputs): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of glob(generatedPatterns, { cwd: root })) {
    const path = entry.replaceAll('\\', '/');
    if (outputs.has(path)) continue;
    if (isGenerated(await readFile(join(root, path), 'utf8'))) found.push(path);
  }
  return found;
}

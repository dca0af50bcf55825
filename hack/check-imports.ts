/**
 * Holds the repository to what the linter cannot: which room imports which (checks/import-directions.ts) and
 * that no file bears a trace of the machine it was written on (checks/machine-traces.ts).
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { checkImportDirections } from './checks/import-directions.ts';
import { findMachineTraces } from './checks/machine-traces.ts';

const ROOT = join(import.meta.dirname, '..');

/** Folders of what is made here, never kept. */
const MADE = new Set(['node_modules', 'dist', 'coverage']);

/** Dot folders belong to tools of whoever works here, but for these. */
const KEPT_DOT_FOLDERS = new Set(['.ci', '.github']);

/**
 * go.mod and go.sum are checked by Go itself, and full of module names that look like hosts and paths. In a git
 * worktree `.git` is a file that names the repository's folder.
 */
const SKIPPED = /^go\.(mod|sum)$|^\.git$|\.log$/;

/** All files that are kept, found without git so that an unpacked archive can be checked too. */
async function* listFiles(folder = ''): AsyncGenerator<string> {
  for (const entry of await readdir(join(ROOT, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name);
    const foreign = entry.name.startsWith('.') && !KEPT_DOT_FOLDERS.has(entry.name);
    if (entry.isDirectory() && !foreign && !MADE.has(entry.name)) yield* listFiles(path);
    if (entry.isFile() && !SKIPPED.test(entry.name)) yield path;
  }
}

/** The text of a file; undefined for a binary one, a link, or one that is deleted but not yet committed. */
async function readText(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(ROOT, path), 'utf8');
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

const files = new Map<string, string>();
for await (const path of listFiles()) {
  const text = await readText(path);
  if (text !== undefined) files.set(path, text);
}
const { dependencies = {} }: { dependencies?: Record<string, string> } = JSON.parse(
  files.get('package.json') ?? '{}',
);

const problems = [
  ...checkImportDirections({ files, dependencies: new Set(Object.keys(dependencies)) }),
  ...[...files].flatMap(([path, text]) => findMachineTraces(path, text)),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

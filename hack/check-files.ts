/**
 * Checks of all files that linters do not have: no file has a trace of the machine on which it was written
 * (checks/machine-traces.ts), every regular expression takes linear time (checks/linear-patterns.ts), what an index of the
 * framework has is imported from it (checks/index-imports.ts), what listens to a signal stops listening (checks/abort-listeners.ts),
 * a resource refers to objects of its own namespace (checks/own-namespace.ts), and a file has at most 600 lines (checks/file-length.ts).
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { checkAbortListeners } from './checks/abort-listeners.ts';
import { checkFileLength } from './checks/file-length.ts';
import { checkIndexImports } from './checks/index-imports.ts';
import { checkLinearPatterns } from './checks/linear-patterns.ts';
import { findMachineTraces } from './checks/machine-traces.ts';
import { checkOwnNamespace } from './checks/own-namespace.ts';

const ROOT = join(import.meta.dirname, '..');

/** Folders of what is made here, never kept. */
const MADE = new Set(['node_modules', 'dist', 'coverage']);

/** Dot folders belong to tools of a developer, except for these. */
const KEPT_DOT_FOLDERS = new Set(['.ci', '.github']);

/**
 * Go checks go.mod and go.sum itself; they are full of module names that look like hosts and paths. In a git worktree
 * `.git` is a file that names the repository's folder.
 */
const SKIPPED = /^go\.(mod|sum)$|^\.git$|\.log$/;

/** All files of the repository, found without git so that an unpacked archive can be checked too. */
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

/** Patterns that were found linear: the release of the analysis, then one each line. It is kept, since an analysis of all takes minutes. */
const LINEAR_PATTERNS = join(ROOT, 'hack/checks/linear-patterns.txt');

/** None for another release, and where all are to be analysed, as by night. */
async function knownPatterns(release: string): Promise<readonly string[]> {
  if (process.env.CHECK_ALL_PATTERNS === '1') return [];
  const text = await readFile(LINEAR_PATTERNS, 'utf8').catch(() => '');
  const [header, ...patterns] = text.split('\n').filter((line) => line !== '');
  return header === release ? patterns : [];
}

const files = new Map<string, string>();
for await (const path of listFiles()) {
  const text = await readText(path);
  if (text !== undefined) files.set(path, text);
}
const {
  devDependencies = {},
}: Record<string, Record<string, string>> = JSON.parse(files.get('package.json') ?? '{}');
const release = `recheck ${devDependencies.recheck}`;
const patterns = await checkLinearPatterns(files, await knownPatterns(release));

const problems = [
  ...[...files].flatMap(([path, text]) => findMachineTraces(path, text)),
  ...checkAbortListeners(files),
  ...checkIndexImports(files),
  ...checkOwnNamespace(files),
  ...checkFileLength(files),
  ...patterns.problems,
];
if (process.env.CI === undefined)
  await writeFile(LINEAR_PATTERNS, `${[release, ...patterns.linear].join('\n')}\n`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

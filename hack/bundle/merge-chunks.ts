/**
 * Merges what every start loads into a few files. esbuild makes a chunk of each set of entry points that share code: some hundred
 * small ones, and to find, read and link 90 files takes a start longer than to compile their code.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

export interface MergeOptions {
  /** The entry, beside whose parts the chunks are. */
  readonly output: string;
  /** Of the bundle with these chunks; its paths are relative to `root`. */
  readonly metafile: Metafile;
  readonly root: string;
  /** Folder of the parts, beside the entry. */
  readonly parts: string;
  /** The source of the command that is started most, and those of the modules of which it loads some. */
  readonly start: string;
  readonly modules: readonly string[];
}

/** Smaller chunks of modules are merged, too: a module that is not selected costs no more than that. */
const SMALL_BYTES = 16 * 1024;

/** A file that is made of chunks. */
interface Merged {
  readonly file: string;
  /** Absolute paths, each after those that it imports. */
  readonly chunks: readonly string[];
}

/** @returns the names of the files that were made, without folder */
export async function mergeChunks(options: MergeOptions): Promise<string[]> {
  const { output, metafile, root, parts } = options;
  const folder = join(dirname(output), parts);
  const graph = graphOf(metafile, root);
  const merged = groupsOf(options, graph).map(({ name, chunks }) => ({
    file: join(folder, name),
    chunks,
  }));
  const kept = [...graph.keys()].filter((path) => !merged.some(({ chunks }) => chunks.includes(path)));
  const { outputFiles } = await build({
    entryPoints: [
      ...kept.map((path) => ({ in: path, out: withoutExtension(relative(dirname(output), path)) })),
      ...merged.map(({ file }) => ({
        in: `merged:${basename(file)}`,
        out: withoutExtension(relative(dirname(output), file)),
      })),
    ],
    outdir: dirname(output),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    plugins: [linkMerged(merged, graph)],
    // The paths of sources, which are comments, stay where they are.
    legalComments: 'inline',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    // Warned about before.
    logOverride: { 'direct-eval': 'silent' },
    write: false,
  });
  for (const { chunks } of merged)
    for (const path of chunks) for (const suffix of ['', '.map']) await rm(path + suffix);
  for (const { path, text } of outputFiles)
    await writeFile(path, path.endsWith('.mjs') ? withComments(text) : text);
  return merged.map(({ file }) => basename(file));
}

interface Chunk {
  readonly entryPoint: string | undefined;
  readonly bytes: number;
  readonly exports: readonly string[];
  /** Absolute paths, in the order of the imports. */
  readonly imports: readonly string[];
}

type Graph = ReadonlyMap<string, Chunk>;

function graphOf({ outputs }: Metafile, root: string): Graph {
  const chunks = Object.entries(outputs).filter(([path]) => path.endsWith('.mjs'));
  return new Map(
    chunks.map(([path, { bytes, entryPoint, exports, imports }]) => [
      resolve(root, path),
      {
        ...{ bytes, entryPoint, exports },
        imports: imports.flatMap(({ path: imported, kind, external }) =>
          kind === 'import-statement' && external !== true ? [resolve(root, imported)] : [],
        ),
      },
    ]),
  );
}

/** What the files import that are loaded first, and what `start` imports beyond it. The files themselves stay. */
function groupsOf({ output, start, modules }: MergeOptions, graph: Graph) {
  const entryOf = (source: string) =>
    [...graph].find(([, { entryPoint }]) => entryPoint === source)?.[0] ?? `no file of ${source}`;
  const first = closureOf([resolve(output)], graph);
  const second = closureOf([entryOf(start)], graph);
  const ofModules = closureOf(modules.map(entryOf), graph).filter(
    (path) => (graph.get(path)?.bytes ?? 0) < SMALL_BYTES,
  );
  const isChunk = (path: string) => graph.get(path)?.entryPoint === undefined;
  const always = first.filter(isChunk);
  const started = [...new Set([...second, ...ofModules])].filter(
    (path) => isChunk(path) && !always.includes(path),
  );
  // A small chunk may import a large one, which then is no small matter.
  const known = new Set([...always, ...started]);
  const isComplete = (path: string) => closureOf([path], graph).every((each) => known.has(each));
  return [
    { name: 'program.mjs', chunks: always },
    { name: 'start-program.mjs', chunks: started.filter(isComplete) },
  ];
}

/** All that is loaded with the files, each after what it imports. */
function closureOf(paths: readonly string[], graph: Graph): string[] {
  const found = new Set<string>();
  const visited = new Set<string>();
  const visit = (path: string) => {
    if (visited.has(path)) return;
    visited.add(path);
    for (const imported of graph.get(path)?.imports ?? []) visit(imported);
    found.add(path);
  };
  for (const path of paths) visit(path);
  return [...found];
}

/** Imports of a chunk become those of the file that has it, whose exports have the number of the chunk before their names. */
function linkMerged(merged: readonly Merged[], graph: Graph): Plugin {
  const numbers = new Map([...graph.keys()].map((path, index) => [path, index]));
  const nameIn = (path: string, name: string) => `c${numbers.get(path)}_${name}`;
  const exportsOf = (path: string, from: string, list: (name: string) => string) => {
    const names = graph.get(path)?.exports ?? [];
    const source = JSON.stringify(from);
    return names.length === 0
      ? `import ${source};\n`
      : `export { ${names.map(list).join(', ')} } from ${source};\n`;
  };
  const fileOf = (path: string) => merged.find(({ chunks }) => chunks.includes(path))?.file;
  const relativeTo = (file: string, importer: string) => {
    const path = relative(dirname(importer), file).split(sep).join('/');
    return path.startsWith('.') ? path : `./${path}`;
  };
  return {
    name: 'link-merged',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^merged:/ }, ({ path }) => ({ path, namespace: 'merged' }));
      onResolve({ filter: /^\.{0,2}\// }, ({ path, kind, importer, namespace }) => {
        if (kind === 'entry-point') return undefined;
        if (kind !== 'import-statement' || namespace === 'link') return { path, external: true };
        if (namespace === 'merged') return { path };
        const target = resolve(dirname(importer), path);
        const file = fileOf(target);
        if (file === undefined) return { path, external: true };
        if (file === fileOf(importer)) return { path: target };
        const from = relativeTo(file, fileOf(importer) ?? importer);
        return {
          path: basename(target),
          suffix: `?${from}`,
          namespace: 'link',
          pluginData: { target, from },
        };
      });
      onLoad({ filter: /.*/, namespace: 'merged' }, ({ path }) => {
        const chunks = merged.find(({ file }) => `merged:${basename(file)}` === path)?.chunks ?? [];
        return {
          contents: chunks
            .map((chunk) => exportsOf(chunk, chunk, (name) => `${name} as ${nameIn(chunk, name)}`))
            .join(''),
        };
      });
      onLoad({ filter: /.*/, namespace: 'link' }, ({ pluginData: { target, from } }) => ({
        contents: exportsOf(target, from, (name) => `${nameIn(target, name)} as ${name}`),
      }));
      onLoad({ filter: /\.mjs$/, namespace: 'file' }, async ({ path }) => ({
        contents: withLegalComments(await readFile(path, 'utf8')),
        loader: 'js',
      }));
    },
  };
}

const withoutExtension = (path: string): string => path.replace(/\.mjs$/, '');

/** esbuild keeps comments only if they are legal ones. */
const withLegalComments = (text: string): string => text.replace(/^\/\/ (?=\S+$)/gm, '//! ');
const withComments = (text: string): string => text.replace(/^( *)\/\/! /gm, '$1// ');

/** `provider-kyma-kit init`: the project of a provider, made of an OpenAPI document. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { similar } from '../../../internal/framework/base/text/nearest.ts';
import { shellCommand } from '../../../internal/framework/base/text/shell.ts';
import {
  constantParameters,
  DocumentError,
  type OpenapiDocument,
  parseDocument,
  withParameters,
} from '../document/openapi-document.ts';
import { sha256 } from '../format/provider-file.ts';
import { type KitCommand, KitError, readArgs } from '../kit-command.ts';
import { type Candidate, candidatesOf, VERDICTS } from './candidates.ts';
import { draftText } from './draft.ts';
import { json, libraryManifest, packageManifest, projectFiles, RECORD } from './project-files.ts';

const usage = `Usage: provider-kyma-kit init NAME --group GROUP --openapi FILE [--kind KIND]... [options]

Writes the project provider-NAME into a folder of that name: package.json, tsconfig.json, main.ts, package/crossplane.yaml, a workflow,
the document, and provider.yaml, which has a verdict for each collection of the document.

  --group    API group of the kinds: notes.example.org
  --openapi  the document, OpenAPI 2.0, 3.0 or 3.1: a file, or its address (https)
  --kind     a kind that is no comment in provider.yaml; may be repeated. Default: all are comments
  --folder   default: provider-NAME
  --library  the version of provider-kyma, or the file that \`npm pack\` made of it; default: this version
  --list     write nothing; print the verdicts`;

const options = {
  group: { type: 'string' },
  openapi: { type: 'string' },
  kind: { type: 'string', multiple: true, default: [] as string[] },
  folder: { type: 'string' },
  library: { type: 'string' },
  list: { type: 'boolean', default: false },
} as const;

export const initCommand: KitCommand = {
  usage,
  run: async (args) => {
    const { values, positionals } = readArgs(usage, { args, options, allowPositionals: true });
    const startedAt = performance.now();
    if (values.openapi === undefined) throw new KitError(`--openapi is missing\n\n${usage}`);
    const text = await readOpenapi(values.openapi);
    const whole = parsedOpenapi(values.openapi, text);
    const path = constantParameters(whole);
    const document = withParameters(whole, path);
    const candidates = candidatesOf(document);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const summary = `${document.title}: ${document.operations.length} operations, ${candidates.length} collections, ${seconds} s`;
    if (values.list) {
      print([summary, ...candidates.map(lineOf)]);
      return true;
    }
    const name = nameOf(positionals, values.group);
    requireKinds(values.kind, candidates);
    const folder = resolve(values.folder ?? `provider-${name}`);
    await requireEmpty(folder);

    const library = await libraryManifest();
    const source =
      values.library === undefined ? `^${library.version}` : librarySource(values.library, folder);
    const project = { name: `provider-${name}`, title: document.title };
    const file = text.trimStart().startsWith('{') ? 'openapi.json' : 'openapi.yaml';
    const files = projectFiles(project);
    const draft = draftText({
      ...{ name, group: values.group ?? '', file, sha256: sha256(text) },
      ...{ document, path, candidates, chosen: values.kind },
    });
    const record = {
      version: library.version,
      ...project,
      files: Object.fromEntries([...files].map(([path, content]) => [path, sha256(content)])),
    };
    const all = new Map([
      ['package.json', packageManifest(project, library, source)],
      ...files,
      [file, text],
      ['provider.yaml', draft],
      [RECORD, json(record)],
    ]);
    for (const [path, content] of all) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const place = relative(process.cwd(), folder);
    const next = [
      ...(values.kind.length === 0 ? ['uncomment kinds in provider.yaml'] : []),
      ...(place === '' ? [] : [`cd ${shellCommand(place)}`]),
      ...['npm install', 'npx provider-kyma-kit generate', 'npm test'],
    ].map((step) => `  ${step}`);
    print([summary, ...counts(candidates), '', `wrote ${place || '.'}. Next:`, ...next]);
    return true;
  },
};

/** @throws KitError with the nearest candidate of each kind that is none, or why it is none */
function requireKinds(kinds: readonly string[], candidates: readonly Candidate[]): void {
  const known = candidates.flatMap(({ kind, settings }) => (settings === undefined ? [] : [kind]));
  const problems = kinds
    .filter((kind) => !known.includes(kind))
    .map((kind) => {
      const none = candidates.find((each) => each.kind === kind);
      if (none !== undefined) return `${kind}: ${none.reasons.join('; ')}`;
      const near = similar(kind, known);
      return `${kind}: the document has no such candidate${near === undefined ? '' : `; did you mean ${near}?`}`;
    });
  if (problems.length > 0)
    throw new KitError(
      `cannot make\n${problems.map((each) => `  ${each}`).join('\n')}\n--list prints all candidates`,
    );
}

/** The name of the API, without `provider-`. */
function nameOf(positionals: readonly string[], group: string | undefined): string {
  const [given, ...more] = positionals;
  if (given === undefined || more.length > 0) throw new KitError(`one NAME is missing\n\n${usage}`);
  const name = given.replace(/^provider-/, '');
  if (!/^[a-z](?:[a-z0-9-]{0,40}[a-z0-9])?$/.test(name))
    throw new KitError(`NAME ${given} is not lower-case letters, digits and dashes, such as notes`);
  if (group === undefined || !/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(group))
    throw new KitError(`--group must be an API group such as ${name}.example.org`);
  return name;
}

/** A file, or what is at an address. @throws KitError */
export async function readOpenapi(source: string): Promise<string> {
  try {
    if (!source.startsWith('https://')) return await readFile(source, 'utf8');
    const response = await fetch(source, { signal: AbortSignal.timeout(60_000) });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return await response.text();
  } catch (error) {
    throw new KitError(`cannot read ${source}: ${messageOf(error)}`, { cause: error });
  }
}

/** @throws KitError */
export function parsedOpenapi(source: string, text: string): OpenapiDocument {
  try {
    return parseDocument(text);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    throw new KitError(`cannot read ${source}: ${error.message}`, { cause: error });
  }
}

async function requireEmpty(folder: string): Promise<void> {
  const content = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw existsSync(folder)
      ? new KitError(`cannot write into ${folder}: it is no folder`, { cause: error })
      : error;
  });
  if (content.length > 0) throw new KitError(`cannot write into ${folder}: it is not empty`);
}

/** A document may be of others: each line is one line, without codes that a terminal would follow. */
const print = (lines: readonly string[]): void =>
  console.log(lines.map((line) => stripVTControlCharacters(line).replace(/[\n\r]+/g, ' ')).join('\n'));

/** A file is named from the folder of the project. */
function librarySource(library: string, folder: string): string {
  return existsSync(library) ? `file:${relative(folder, resolve(library))}` : library;
}

const lineOf = ({ path, kind, verdict, reasons }: Candidate): string =>
  `  ${verdict.padEnd(14)}${kind.padEnd(32)} ${path}${reasons.length === 0 ? '' : `: ${reasons.join('; ')}`}`;

function counts(candidates: readonly Candidate[]): string[] {
  return VERDICTS.map((verdict) => {
    const kinds = candidates.filter((each) => each.verdict === verdict).map(({ kind }) => kind);
    const shown = kinds.length > 8 ? [...kinds.slice(0, 8), '…'] : kinds;
    return `  ${verdict.padEnd(14)}${String(kinds.length).padStart(4)}  ${shown.join(', ')}`.trimEnd();
  });
}

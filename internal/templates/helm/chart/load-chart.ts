import { gunzipSync } from 'node:zlib';
import { messageOf } from '../../../framework/base/errors/errors.ts';
import { valueAt } from '../../../framework/base/json/json-value.ts';
import { type Budget, compilePattern, dict, fromBytes, GoMap, type Value } from '../../gotemplate/index.ts';
import { HelmError } from '../render-request.ts';
import { mergeFiles } from '../values/tables.ts';
import { YamlError } from '../yaml/cursor.ts';
import { decodeYaml, splitDocuments } from '../yaml/decode.ts';
import { Chart, type NamedFile, readMetadata, validateMetadata } from './chart.ts';

/**
 * A chart from its files, in any order. Those that `.helmignore` names are left out.
 *
 * @throws HelmError
 */
export function loadChart(files: readonly NamedFile[], budget: Budget): Chart {
  const kept = ignoreFiles(files, budget).map(({ name, data }) => ({ name, data: withoutMark(data) }));
  return loadFiles(
    kept.toSorted((one, other) => comparePaths(one.name, other.name)),
    { budget, room: { bytesLeft: MAX_UNPACKED_BYTES } },
    0,
  );
}

/** What a chart and those in it share. */
interface Limits {
  readonly budget: Budget;
  readonly room: ArchiveRoom;
}

/** Charts in charts. */
const MAX_DEPTH = 20;

/** In the order in which folders are walked. */
function comparePaths(one: string, other: string): number {
  const a = one.split('/');
  const b = other.split('/');
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = Buffer.compare(Buffer.from(a[i] ?? ''), Buffer.from(b[i] ?? ''));
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const MARK = [0xef, 0xbb, 0xbf];

const withoutMark = (data: Uint8Array): Uint8Array =>
  MARK.every((byte, i) => data[i] === byte) ? data.subarray(MARK.length) : data;

function loadFiles(files: readonly NamedFile[], limits: Limits, depth: number): Chart {
  const { budget } = limits;
  if (depth > MAX_DEPTH) throw new HelmError(`charts are nested deeper than ${MAX_DEPTH} levels`);
  const named = (name: string) => files.find((file) => file.name === name);
  const read = (name: string): Value => {
    const file = named(name);
    return file ? decodeFile(file, budget) : null;
  };
  if (!named('Chart.yaml')) throw new HelmError('Chart.yaml file is missing');
  const metadata = readMetadata(read('Chart.yaml'), read('requirements.yaml'));
  for (const name of ['Chart.lock', 'requirements.lock']) read(name);
  const values = named('values.yaml');
  validateMetadata(metadata);
  const isV1 = metadata.apiVersion === 'v1';
  const chart = new Chart({
    metadata,
    values: values ? decodeValues(values, budget) : dict(),
    schema: named('values.schema.json')?.data,
    templates: files.filter(({ name }) => name.startsWith('templates/')),
    files: files.filter(({ name }) => isOther(name, isV1)),
  });
  chart.setDependencies(loadDependencies(chart, files, limits, depth));
  return chart;
}

function isOther(name: string, isV1: boolean): boolean {
  if (['Chart.yaml', 'Chart.lock', 'values.yaml', 'values.schema.json'].includes(name)) return false;
  if (name === 'requirements.yaml' || name === 'requirements.lock') return isV1;
  if (name.startsWith('charts/')) return name.endsWith('.prov');
  return !name.startsWith('templates/');
}

function loadDependencies(chart: Chart, files: readonly NamedFile[], limits: Limits, depth: number): Chart[] {
  const folders = new Map<string, NamedFile[]>();
  for (const { name, data } of files) {
    if (!name.startsWith('charts/') || name.endsWith('.prov')) continue;
    const path = name.slice('charts/'.length);
    const [folder = ''] = path.split('/');
    const inFolder = folders.get(folder) ?? [];
    folders.set(folder, inFolder);
    inFolder.push({ name: path, data });
  }
  const charts: Chart[] = [];
  for (const [folder, inFolder] of folders) {
    if (/^[_.]/.test(folder)) continue;
    try {
      charts.push(loadFiles(filesOf(chart, folder, inFolder, limits), limits, depth + 1));
    } catch (error) {
      if (!(error instanceof HelmError)) throw error;
      throw new HelmError(`error unpacking subchart ${folder} in ${chart.name}: ${error.message}`);
    }
  }
  return charts;
}

function filesOf(
  chart: Chart,
  folder: string,
  files: readonly NamedFile[],
  { budget, room }: Limits,
): NamedFile[] {
  const [first] = files;
  if (folder.endsWith('.tgz') && first) {
    if (first.name !== folder) {
      throw new HelmError(
        `error unpacking subchart tar in ${chart.name}: expected ${folder}, got ${first.name}`,
      );
    }
    const unpacked = readArchive(first.data, room);
    budget.charge(unpacked.reduce((sum, { data }) => sum + data.length, 0));
    return unpacked.map(({ name, data }) => ({ name, data: withoutMark(data) }));
  }
  // A file beside the folders is no chart.
  return files
    .filter(({ name }) => name.includes('/'))
    .map(({ name, data }) => ({ name: name.slice(name.indexOf('/') + 1), data }));
}

function decodeFile({ name, data }: NamedFile, budget: Budget): Value {
  try {
    return decodeYaml(fromBytes(data), budget, { keepsIntegers: true });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new HelmError(`cannot load ${name}: error converting YAML to JSON: ${error.message}`);
  }
}

/** The documents of the file, each merged over those before. */
function decodeValues({ data }: NamedFile, budget: Budget): GoMap {
  let values = dict();
  for (const text of splitDocuments(fromBytes(data))) {
    let document: Value;
    try {
      document = decodeYaml(text, budget);
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      throw new HelmError(
        `cannot load values.yaml: cannot unmarshal yaml document: error converting YAML to JSON: ${error.message}`,
      );
    }
    if (document === null) continue;
    if (!(document instanceof GoMap)) {
      throw new HelmError(
        'cannot load values.yaml: cannot unmarshal yaml document: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal a value that is no map',
      );
    }
    values = mergeFiles(values, document);
  }
  return values;
}

interface Rule {
  readonly isNegated: boolean;
  readonly mustBeFolder: boolean;
  readonly matches: (path: string) => boolean;
}

/** The files that the rules of `.helmignore` keep, and those of Helm itself. @throws HelmError for a wrong rule */
function ignoreFiles(files: readonly NamedFile[], budget: Budget): NamedFile[] {
  const own = files.find(({ name }) => name === '.helmignore');
  const lines = own
    ? Buffer.from(own.data)
        .toString()
        .replace(/^\ufeff/, '')
        .split('\n')
    : [];
  const rules = [...lines, 'templates/.?*'].flatMap((line) => parseRule(line, budget));
  const ignoredFolders = new Map<string, boolean>();
  const isInIgnoredFolder = (name: string): boolean => {
    const at = name.lastIndexOf('/');
    if (at < 0) return false;
    const folder = name.slice(0, at);
    const known = ignoredFolders.get(folder);
    if (known !== undefined) return known;
    const isIgnoredFolder = isInIgnoredFolder(folder) || isIgnored(folder, true, rules);
    ignoredFolders.set(folder, isIgnoredFolder);
    return isIgnoredFolder;
  };
  return files.filter(({ name }) => !isInIgnoredFolder(name) && !isIgnored(name, false, rules));
}

function parseRule(line: string, budget: Budget): Rule[] {
  let pattern = line.trim();
  if (pattern === '' || pattern.startsWith('#')) return [];
  if (pattern.includes('**')) throw new HelmError('double-star (**) syntax is not supported');
  if (!compileShellPattern(pattern, budget)) throw new HelmError('syntax error in pattern');
  const isNegated = pattern.startsWith('!');
  if (isNegated) pattern = pattern.slice(1);
  const mustBeFolder = pattern.endsWith('/');
  if (mustBeFolder) pattern = pattern.slice(0, -1);
  const isRooted = pattern.startsWith('/');
  const test = compileShellPattern(isRooted ? pattern.slice(1) : pattern, budget);
  const isPath = isRooted || pattern.includes('/');
  const matches = (path: string): boolean =>
    test?.(isPath ? path : path.slice(path.lastIndexOf('/') + 1)) ?? false;
  return [{ isNegated, mustBeFolder, matches }];
}

function isIgnored(path: string, isFolder: boolean, rules: readonly Rule[]): boolean {
  for (const { isNegated, mustBeFolder, matches } of rules) {
    if (isNegated) {
      if ((mustBeFolder && !isFolder) || !matches(path)) return true;
    } else if ((!mustBeFolder || isFolder) && matches(path)) return true;
  }
  return false;
}

const BLOCK = 512;

/** Helm allows 100 MiB for each archive. */
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;

/** What all archives of a chart may unpack to, those in archives included, in bytes: they are in memory together. */
interface ArchiveRoom {
  bytesLeft: number;
}

/**
 * The files of a packed chart (tar.gz), without the folder that all of them are in.
 *
 * @param room gets what is left of it
 * @throws HelmError
 */
function readArchive(data: Uint8Array, room: ArchiveRoom): NamedFile[] {
  let tar: Buffer;
  try {
    tar = gunzipSync(data, { maxOutputLength: Math.max(1, room.bytesLeft) });
    room.bytesLeft -= tar.length;
  } catch (error) {
    if (valueAt(error, ['code']) === 'ERR_BUFFER_TOO_LARGE') {
      throw new HelmError(`the archives of the chart unpack to more than ${MAX_UNPACKED_BYTES} bytes`);
    }
    throw new HelmError(`the archive cannot be unpacked: ${messageOf(error)}`);
  }
  const files: NamedFile[] = [];
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const size = Number.parseInt(textIn(header, 124, 12).trim() || '0', 8);
    if (!Number.isSafeInteger(size) || at + BLOCK + size > tar.length)
      throw new HelmError('the archive is damaged');
    const content = tar.subarray(at + BLOCK, at + BLOCK + size);
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'L') longName = textIn(content, 0, content.length);
    else if (type === 'x') longName = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(content.toString())?.[1] ?? longName;
    else {
      if (type === '0' || type === '\0') {
        files.push({ name: nameInChart(longName ?? headerName(header)), data: content });
      }
      longName = undefined;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  if (files.length === 0) throw new HelmError('no files in chart archive');
  return files;
}

const textIn = (bytes: Uint8Array, from: number, length: number): string =>
  Buffer.from(bytes.subarray(from, from + length))
    .toString()
    .replace(/\0.*$/s, '');

function headerName(header: Uint8Array): string {
  const prefix = textIn(header, 257, 5) === 'ustar' ? textIn(header, 345, 155) : '';
  const name = textIn(header, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Without the first folder. @throws HelmError for names that lead out of the chart */
function nameInChart(path: string): string {
  const parts = (path.includes('\\') ? path.split('\\') : path.split('/')).slice(1);
  const kept = parts.filter((part) => part !== '' && part !== '.');
  if (parts[0] === '' && parts.length > 1) throw new HelmError('chart illegally contains absolute paths');
  if (kept.includes('..')) throw new HelmError('chart illegally references parent directory');
  if (kept.length === 0) {
    throw new HelmError(
      `chart illegally contains content outside the base directory: ${JSON.stringify(path)}`,
    );
  }
  return kept.join('/');
}

/** A pattern of file names as Go's path/filepath has them: `*`, `?`, `[a-z]`, `\x`. Undefined: it is malformed. */
function compileShellPattern(pattern: string, budget: Budget): ((name: string) => boolean) | undefined {
  let source = '';
  for (let at = 0; at < pattern.length; ) {
    const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    at += char.length;
    if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (char === '\\') {
      const next = pattern.codePointAt(at);
      if (next === undefined) return undefined;
      source += escapeCharacter(next);
      at += String.fromCodePoint(next).length;
    } else if (char === '[') {
      const set = compileSet(pattern, at);
      if (!set) return undefined;
      source += set.source;
      at = set.end;
    } else source += escapeCharacter(char.codePointAt(0) ?? 0);
  }
  // Of RE2, which takes linear time.
  const compiled = compilePattern(`(?s)^(?:${source})$`, budget);
  return (name) => compiled.find(name, 0) !== undefined;
}

const escapeCharacter = (code: number): string => `\\x{${code.toString(16)}}`;

/** Matches no character. */
const NOTHING = '[^\\x{0}-\\x{10ffff}]';

/** @param start behind the `[` */
function compileSet(
  pattern: string,
  start: number,
): { readonly source: string; readonly end: number } | undefined {
  let at = start;
  const isNegated = pattern[at] === '^';
  if (isNegated) at++;
  const next = (): number | undefined => {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === '-' || pattern[at] === ']') return undefined;
    const code = pattern.codePointAt(at);
    if (code !== undefined) at += String.fromCodePoint(code).length;
    return code;
  };
  const ranges: string[] = [];
  for (;;) {
    if (pattern[at] === ']' && ranges.length > 0) break;
    const low = next();
    if (low === undefined) return undefined;
    let high: number | undefined = low;
    if (pattern[at] === '-') {
      at++;
      high = next();
    }
    if (high === undefined || at >= pattern.length) return undefined;
    // An empty range matches nothing.
    ranges.push(high < low ? '' : `${escapeCharacter(low)}-${escapeCharacter(high)}`);
  }
  const content = ranges.join('');
  if (content === '') return { source: isNegated ? '.' : NOTHING, end: at + 1 };
  return { source: `[${isNegated ? '^' : ''}${content}]`, end: at + 1 };
}

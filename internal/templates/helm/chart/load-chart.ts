import { type Budget, dict, fromBytes, GoMap, type Value } from '../../gotemplate/index.ts';
import { HelmError } from '../helm-error.ts';
import { mergeFiles } from '../values/tables.ts';
import { decodeYaml } from '../yaml/decode.ts';
import { splitDocuments } from '../yaml/split-documents.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import { Chart, type NamedFile } from './chart.ts';
import { ignoreFiles } from './helm-ignore.ts';
import { readMetadata, validateMetadata } from './metadata.ts';
import { type ArchiveRoom, MAX_UNPACKED_BYTES, readArchive } from './read-archive.ts';

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

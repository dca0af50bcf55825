import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  cutText,
  type ErrorKind,
  isObject,
  memoryOf,
  ProviderError,
  systemClock,
} from '../../../../../framework/base/index.ts';
import { type Budget, createBudget } from '../../../../../templates/gotemplate/index.ts';
import {
  CHART_LIMITS,
  type ChartCapabilities,
  type ChartFile,
  documentsOf,
  type RandomValues,
  RandomValuesWanted,
  renderChart,
} from '../../../../../templates/helm/index.ts';
import type { ManifestObject } from '../../model/component.ts';
import { refused } from '../sources/chart-source.ts';
import { boundedJson, invalid, objectsOf, parseYamlText, VALUES_BOUNDS } from './manifest-objects.ts';
import { mergedValues, nestedValues, type Values } from './values.ts';

/** The folder of a chart, and whose values are merged over those of the chart. */
interface ValuesJob {
  readonly chart: string;
  readonly profile: string;
  readonly configuration: Values;
}

/** What is made of the files of a folder. Only the process of a job reads them, so that they are in the memory of no other. */
export type ChartJob =
  | (ValuesJob & {
      readonly make: 'objects';
      readonly release: { readonly name: string; readonly namespace: string };
      readonly capabilities: ChartCapabilities | undefined;
      /** See `RenderOptions.recorded`. */
      readonly recorded?: RandomValues | 'unknown';
    })
  | (ValuesJob & { readonly make: 'values' })
  | { readonly make: 'definitions'; readonly folder: string };

/** Values as JSON, which the event loop reads one by one. Errors lose their class on the way. */
export type ChartAnswer =
  | { readonly values: readonly ValueText[]; readonly made?: RandomValues | undefined }
  /** The chart makes random values, and those that it made before are unknown. */
  | 'random values wanted'
  | { readonly refused: { readonly message: string; readonly kind: ErrorKind } };

export interface ValueText {
  /** The file that it comes from. */
  readonly source: string;
  readonly json: string;
  /** What the value takes when it is read, in bytes. */
  readonly memory: number;
}

const MAX_MESSAGE = 4096;

export async function performChartJob(job: ChartJob): Promise<ChartAnswer> {
  try {
    return await valuesOf(job);
  } catch (error) {
    if (error instanceof RandomValuesWanted) return 'random values wanted';
    // A text or a stack beyond what V8 has, at a place that no limit covers.
    if (error instanceof RangeError) return refusal(`cannot render the chart: ${error.message}`, 'terminal');
    if (!(error instanceof ProviderError) || error.kind === 'bug') throw error;
    return refusal(error.message, error.kind);
  }
}

/** The time of the process, which does nothing else: a busy machine fails no chart. */
function cpuTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Messages may quote a whole template. */
const refusal = (message: string, kind: ErrorKind): ChartAnswer => ({
  refused: { message: cutText(message, MAX_MESSAGE), kind },
});

async function valuesOf(job: ChartJob): Promise<Extract<ChartAnswer, { values: unknown }>> {
  // What is read, unpacked, rendered and parsed is charged to one budget.
  const budget = createBudget(CHART_LIMITS, { ...systemClock, monotonic: cpuTimeMs });
  const filesOf = async (folder: string) => {
    const files = await readChartFiles(folder);
    budget.charge(files.reduce((sum, { data }) => sum + data.length, 0));
    return files;
  };
  if (job.make === 'definitions') {
    return { values: textsOf(crdObjects(await filesOf(job.folder), budget)) };
  }
  const files = await filesOf(job.chart);
  const over = mergedValues(profileValues(files, job.profile, budget), nestedValues(job.configuration));
  if (job.make === 'values') {
    const values = mergedValues(chartValues(files, budget), over);
    return { values: [textOf(values, 'values', 'values.yaml')] };
  }
  const { release, capabilities, recorded } = job;
  const request = { files, values: over, release, ...(capabilities === undefined ? {} : { capabilities }) };
  const rendered = renderChart(request, { budget, ...(recorded === undefined ? {} : { recorded }) });
  const objects = documentsOf(rendered).flatMap(({ text, source }) => objectsOf(text, source, 1, budget));
  return { values: textsOf(objects), made: rendered.made };
}

const textsOf = (objects: readonly ManifestObject[]): ValueText[] =>
  objects.map(({ object, source }) => textOf(object, source));

const textOf = (value: unknown, source: string, file = source): ValueText => ({
  source,
  json: boundedJson(value, file),
  memory: memoryOf(value),
});

/** In the text, since other files of the folder need not be objects. */
const crd = /^ {0,8}["']?kind["']?: {0,8}["']?CustomResourceDefinition\b/m;

/**
 * The objects of all YAML files that have a CRD, each file once.
 *
 * @param budget what all documents are charged to
 * @throws an error with file and line for a document that cannot be parsed
 */
function crdObjects(files: readonly ChartFile[], budget: Budget): readonly ManifestObject[] {
  return files
    .filter(({ name }) => /\.ya?ml$/.test(name))
    .map(({ name, data }) => ({ name, text: new TextDecoder().decode(data) }))
    .filter(({ text }) => crd.test(text))
    .flatMap(({ name, text }) => objectsOf(text, name, 1, budget));
}

/** Limits of one chart with its subcharts. Helm's own are 100 MB, and 5 MB for a file. */
interface ChartLimits {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

const defaultChartLimits: ChartLimits = { maxBytes: 32 * 1024 * 1024, maxFiles: 5000 };

/**
 * Reads all files below a folder, in the order of their names.
 *
 * @throws SourceError for links, special files, and beyond a limit
 */
export async function readChartFiles(
  folder: string,
  { maxBytes, maxFiles }: ChartLimits = defaultChartLimits,
): Promise<readonly ChartFile[]> {
  const files: ChartFile[] = [];
  let bytes = 0;
  const read = async (path: string): Promise<void> => {
    const entries = await readdir(join(folder, path), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) {
        await read(name);
        continue;
      }
      if (!entry.isFile()) throw refused(`the chart has a link or special file: ${name}`);
      if (files.length === maxFiles) throw refused(`the chart has more than ${maxFiles} files`);
      bytes += (await lstat(join(folder, name))).size;
      if (bytes > maxBytes) throw refused(`the chart is larger than ${maxBytes} bytes`);
      files.push({ name, data: await readWhole(join(folder, name), maxBytes) });
    }
  };
  await read('');
  return files;
}

async function readWhole(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    // The file may have grown since its size was counted.
    if (size > maxBytes) throw refused(`the chart is larger than ${maxBytes} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** What `values.yaml` has; nothing if there is no such file. @throws as `profileValues` */
const chartValues = (files: readonly ChartFile[], budget: Budget): Values =>
  valuesIn(files, ['values.yaml'], budget) ?? {};

/**
 * The values of a profile: `profile-<p>.yaml`, else `<p>.yaml`, in lower case; nothing if the chart has neither.
 *
 * @throws an error with file and line if it cannot be parsed
 */
function profileValues(files: readonly ChartFile[], profile: string, budget: Budget): Values {
  const name = profile.toLowerCase();
  return name === '' ? {} : (valuesIn(files, [`profile-${name}.yaml`, `${name}.yaml`], budget) ?? {});
}

function valuesIn(files: readonly ChartFile[], names: readonly string[], budget: Budget): Values | undefined {
  for (const name of names) {
    const file = files.find((each) => each.name === name);
    if (file === undefined) continue;
    const value = parseYamlText(new TextDecoder().decode(file.data), name, 1, budget) ?? {};
    if (!isObject(value)) throw invalid(name, 1, 'the values are no map');
    boundedJson(value, name, VALUES_BOUNDS);
    return value;
  }
  return undefined;
}
